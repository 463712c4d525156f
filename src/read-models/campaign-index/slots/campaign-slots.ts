import { type Bits, clearBit, emptyBits, grown, hasBit, putBit, setBit } from './slot-bits.ts'
import { SlotOrder } from './slot-order.ts'

/** What the index knows of a campaign. */
export interface IndexedCampaign {
  key: number
  /** `<chainId>:<coreAddress>:<identifier>`, lower-case. */
  id: string
  /** Unix seconds. */
  blockTimestamp: number
  /** Milliseconds since 1970; without a start minus infinity, without an end infinity. */
  startsAt: number
  endsAt: number
  isExhausted: boolean
  /** What it is found by: `<kind> <value>`, each once. */
  facets: readonly string[]
}

/** What a campaign is sorted by. */
export interface SortValues {
  blockTimestamp: number
  endsAt: number
  chain: number
  core: string
  identifier: Identifier
}

/** The last part of an ID: a number, or the text of one that is too large to be exact. */
export type Identifier = number | string

/** As many digits are always exact. */
const MAX_DIGITS = 15

export const toIdentifier = (digits: string): Identifier => (digits.length > MAX_DIGITS ? digits : Number(digits))

/** The campaigns that are active at any instant of a range. */
interface Active {
  bits: Bits
  /** Milliseconds since 1970; the end is when the next campaign starts or ends. */
  since: number
  until: number
}

/**
 * The campaigns of an index, each in a slot: a small number, used again when it is free. Columns instead of objects take a
 * fifth of the memory.
 */
export class CampaignSlots {
  /** All used slots. */
  all: Bits
  /** Those of campaigns with an end. */
  ending: Bits
  /** Newest first; ties by chain, core contract, identifier. */
  readonly byAge: SlotOrder
  /** Those with an end, the earliest first; ties as above. */
  readonly byEnd: SlotOrder

  readonly #slotsByKey = new Map<number, number>()
  /** By chain and core contract, the slot of each identifier. */
  readonly #slotsByIdentifier: Map<Identifier, number>[] = []
  readonly #coreNumbers = new Map<string, number>()
  readonly #chains: number[] = []
  readonly #cores: string[] = []
  readonly #freeSlots: number[] = []
  #usedSlots = 0
  #newestKey = 0

  #keys: Float64Array
  #coreNumberOf: Int32Array
  readonly #identifiers: Identifier[] = []
  #blockTimestamps: Float64Array
  #starts: Float64Array
  #ends: Float64Array
  #exhausted: Bits
  #active: Active | undefined

