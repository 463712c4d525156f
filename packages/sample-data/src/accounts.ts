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
  const users = Math.min(200_000, Math.max(300, Math.ceil(claims / 20)))
  const longest = Math.max(...facts.accessLists.map(({ members }) => members))
  const addresses = Array.from({ length: users + longest }, random.address)
  const lists = facts.accessLists.map(({ id, members }, index) => {
    const first = Math.min(index * 15, Math.max(0, users - members))
    return [id, addresses.slice(first, first + members)] as const
  })
  return {
    claimants: addresses.slice(0, users),
    members: new Map(lists.filter(([, members]) => members.length > 0)),
    owners: Array.from({ length: 5 + Math.floor(campaigns / 40) }, () => ({
      address: random.address(),
      budget: random.address(),
    })),
  }
}

/** The oldest list first. */
export function* accessListRecords(random: Random, { members }: Accounts, now: number) {
  for (const [index, { id, userId, name }] of facts.accessLists.entries()) {
    const createdAt = now - (facts.accessLists.length - index) * 8 * DAY + random.integer(0, DAY)
    yield {
      type: 'accessList' as const,
      id,
      userId,
      name,
      createdAt: toIsoTime(createdAt),
      icon: random.chance(0.7) ? `https://images.example/lists/${id}.png` : '',
      members: [...(members.get(id) ?? [])],
    }
  }
}

/** About half of the streaks go on, of which some wait for this week's completion. */
export function* profileRecords(random: Random, { claimants }: Accounts, now: number) {
  for (const userAddress of claimants) {
    const isBroken = random.chance(0.45)
    const endsAt = isBroken ? now - random.integer(1, 90 * DAY) : now + random.integer(60, 7 * DAY)
    const startsAt = endsAt - 7 * DAY
    const completedAt = random.chance(0.4)
      ? startsAt - random.integer(1, 7 * DAY)
      : startsAt + Math.floor((Math.min(now, endsAt) - startsAt) * random.fraction())
    const score = random.chance(0.9) ? Math.round(25_000 * random.fraction() ** 4) : 0
    yield {
      type: 'profile' as const,
      userAddress,
      ethEarned: String(BigInt(score) * BigInt(random.integer(20_000, 400_000)) * 1_000_000_000n),
      score,
      streak: {
        value: isBroken ? 0 : random.integer(1, 30),
        lastExpirationTime: toIsoTime(startsAt),
        nextExpirationTime: toIsoTime(endsAt),
        lastCompletionTime: toIsoTime(completedAt),
      },
    }
  }
}
