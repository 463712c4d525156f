import type { AccessListRecord } from '../ingest/records.ts'
import { Random } from './random.ts'
import { userAddress } from './sample-addresses.ts'
import type { SamplePlan } from './sample-plan.ts'

const DAY_MS = 86_400_000

export interface AccessListFact {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly members: number
}

const list = (id: string, userId: string, members: number, name: string): AccessListFact => ({
  id,
  userId,
  name,
  members,
})

/** The access lists of every sample: the same lists and sizes, whatever the seed. */
export const accessListFacts: readonly AccessListFact[] = [
  list('base-builders', 'user-1', 5000, 'Base Builders'),
  list('early-collectors', 'user-1', 312, 'Early Collectors'),
  list('elan-collectionneurs', 'user-1', 148, 'Élan des collectionneurs'),
  list('governance-delegates', 'user-1', 64, 'Governance Delegates Optimism'),
  list('dia-de-los-muertos', 'user-1', 87, 'Día de los Muertos minters'),
  list('fruehe-unterstuetzer', 'user-1', 40, 'Frühe Unterstützer'),
  list('zora-100', 'user-1', 100, 'Zora Top 100'),
  list('degen-tippers', 'user-1', 221, 'Degen Tippers, Season 3'),
  list('private-beta', 'user-1', 3, 'Private beta'),
  list('next-drop', 'user-1', 0, 'Next drop (nobody yet)'),
  list('world-id-orb', 'user-2', 402, 'World ID: verified by orb'),
  list('cafe-society', 'user-2', 19, 'Café Society São Paulo'),
  list('arbitrum-stip', 'user-2', 133, 'Arbitrum STIP wallets'),
  list('season-1-winners', 'user-2', 25, 'Season 1 winners'),
  list('season-2-winners', 'user-2', 25, 'Season 2 winners'),
  list('farcaster-og', 'user-3', 256, 'Farcaster OG'),
  list('nordic-meetup', 'user-3', 33, 'Åland & Øresund meetup'),
  list('test-wallets', 'user-4', 1, 'Test wallets'),
]

/** Number of the first member; the others are the users that follow. Lists overlap. */
export const firstMemberOf = (plan: SamplePlan, fact: AccessListFact): number =>
  Math.min(accessListFacts.indexOf(fact) * 15, Math.max(0, plan.users - fact.members))

/** All access lists with their members, the oldest first. */
export function* sampleAccessLists(plan: SamplePlan): Generator<AccessListRecord> {
  const random = new Random(plan.seed, 'accessLists')
  let daysAgo = accessListFacts.length * 8
  for (const fact of accessListFacts) {
    const first = firstMemberOf(plan, fact)
    const createdAt = new Date(plan.now * 1000 - daysAgo * DAY_MS + random.integer(0, DAY_MS))
    yield {
      type: 'accessList',
      id: fact.id,
      userId: fact.userId,
      name: fact.name,
      createdAt: createdAt.toISOString(),
      icon: random.chance(0.7) ? `https://images.example/lists/${fact.id}.png` : '',
      members: Array.from({ length: fact.members }, (_, offset) => userAddress(plan.seed, first + offset)),
    }
    daysAgo -= 8
  }
}
