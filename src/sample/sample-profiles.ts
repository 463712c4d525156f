import type { ProfileRecord } from '../ingest/records.ts'
import { Random } from './random.ts'
import { userAddress } from './sample-addresses.ts'
import type { SamplePlan } from './sample-plan.ts'

const DAY = 86_400
/** Users beyond those who claim who have a profile too: some of them stand on deny lists. */
const OTHERS = 100

/** The profiles of the users; about half of the streaks go on, of which some wait for this week's completion. */
export function* sampleProfiles(plan: SamplePlan): Generator<ProfileRecord> {
  for (let user = 0; user < plan.users + OTHERS; user++) yield profileOf(plan, user)
}

function profileOf({ seed, now }: SamplePlan, user: number): ProfileRecord {
  const random = new Random(seed, 'profile', user)
  const hasClaimed = random.chance(0.9)
  const isBroken = random.chance(0.45)
  const isPending = random.chance(0.4)
  const windowEndsAt = isBroken ? now - random.integer(1, 90 * DAY) : now + random.integer(60, 7 * DAY)
  const windowStartsAt = windowEndsAt - 7 * DAY
  const lastPossible = Math.min(now, windowEndsAt)
  const completedAt = isPending
    ? windowStartsAt - random.integer(1, 7 * DAY)
    : windowStartsAt + Math.floor((lastPossible - windowStartsAt) * random.fraction())
  const score = hasClaimed ? Math.round(25_000 * random.fraction() ** 4) : 0
  const gwei = BigInt(score) * BigInt(random.integer(20_000, 400_000))
  return {
    type: 'profile',
    userAddress: userAddress(seed, user),
    ethEarned: String(gwei * 1_000_000_000n),
    score,
    streak: {
      value: isBroken ? 0 : random.integer(1, 30),
      lastExpirationTime: isoTime(windowStartsAt),
      nextExpirationTime: isoTime(windowEndsAt),
      lastCompletionTime: isoTime(completedAt),
    },
  }
}

const isoTime = (seconds: number) => new Date(seconds * 1000).toISOString()
