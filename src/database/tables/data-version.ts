import { sql } from 'drizzle-orm'
import { bigint, boolean, check, pgTable, uuid } from 'drizzle-orm/pg-core'

/**
 * Which state of the public data this is; a single row. Each transaction that writes a table that public answers are made
 * of takes the next revision before it writes, by the triggers `data_is_revised`: so revisions have no gaps and are in the
 * order of commits, whoever writes. The identity is new with each: after a failover that lost a commit, another history may
 * come to the same revision, but never to the same identity.
 */
export const dataVersion = pgTable(
  'data_version',
  {
    isOnly: boolean().primaryKey().default(true),
    revision: bigint({ mode: 'number' }).notNull(),
    identity: uuid().notNull(),
  },
  (table) => [check('data_version_is_one_row', sql`${table.isOnly}`)],
)
