import { sql } from 'drizzle-orm'
import { bigint, check, pgTable } from 'drizzle-orm/pg-core'
import { blockTimestamp, exactNumber } from '../../database/column-types.ts'

const count = () => bigint({ mode: 'number' }).notNull()

/**
 * Claims of all campaigns together in an hour of the clock in UTC; no row where there are none. Copies of the view
 * `counted_claim_hours`, changed by the claims of each batch.
 */
export const claimHours = pgTable(
  'claim_hours',
  {
    /** Unix seconds at which it begins. */
    hourStart: blockTimestamp().primaryKey(),
    claimCount: count(),
    /** US dollars, exact; a claim of unknown value counts 0. */
    amountUsd: exactNumber().notNull(),
    /** Claims that pay a token and have no value. */
    unvaluedCount: count(),
  },
  (table) => [
    check('claim_hours_have_claims', sql`${table.claimCount} > 0`),
    check('claim_hours_are_not_negative', sql`${table.amountUsd} >= 0 and ${table.unvaluedCount} >= 0`),
  ],
)
