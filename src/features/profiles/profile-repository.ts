import { eq, sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import { profileScoreCounts, profiles } from '../../database/tables/credentials-and-profiles.ts'
import type { UserProfile } from './profile-schemas.ts'

export function createProfileRepository(database: Database, clock: () => Date) {
  const statement = database
    .select({
      ethEarned: profiles.ethEarned,
      score: profiles.score,
      // With table names: in a query of one table, Drizzle would leave them out.
      ranking: sql<number>`(1 + coalesce((
        select sum(counts.profile_count) from ${profileScoreCounts} counts
        where counts.score_bucket > profiles.score_bucket), 0) + (
        select count(*) from ${profiles} higher
        where higher.score_bucket = profiles.score_bucket and higher.score > profiles.score))::float8`,
      value: profiles.streakValue,
      lastExpirationAt: profiles.streakLastExpirationAt,
      nextExpirationAt: profiles.streakNextExpirationAt,
      lastCompletionAt: profiles.streakLastCompletionAt,
    })
    .from(profiles)
    .where(eq(profiles.userAddress, sql.placeholder('address')))
    .prepare('find_profile')

  return {
    /**
     * The profile of a lower-case address; undefined if there is none. For the rank, the counts of higher score buckets
     * are added up, and the profiles of the own bucket with a higher score are counted.
     */
    async find(address: string): Promise<UserProfile | undefined> {
      const [profile] = await statement.execute({ address })
      if (profile === undefined) return undefined
      const { ethEarned, score, ranking, value, ...streak } = profile
      return {
        ethEarned,
        score,
        ranking,
        streak: {
          value,
          status: toStreakStatus(streak, clock()),
          lastExpirationTime: streak.lastExpirationAt.toISOString(),
          nextExpirationTime: streak.nextExpirationAt.toISOString(),
          lastCompletionTime: streak.lastCompletionAt.toISOString(),
        },
      }
    },
  }
}
export type ProfileRepository = ReturnType<typeof createProfileRepository>

interface Streak {
  lastExpirationAt: Date
  nextExpirationAt: Date
  lastCompletionAt: Date
}

/** The state of a streak at an instant: its window is open until before `nextExpirationAt`. */
function toStreakStatus(streak: Streak, now: Date): UserProfile['streak']['status'] {
  if (now >= streak.nextExpirationAt) return 'broken'
  return streak.lastCompletionAt >= streak.lastExpirationAt ? 'active' : 'pending'
}
