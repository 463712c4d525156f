import { sql } from 'drizzle-orm'
import { bigint, boolean, integer, pgTable, uuid } from 'drizzle-orm/pg-core'

/**
 * The newest states of the public data, a thousand at most. Each transaction that writes a table behind public
 * responses takes the next revision before it writes, by the triggers `bump_data_version`: so revisions have no gaps and
 * are in the order of commits, whichever process writes. The epoch is random: after a failover that lost a commit,
 * another history may reach the same revision, but never the same epoch.
 */
export const dataVersions = pgTable('data_versions', {
  revision: bigint({ mode: 'number' }).primaryKey(),
  epoch: uuid().notNull(),
  /** The campaigns it is about, their records, flags or claim totals; null if it may be about anything. */
  campaignKeys: bigint({ mode: 'number' }).array(),
  /**
   * Those of them of which more has changed than claim totals: their records, or whether they or an incentive are
   * spent; null if it may be any.
   */
  recordKeys: bigint({ mode: 'number' }).array(),
  /**
   * The campaigns that were added or removed, or may be found or sorted otherwise than before; null if it may be any.
   * Unlike the others, it is there for records of all kinds.
   */
  listedKeys: bigint({ mode: 'number' }).array(),
  /** The ends of the addresses whose claims or signatures it is about (their last 32 bits); null if it may be any. */
  claimants: integer().array(),
  /**
   * Whether a campaign was added or removed, or may be found otherwise than before. Else pages contain the same
   * campaigns.
   */
  affectsLists: boolean().notNull().default(sql`true`),
  /** The epoch of the newest revision up to this one that alters lists: with equal values, lists are equal. */
  listsVersion: uuid().notNull().defaultRandom(),
})
