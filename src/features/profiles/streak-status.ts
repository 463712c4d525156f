import type { UserProfile } from './profile-schemas.ts'

interface Streak {
  lastExpirationAt: Date
  nextExpirationAt: Date
  lastCompletionAt: Date
}

/** The state of a streak at an instant: its window is open until before `nextExpirationAt`. */
export function toStreakStatus(streak: Streak, now: Date): UserProfile['streak']['status'] {
  if (now >= streak.nextExpirationAt) return 'broken'
  return streak.lastCompletionAt >= streak.lastExpirationAt ? 'active' : 'pending'
}
