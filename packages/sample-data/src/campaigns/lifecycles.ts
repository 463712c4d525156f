import type { Random } from '../random.ts'

const HOUR = 3600
const DAY = 86_400
/** The oldest campaign is this old. */
const SPAN = 180 * DAY
/** The first campaigns go on, so that also a sample of a few has something to show. */
const CERTAINLY_RUNNING = 7
/** Ages of claims spread evenly over the orders of magnitude above this: an hour, a day and a week all hold some. */
const AGE_SCALE = 3 * HOUR

/**
 * What becomes of a campaign: it runs; it has ended by its end time; it is yet to start; all its incentives are spent;
 * as many users as it takes have taken part.
 */
type Lifecycle = 'running' | 'ended' | 'scheduled' | 'spent' | 'full'

/** The course of a campaign; times in Unix seconds. */
export interface Timeline {
  lifecycle: Lifecycle
  createdAt: number
  startsAt: number | null
  endsAt: number | null
  /** Claims are made from here … */
  opensAt: number
  /** … to here, both included. */
  closesAt: number
  incentiveCount: number
  claims: number
}

/** The courses of all campaigns, the oldest first; claims add up to `claims` unless nobody can claim anything. */
export function drawTimelines(random: Random, numbers: { campaigns: number; claims: number; now: number }): Timeline[] {
  const { campaigns, claims, now } = numbers
  const drawn = Array.from({ length: campaigns }, (_, index) => {
    const own = random.fork(String(index))
    const timeline = drawTimeline(own, index, { campaigns, now })
    return { ...timeline, weight: weightOf(own.fork('popularity'), timeline, campaigns) }
  })
  const total = drawn.reduce((sum, { weight }) => sum + weight, 0)
  let [before, given] = [0, 0]
  return drawn.map(({ weight, ...timeline }) => {
    before += weight
    const due = total === 0 ? 0 : Math.round((before / total) * claims)
    const own = due - given
    given = due
    // Full of nobody is not a state.
    return {
      ...timeline,
      lifecycle: timeline.lifecycle === 'full' && own === 0 ? 'spent' : timeline.lifecycle,
      claims: own,
    }
  })
}

function drawTimeline(random: Random, index: number, { campaigns, now }: { campaigns: number; now: number }) {
  // Recent campaigns stand closer together.
  const remaining = (campaigns - 1 - index) / Math.max(1, campaigns - 1)
  const age = random.fork('age').integer(600, HOUR) + Math.floor((SPAN - 2 * HOUR) * remaining ** 1.3)
  const createdAt = now - age
  const drawn = drawLifecycle(random.fork('lifecycle'), age)
  const lifecycle = index < CERTAINLY_RUNNING ? 'running' : drawn
  const incentiveCount = index < 10 ? 1 + (index % 2) : random.fork('incentives').pick(INCENTIVE_COUNTS)
  const [ofStart, ofEnd] = [random.fork('start'), random.fork('end')]
  const delayed = ofStart.chance(0.5) ? null : createdAt + Math.floor(age * 0.2 * ofStart.fraction())
  const startsAt = lifecycle === 'scheduled' ? now + ofStart.integer(HOUR, 21 * DAY) : delayed
  const opensAt = Math.min(startsAt ?? createdAt, now)
  const lasted = Math.floor((now - opensAt) * (0.2 + 0.7 * ofEnd.fraction()))
  const latest = now + (lifecycle === 'scheduled' ? 22 * DAY : HOUR) + ofEnd.integer(0, 60 * DAY)
  const endsAt = lifecycle === 'ended' ? opensAt + lasted : ofEnd.chance(0.4) ? null : latest
  // Nothing is claimed after the last claim that is possible.
  const closesAt = lifecycle === 'running' || lifecycle === 'scheduled' ? now : opensAt + Math.max(0, lasted - 1)
  return { lifecycle, createdAt, startsAt, endsAt, opensAt, closesAt, incentiveCount }
}

/** One more often than any other number; now and then none. */
const INCENTIVE_COUNTS = [0, ...Array<number>(38).fill(1), ...Array<number>(8).fill(2), 3, 3, 3]

function drawLifecycle(random: Random, age: number): Lifecycle {
  const roll = random.fraction()
  if (roll < 0.06) return age < 30 * DAY ? 'scheduled' : 'running'
  if (age < DAY) return 'running'
  if (roll < 0.12) return 'spent'
  if (roll < 0.16) return 'full'
  return roll < 0.2 + 0.4 * (age / SPAN) ? 'ended' : 'running'
}

/**
 * Share of all claims, in no particular unit. A few campaigns draw most of the users (this power of even draws comes close
 * to Zipf's law; the summand keeps one of many from drawing nearly all), and it takes a while to draw them.
 */
function weightOf(random: Random, timeline: Omit<Timeline, 'claims'>, campaigns: number) {
  const popularity = (random.fraction() + 1 / campaigns) ** -0.85
  if (timeline.incentiveCount === 0 || timeline.lifecycle === 'scheduled') return 0
  return popularity * Math.min(1, (timeline.closesAt - timeline.opensAt + HOUR) / (3 * DAY))
}

/** When somebody claims: what goes on has most to show of late, what is over was claimed evenly. */
export function drawClaimTime(random: Random, { opensAt, closesAt, lifecycle }: Timeline) {
  const span = closesAt - opensAt
  const age =
    lifecycle === 'running' ? AGE_SCALE * ((1 + span / AGE_SCALE) ** random.fraction() - 1) : span * random.fraction()
  return closesAt - Math.min(span, Math.floor(age))
}
