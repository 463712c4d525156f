import { sql } from 'drizzle-orm'
import { boolean, check, doublePrecision, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { address, baseUnits, digest, instant, lowerCaseAddress } from '../column-types.ts'

/** A bearer token of the protected operations. Written by the operator's `token` command; never holds the secret. */
export const credentials = pgTable(
  'credentials',
  {
    id: uuid().primaryKey().defaultRandom(),
    secretDigest: digest().notNull().unique(),
    userId: text().notNull(),
    address: address(),
    isAdmin: boolean().notNull().default(false),
    name: text().notNull().default(''),
    createdAt: instant().notNull().defaultNow(),
    expiresAt: instant(),
    revokedAt: instant(),
    lastUsedAt: instant(),
  },
  (table) => [check('credentials_digest_is_a_sha_256', sql`octet_length(${table.secretDigest}) = 32`)],
)

/** What a user has earned and how long the streak is. Written by the import; replaced whole. */
export const profiles = pgTable(
  'profiles',
  {
    userAddress: address().primaryKey(),
    /** wei */
    ethEarned: baseUnits().notNull(),
    score: doublePrecision().notNull(),
    /** Scores close to each other are in one bucket; a higher score is never in a lower one. */
    scoreBucket: integer().notNull().generatedAlwaysAs(sql`score_bucket(score)`),
    streakValue: doublePrecision().notNull(),
    streakLastExpirationAt: instant().notNull(),
    streakNextExpirationAt: instant().notNull(),
    streakLastCompletionAt: instant().notNull(),
  },
  (table) => [
    index('profiles_by_score').on(table.scoreBucket, table.score),
    lowerCaseAddress('profiles_user_address_is_lower_case', table.userAddress),
    check('profiles_eth_earned_is_not_negative', sql`${table.ethEarned} >= 0`),
  ],
)

/**
 * How many profiles have a score of a bucket, so that a rank is read without counting all higher ones. Derived by the
 * import.
 */
export const profileScoreCounts = pgTable(
  'profile_score_counts',
  { scoreBucket: integer().primaryKey(), profileCount: integer().notNull() },
  (table) => [check('profile_score_counts_have_profiles', sql`${table.profileCount} > 0`)],
)
