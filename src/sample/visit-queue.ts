import type { Random } from './random.ts'
import { lifeOf, type SamplePlan } from './sample-plan.ts'

/** Ages of visits spread evenly over the orders of magnitude above this: an hour, a day and a week all hold some. */
const AGE_SCALE = 3 * 3600

interface Visit {
  /** Index of the campaign. */
  readonly campaign: number
  /** Ordinal of the visit to this campaign, from 0. */
  readonly ordinal: number
  /** Unix seconds. */
  readonly time: number
}

/**
 * The visits to all campaigns in the order of their time. Each campaign's next visit waits in a binary heap; the times
 * of its visits are drawn one after the other in ascending order, so none has to be kept. 36 bytes a campaign, and
 * logarithmic time a visit.
 */
export class VisitQueue {
  readonly #plan: SamplePlan
  readonly #random: Random
  /** Campaigns as a binary heap: none is due later than the two below it. */
  readonly #heap: Int32Array
  #length = 0
  readonly #dueAt: Float64Array
  /** Where in a campaign's life its next visit falls: 1 at its start, 0 at its end. */
  readonly #place: Float64Array
  readonly #visits: Int32Array
  readonly #done: Int32Array
  readonly #firstAge: Int32Array
  readonly #lastAge: Int32Array

  constructor(plan: SamplePlan, random: Random) {
    const { campaigns } = plan
    this.#plan = plan
    this.#random = random
    this.#heap = new Int32Array(campaigns)
    this.#dueAt = new Float64Array(campaigns)
    this.#place = new Float64Array(campaigns).fill(1)
    this.#visits = new Int32Array(campaigns)
    this.#done = new Int32Array(campaigns)
    this.#firstAge = new Int32Array(campaigns)
    this.#lastAge = new Int32Array(campaigns)
    for (let campaign = 0; campaign < campaigns; campaign++) {
      const claims = plan.claimCounts[campaign] ?? 0
      if (claims === 0) continue
      const life = lifeOf(plan, campaign)
      this.#visits[campaign] = Math.ceil(claims / life.incentiveCount)
      this.#firstAge[campaign] = plan.now - life.opensAt
      this.#lastAge[campaign] = plan.now - life.closesAt
      this.#drawDueTime(campaign)
      this.#heap[this.#length++] = campaign
    }
    for (let position = this.#length >> 1; position >= 0; position--) this.#sink(position)
  }

  /** The next visit; undefined when all were made. */
  take(): Visit | undefined {
    if (this.#length === 0) return undefined
    const campaign = at(this.#heap, 0)
    const ordinal = at(this.#done, campaign)
    const visit = { campaign, ordinal, time: at(this.#dueAt, campaign) }
    this.#done[campaign] = ordinal + 1
    if (ordinal + 1 < at(this.#visits, campaign)) this.#drawDueTime(campaign)
    else this.#heap[0] = at(this.#heap, --this.#length)
    this.#sink(0)
    return visit
  }

  #drawDueTime(campaign: number): void {
    const remaining = at(this.#visits, campaign) - at(this.#done, campaign)
    // The largest of `remaining` even draws below the last one.
    const place = at(this.#place, campaign) * this.#random.positiveFraction() ** (1 / remaining)
    this.#place[campaign] = place
    const lastAge = at(this.#lastAge, campaign)
    const span = at(this.#firstAge, campaign) - lastAge
    // A campaign that goes on has most to show of late; one that is over was visited evenly.
    const age = lastAge === 0 ? AGE_SCALE * ((1 + span / AGE_SCALE) ** place - 1) : span * place
    this.#dueAt[campaign] = this.#plan.now - lastAge - Math.min(span, Math.floor(age))
  }

  #sink(from: number): void {
    const campaign = at(this.#heap, from)
    const dueAt = at(this.#dueAt, campaign)
    let position = from
    for (;;) {
      let child = 2 * position + 1
      if (child >= this.#length) break
      if (child + 1 < this.#length && this.#isEarlier(child + 1, child)) child++
      const below = at(this.#heap, child)
      if (at(this.#dueAt, below) >= dueAt) break
      this.#heap[position] = below
      position = child
    }
    this.#heap[position] = campaign
  }

  #isEarlier(position: number, other: number): boolean {
    return at(this.#dueAt, at(this.#heap, position)) < at(this.#dueAt, at(this.#heap, other))
  }
}

/** An entry that is known to be there. */
const at = (array: Int32Array | Float64Array, index: number): number => array[index] ?? 0
