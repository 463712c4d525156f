import { sql } from 'drizzle-orm'
import { bigint, check, integer, pgTable, primaryKey, smallint } from 'drizzle-orm/pg-core'
import { blockTimestamp, exactNumber } from '../../database/column-types.ts'

const count = () => bigint({ mode: 'number' }).notNull()

/**
 * Claims in an hour, a day or a week (from Monday) of the clock in UTC; no row where there are none. Of a popular campaign (by the
 * view `popular_campaigns`; the others have no rows), and with the key 0 of all campaigns together, of which there are
 * minutes too. Copies of what `counted_claim_intervals` counts, changed by the claims of each batch.
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
    /** Claims less than so long after another one of their claimant: of the campaign, or of all together. */
    repeats1h: integer('repeats_1h').notNull(),
    repeats4h: integer('repeats_4h').notNull(),
    repeats1d: integer('repeats_1d').notNull(),
    repeats1w: integer('repeats_1w').notNull(),
    /** Claims that another one of their claimant follows in less than so long. */
    followed1h: integer('followed_1h').notNull(),
    followed4h: integer('followed_4h').notNull(),
    followed1d: integer('followed_1d').notNull(),
    followed1w: integer('followed_1w').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.campaignKey, table.intervalSeconds, table.intervalStart] }),
    check('claim_intervals_have_claims', sql`${table.claimCount} > 0`),
    check('claim_intervals_are_not_negative', sql`${table.amountUsd} >= 0 and ${table.unvaluedCount} >= 0`),
  ],
)

/** Claims on an incentive in an hour of the clock, and what they paid: of popular campaigns, as in `claim_intervals`. */
export const incentiveClaimHours = pgTable(
  'incentive_claim_hours',
  {
    campaignKey: bigint({ mode: 'bigint' }).notNull(),
    /** Unix seconds. */
    hourStart: blockTimestamp().notNull(),
    incentivePosition: smallint().notNull(),
    claimCount: count(),
    amount: exactNumber().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.campaignKey, table.hourStart, table.incentivePosition] }),
    check('incentive_claim_hours_have_claims', sql`${table.claimCount} > 0 and ${table.amount} >= 0`),
  ],
)
