import { Random } from './random.ts'

const HOUR = 3600
const DAY = 86_400
/** The oldest campaign is this old. */
const SPAN = 180 * DAY
/** The first campaigns go on, so that also a sample of a few has something to show. */
const CERTAINLY_RUNNING = 7

export interface SampleOptions {
  readonly campaigns: number
  readonly claims: number
  readonly seed: number
  /** Claims come up to this instant. */
  readonly now: Date
}

/**
 * What becomes of a campaign: it runs; it has ended by its end time; it is yet to start; all its incentives are spent;
 * as many users as it takes have taken part.
 */
export type Fate = 'running' | 'ended' | 'scheduled' | 'spent' | 'full'

/** The course of a campaign; times in Unix seconds. */
export interface CampaignLife {
  readonly fate: Fate
  readonly createdAt: number
  readonly startsAt: number | null
  readonly endsAt: number | null
  /** Claims are made from here … */
  readonly opensAt: number
  /** … to here, both included. */
  readonly closesAt: number
  readonly incentiveCount: number
  /** Share of all claims, in no particular unit; 0 where nobody can claim. */
  readonly weight: number
}

/** What has to be settled before the first campaign is written. */
export interface SamplePlan {
  readonly seed: number
  readonly campaigns: number
  /** Unix seconds. */
  readonly now: number
  /** Users who claim. There are users beyond them, who are only on lists. */
  readonly users: number
  readonly owners: number
  readonly collections: number
  /** Claims of each campaign. */
  readonly claimCounts: Int32Array
}

/**
 * Makes the plan of a sample; equal options give an equal plan. Looks once at every campaign (about 1 µs each) and
 * holds 4 bytes for each.
 */
export function createSamplePlan({ campaigns, claims, seed, now }: SampleOptions): SamplePlan {
  const outline = { seed, campaigns, now: Math.floor(now.getTime() / 1000) }
  return {
    ...outline,
    users: Math.min(200_000, Math.max(300, Math.ceil(claims / 20))),
    owners: 5 + Math.floor(campaigns / 40),
    collections: 8 + Math.floor(campaigns / 25),
    claimCounts: countClaims(outline, claims),
  }
}

/** Splits the claims by weight, so that the parts are whole and add up to all of them. */
function countClaims(outline: Pick<SamplePlan, 'seed' | 'campaigns' | 'now'>, claims: number): Int32Array {
  let total = 0
  for (let index = 0; index < outline.campaigns; index++) total += lifeOf(outline, index).weight
  const counts = new Int32Array(outline.campaigns)
  if (total === 0) return counts
  let before = 0
  let given = 0
  for (let index = 0; index < outline.campaigns; index++) {
    before += lifeOf(outline, index).weight
    const due = Math.round((before / total) * claims)
    counts[index] = due - given
    given = due
  }
  return counts
}

/** The course of one campaign: a pure function of plan and index. Campaigns come oldest first. */
export function lifeOf(plan: Pick<SamplePlan, 'seed' | 'campaigns' | 'now'>, index: number): CampaignLife {
  const random = new Random(plan.seed, 'life', index)
  const { now } = plan
  const remaining = (plan.campaigns - 1 - index) / Math.max(1, plan.campaigns - 1)
  // More and more campaigns are made: recent ones stand closer together.
  const age = Math.floor(random.integer(10 * 60, HOUR) + (SPAN - 2 * HOUR) * remaining ** 1.3)
  const createdAt = now - age
  const fate = index < CERTAINLY_RUNNING ? 'running' : fateOf(random, age)
  const incentiveCount = index < 10 ? 1 + (index % 2) : incentiveCountOf(random)

  const delay = random.chance(0.5) ? null : Math.floor(age * 0.2 * random.fraction())
  const startsAt =
    fate === 'scheduled' ? now + random.integer(HOUR, 21 * DAY) : delay === null ? null : createdAt + delay
  const opensAt = Math.min(startsAt ?? createdAt, now)
  const open = now - opensAt
  const lasted = Math.floor(open * (0.2 + 0.7 * random.fraction()))
  const endsAt = endOf(random, fate, { opensAt, lasted, now })
  // Nothing is claimed after the last claim that is possible.
  const closesAt = fate === 'running' || fate === 'scheduled' ? now : opensAt + Math.max(0, lasted - 1)

  // A few campaigns draw most of the users, and it takes a while to draw them. With even draws this power comes close to
  // Zipf's law; the summand keeps one campaign of many from drawing nearly all.
  const popularity = (random.fraction() + 1 / plan.campaigns) ** -0.85
  const isClaimable = incentiveCount > 0 && fate !== 'scheduled'
  const weight = isClaimable ? popularity * Math.min(1, (closesAt - opensAt + HOUR) / (3 * DAY)) : 0
  return { fate, createdAt, startsAt, endsAt, opensAt, closesAt, incentiveCount, weight }
}

function fateOf(random: Random, age: number): Fate {
  const roll = random.fraction()
  if (roll < 0.06) return age < 30 * DAY ? 'scheduled' : 'running'
  if (age < DAY) return 'running'
  if (roll < 0.12) return 'spent'
  if (roll < 0.16) return 'full'
  return roll < 0.2 + 0.4 * (age / SPAN) ? 'ended' : 'running'
}

function incentiveCountOf(random: Random): number {
  const roll = random.fraction()
  if (roll < 0.02) return 0
  if (roll < 0.78) return 1
  return roll < 0.95 ? 2 : 3
}

function endOf(
  random: Random,
  fate: Fate,
  { opensAt, lasted, now }: { opensAt: number; lasted: number; now: number },
): number | null {
  if (fate === 'ended') return opensAt + lasted
  const latest = now + (fate === 'scheduled' ? 22 * DAY : HOUR)
  return random.chance(0.4) ? null : latest + random.integer(0, 60 * DAY)
}
