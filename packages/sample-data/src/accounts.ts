import { facts, toIsoTime } from './facts.ts'
import type { Random } from './random.ts'

const DAY = 86_400

export interface Accounts {
  /** Users who claim. */
  claimants: readonly string[]
  /** Of the off-chain access lists that somebody is on, by ID; users are on several. */
  members: ReadonlyMap<string, readonly string[]>
  owners: readonly { address: string; budget: string }[]
}

export function drawAccounts(random: Random, { campaigns, claims }: { campaigns: number; claims: number }): Accounts {
  const [ofUsers, ofOwners, ofBudgets] = [random.fork('users'), random.fork('owners'), random.fork('budgets')]
  const users = Math.min(200_000, Math.max(300, Math.ceil(claims / 20)))
  const longest = Math.max(...facts.accessLists.map(({ members }) => members))
  const addresses = Array.from({ length: users + longest }, () => ofUsers.address())
  const lists = facts.accessLists.map(({ id, members }, index) => {
    const first = Math.min(index * 15, Math.max(0, users - members))
    return [id, addresses.slice(first, first + members)] as const
  })
  return {
    claimants: addresses.slice(0, users),
    members: new Map(lists.filter(([, members]) => members.length > 0)),
    owners: Array.from({ length: 5 + Math.floor(campaigns / 40) }, () => ({
      address: ofOwners.address(),
      budget: ofBudgets.address(),
    })),
  }
}

/** The oldest list first. */
export function* accessListRecords(random: Random, { members }: Accounts, now: number) {
  const [ofTimes, ofIcons] = [random.fork('times'), random.fork('icons')]
  for (const [index, { id, userId, name }] of facts.accessLists.entries()) {
    const createdAt = now - (facts.accessLists.length - index) * 8 * DAY + ofTimes.integer(0, DAY)
    yield {
      type: 'accessList' as const,
      id,
      userId,
      name,
      createdAt: toIsoTime(createdAt),
      icon: ofIcons.chance(0.7) ? `https://images.example/lists/${id}.png` : '',
      members: [...(members.get(id) ?? [])],
    }
  }
}

/** About half of the streaks go on, of which some wait for this week's completion. */
export function* profileRecords(random: Random, { claimants }: Accounts, now: number) {
  const [ofStreaks, ofScores, ofEarnings] = [random.fork('streaks'), random.fork('scores'), random.fork('earnings')]
  for (const userAddress of claimants) {
    const isBroken = ofStreaks.chance(0.45)
    const endsAt = isBroken ? now - ofStreaks.integer(1, 90 * DAY) : now + ofStreaks.integer(60, 7 * DAY)
    const startsAt = endsAt - 7 * DAY
    const completedAt = ofStreaks.chance(0.4)
      ? startsAt - ofStreaks.integer(1, 7 * DAY)
      : startsAt + Math.floor((Math.min(now, endsAt) - startsAt) * ofStreaks.fraction())
    const score = ofScores.chance(0.9) ? Math.round(25_000 * ofScores.fraction() ** 4) : 0
    yield {
      type: 'profile' as const,
      userAddress,
      ethEarned: String(BigInt(score) * BigInt(ofEarnings.integer(20_000, 400_000)) * 1_000_000_000n),
      score,
      streak: {
        value: isBroken ? 0 : ofStreaks.integer(1, 30),
        lastExpirationTime: toIsoTime(startsAt),
        nextExpirationTime: toIsoTime(endsAt),
        lastCompletionTime: toIsoTime(completedAt),
      },
    }
  }
}
