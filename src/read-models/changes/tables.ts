import { bigint, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { chainId, instant } from '../../database/column-types.ts'

/**
 * A change of the public data, written in the batch that makes it and dropped after a while, the oldest first. The first of
 * all is the `beginning`, which no reader is shown: so there is always a newest one, which is the cursor of now.
 */
export const changes = pgTable(
  'changes',
  {
    /** Of the data: commits are in the order of their revisions. */
    revision: bigint({ mode: 'number' }).notNull(),
    /** Within the commit; has gaps. */
    position: bigint({ mode: 'number' }).notNull(),
    /** Of the revision: another history may come to the same revision, but never to the same epoch. */
    epoch: uuid().notNull(),
    at: instant().notNull(),
    kind: text().notNull(),
    chainId: chainId(),
    campaignId: text(),
    /** What else a change of its kind says; of a claim its entry in lists without what is known of the token. */
    details: jsonb(),
  },
  (table) => [primaryKey({ columns: [table.revision, table.position] })],
)
