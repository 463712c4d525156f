import { sql } from 'drizzle-orm'
import { bigint, check, integer, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { blockTimestamp, exactNumber } from '../../database/columns.ts'

const count = () => bigint({ mode: 'number' }).notNull()

/**
 * Claims in an hour, a day or a week (from Monday) of the clock in UTC; no row where there are none. Of a popular campaign (by the
 * view `popular_campaigns`; the others have no rows), and with the key 0 of all campaigns together. Copies of what
 * `counted_claim_intervals` counts, changed by the claims of each batch.
 */
export const claimIntervals = pgTable(
  'claim_intervals',
  {
    campaignKey: bigint({ mode: 'bigint' }).notNull(),
    intervalSeconds: integer().notNull(),
    /** Unix seconds at which it begins. */
    intervalStart: blockTimestamp().notNull(),
    claimCount: count(),
    /** US dollars, exact; a claim of unknown value counts 0. */
    amountUsd: exactNumber().notNull(),
    /** Claims that pay a token and have no value. */
    unvaluedCount: count(),
    /** Different claimants. */
    claimantCount: count(),
  },
  (table) => [
    primaryKey({ columns: [table.campaignKey, table.intervalSeconds, table.intervalStart] }),
    check('claim_intervals_have_claims', sql`${table.claimCount} > 0 and ${table.claimantCount} > 0`),
    check('claim_intervals_are_not_negative', sql`${table.amountUsd} >= 0 and ${table.unvaluedCount} >= 0`),
  ],
)
