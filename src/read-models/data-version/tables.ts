import { sql } from 'drizzle-orm'
import { bigint, boolean, integer, pgTable, uuid } from 'drizzle-orm/pg-core'

/**
 * The newest states of the public data, a thousand at most. Each transaction that writes a table that public responses are
 * made of takes the next revision before it writes, by the triggers `data_is_revised`: so revisions have no gaps and are in
 * the order of commits, anyone who writes. The identity is random: after a failover that lost a commit, another history may
 * come to the same revision, but never to the same identity.
 */
export const dataRevisions = pgTable('data_revisions', {
  revision: bigint({ mode: 'number' }).primaryKey(),
  identity: uuid().notNull(),
  /** The campaigns it is about, their records, flags or figures; null where it may be about anything. */
  campaignKeys: bigint({ mode: 'number' }).array(),
  /**
   * Those of them of which more has changed than figures of claims: their records, whether they or an incentive are spent;
   * null where it may be any.
   */
  recordKeys: bigint({ mode: 'number' }).array(),
  /** The ends of the addresses whose claims or signatures it is about (see `claimant_mark`); null where it may be any. */
  claimants: integer().array(),
  /** Whether a campaign has come or gone, or may be found otherwise than before. Else pages hold the same campaigns. */
  altersLists: boolean().notNull().default(sql`true`),
  /** Of the newest revision up to this one that alters lists, and of no other history: where it is equal, so are lists. */
  listsVersion: uuid().notNull().defaultRandom(),
})
