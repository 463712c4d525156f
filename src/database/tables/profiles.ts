import { sql } from 'drizzle-orm'
import { check, doublePrecision, index, pgTable } from 'drizzle-orm/pg-core'
import { address, baseUnits, instant, lowerCaseAddress } from '../columns.ts'

/** What a user has earned and how long the streak is. Written by the import; replaced whole. */
export const profiles = pgTable(
  'profiles',
  {
    userAddress: address().primaryKey(),
    /** wei */
    ethEarned: baseUnits().notNull(),
    score: doublePrecision().notNull(),
    streakValue: doublePrecision().notNull(),
    streakLastExpirationAt: instant().notNull(),
    streakNextExpirationAt: instant().notNull(),
    streakLastCompletionAt: instant().notNull(),
  },
  (table) => [
    index('profiles_by_score').on(table.score),
    lowerCaseAddress('profiles_user_address_is_lower_case', table.userAddress),
    check('profiles_eth_earned_is_not_negative', sql`${table.ethEarned} >= 0`),
  ],
)