  /** @param room for about as many campaigns; more is made when it is needed. */
  constructor(room: number) {
    const capacity = roomFor(room)
    this.all = emptyBits(capacity)
    this.ending = emptyBits(capacity)
    this.#keys = new Float64Array(capacity)
    this.#coreNumberOf = new Int32Array(capacity)
    this.#blockTimestamps = new Float64Array(capacity)
    this.#starts = new Float64Array(capacity)
    this.#ends = new Float64Array(capacity)
    this.#exhausted = emptyBits(capacity)
    this.byAge = new SlotOrder((one, other) => this.#compareByAge(one, other))
    this.byEnd = new SlotOrder((one, other) => this.#compareByEnd(one, other))
  }

  get size() {
    return this.#slotsByKey.size
  }

  /** The number of slots that there is room for. */
  get capacity() {
    return this.#keys.length
  }

  /** The largest key that a campaign ever had: later ones have larger ones. */
  get newestKey() {
    return this.#newestKey
  }

  keyOf(slot: number) {
    return this.#keys[slot] as number
  }

  slotOf(key: number) {
    return this.#slotsByKey.get(key)
  }

  /** The slot of a campaign ID, lower-case. */
  slotOfId(id: string) {
    const { place, identifier } = splitId(id)
    const core = this.#coreNumbers.get(place)
    return core === undefined ? undefined : this.#slotsByIdentifier[core]?.get(identifier)
  }

  sortValuesOf(slot: number): SortValues {
    const core = this.#coreNumberOf[slot] as number
    return {
      blockTimestamp: this.#blockTimestamps[slot] as number,
      endsAt: this.#ends[slot] as number,
      chain: this.#chains[core] as number,
      core: this.#cores[core] as string,
      identifier: this.#identifiers[slot] as Identifier,
    }
  }

  /** The campaigns that are active at an instant, in milliseconds since 1970. All are looked at only when one has started or ended. */
  activeAt(instant: number): Bits {
    if (this.#active !== undefined && this.#active.since <= instant && instant < this.#active.until) {
      return this.#active.bits
    }
    const active = this.#findActive(instant)
    // The instants of walks are in the past.
    if (this.#active === undefined || instant >= this.#active.until) this.#active = active
    return active.bits
  }

  /**
   * Adds, replaces and removes campaigns.
   * @param removed keys.
   * @returns the slots of the changed campaigns, in their order, and those that have become free.
   */
  apply(campaigns: readonly IndexedCampaign[], removed: readonly number[]) {
    const freed = removed.flatMap((key) => this.#slotsByKey.get(key) ?? [])
    const replaced = campaigns.map(({ key }) => this.#slotsByKey.get(key))
    // Most of the campaigns that change stay where they are.
    const staysByAge = campaigns.map(
      ({ blockTimestamp }, nth) => this.#blockTimestamps[replaced[nth] ?? -1] === blockTimestamp,
    )
    const staysByEnd = campaigns.map(
      ({ endsAt }, nth) => staysByAge[nth] === true && this.#ends[replaced[nth] ?? -1] === endsAt,
    )
    const there = (slot: number | undefined) => slot ?? []
    this.byAge.remove([...freed, ...replaced.filter((_, nth) => !staysByAge[nth]).flatMap(there)])
    this.byEnd.remove(this.#ending([...freed, ...replaced.filter((_, nth) => !staysByEnd[nth]).flatMap(there)]))
    for (const slot of [...freed, ...replaced.flatMap(there)]) if (this.#active) clearBit(this.#active.bits, slot)
    for (const slot of freed) this.#free(slot)
    const slots = campaigns.map((campaign, nth) => replaced[nth] ?? this.#takeSlot(campaign))
    for (const [nth, campaign] of campaigns.entries()) this.#write(slots[nth] as number, campaign)
    this.byAge.add(slots.filter((_, nth) => !staysByAge[nth]))
    this.byEnd.add(this.#ending(slots.filter((_, nth) => !staysByEnd[nth])))
    return { slots, freed }
  }

  #compareByAge(one: number, other: number) {
    return (
      (this.#blockTimestamps[other] as number) - (this.#blockTimestamps[one] as number) || this.#compareIds(one, other)
    )
  }

  #compareByEnd(one: number, other: number) {
    return (this.#ends[one] as number) - (this.#ends[other] as number) || this.#compareByAge(one, other)
  }

  #compareIds(one: number, other: number) {
    const [core, otherCore] = [this.#coreNumberOf[one] as number, this.#coreNumberOf[other] as number]
    if (core !== otherCore) {
      return (
        (this.#chains[core] as number) - (this.#chains[otherCore] as number) ||
        compareTexts(this.#cores[core] as string, this.#cores[otherCore] as string)
      )
    }
    return compareIdentifiers(this.#identifiers[one] as Identifier, this.#identifiers[other] as Identifier)
  }

  #ending(slots: readonly number[]) {
    return slots.filter((slot) => hasBit(this.ending, slot))
  }

  #takeSlot({ key, id }: IndexedCampaign) {
    const slot = this.#freeSlots.pop() ?? this.#usedSlots++
    if (slot >= this.capacity) this.#grow()
    const { place, chain, core, identifier } = splitId(id)
    let coreNumber = this.#coreNumbers.get(place)
    if (coreNumber === undefined) {
      coreNumber = this.#cores.length
      this.#coreNumbers.set(detached(place), coreNumber)
      this.#chains.push(chain)
      this.#cores.push(detached(core))
      this.#slotsByIdentifier.push(new Map())
    }
    this.#keys[slot] = key
    this.#newestKey = Math.max(this.#newestKey, key)
    this.#slotsByKey.set(key, slot)
    this.#coreNumberOf[slot] = coreNumber
    const own = typeof identifier === 'string' ? detached(identifier) : identifier
    this.#identifiers[slot] = own
    this.#slotsByIdentifier[coreNumber]?.set(own, slot)
    setBit(this.all, slot)
    return slot
  }

  #write(slot: number, { blockTimestamp, startsAt, endsAt, isExhausted }: IndexedCampaign) {
    this.#blockTimestamps[slot] = blockTimestamp
    this.#starts[slot] = startsAt
    this.#ends[slot] = endsAt
    putBit(this.ending, slot, endsAt !== Number.POSITIVE_INFINITY)
    putBit(this.#exhausted, slot, isExhausted)
    const active = this.#active
    if (active === undefined) return
    if (!isExhausted && startsAt <= active.since && endsAt > active.since) setBit(active.bits, slot)
    for (const change of [startsAt, endsAt]) {
      if (change > active.since && change < active.until) active.until = change
    }
  }

  #free(slot: number) {
    this.#slotsByKey.delete(this.keyOf(slot))
    this.#slotsByIdentifier[this.#coreNumberOf[slot] as number]?.delete(this.#identifiers[slot] as Identifier)
    this.#identifiers[slot] = 0
    this.#starts[slot] = Number.POSITIVE_INFINITY
    this.#ends[slot] = Number.NEGATIVE_INFINITY
    clearBit(this.all, slot)
    clearBit(this.ending, slot)
    this.#freeSlots.push(slot)
  }

  #findActive(instant: number): Active {
    const bits = emptyBits(this.capacity)
    let until = Number.POSITIVE_INFINITY
    for (let slot = 0; slot < this.#usedSlots; slot += 1) {
      const [start, end] = [this.#starts[slot] as number, this.#ends[slot] as number]
      if (start > instant) {
        if (start < until) until = start
        if (end > instant && end < until) until = end
      } else if (end > instant) {
        if (end < until) until = end
        bits[slot >>> 5] = (bits[slot >>> 5] as number) | (1 << (slot & 31))
      }
    }
    for (let word = 0; word < bits.length; word += 1) {
      bits[word] = (bits[word] as number) & (this.all[word] as number) & ~(this.#exhausted[word] as number)
    }
    return { bits, since: instant, until }
  }

  #grow() {
    const capacity = roomFor(this.capacity)
    this.all = grown(this.all, emptyBits(capacity))
    this.ending = grown(this.ending, emptyBits(capacity))
    this.#exhausted = grown(this.#exhausted, emptyBits(capacity))
    this.#keys = grown(this.#keys, new Float64Array(capacity))
    this.#coreNumberOf = grown(this.#coreNumberOf, new Int32Array(capacity))
    this.#blockTimestamps = grown(this.#blockTimestamps, new Float64Array(capacity))
    this.#starts = grown(this.#starts, new Float64Array(capacity))
    this.#ends = grown(this.#ends, new Float64Array(capacity))
    if (this.#active !== undefined) this.#active.bits = grown(this.#active.bits, emptyBits(capacity))
  }
}

/** Some more than there are, in whole words of bits. */
const roomFor = (count: number) => Math.ceil((count * 1.1 + 1024) / 32) * 32

function splitId(id: string) {
  const [afterChain, beforeIdentifier] = [id.indexOf(':'), id.lastIndexOf(':')]
  return {
    place: id.slice(0, beforeIdentifier),
    chain: Number(id.slice(0, afterChain)),
    core: id.slice(afterChain + 1, beforeIdentifier),
    identifier: toIdentifier(id.slice(beforeIdentifier + 1)),
  }
}

/** As numbers: those that are texts are larger than all others. */
function compareIdentifiers(one: Identifier, other: Identifier) {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  const [text, otherText] = [String(one), String(other)]
  return text.length - otherText.length || compareTexts(text, otherText)
}

const compareTexts = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

/** Whether one is before the other in the order of pages: negative, or behind it: positive. */
export const compareSortValues = (one: SortValues, other: SortValues) =>
  compareEnds(one.endsAt, other.endsAt) ||
  other.blockTimestamp - one.blockTimestamp ||
  one.chain - other.chain ||
  compareTexts(one.core, other.core) ||
  compareIdentifiers(one.identifier, other.identifier)

/** Both may be infinite. */
const compareEnds = (one: number, other: number) => (one === other ? 0 : one - other)

/** A text of its own: a part of another one keeps that in memory. */
export const detached = (text: string) => Buffer.from(text).toString()
