import { detached } from './campaign-slots.ts'
import { type Bits, clearBit, countCommon, emptyBits, grown, hasBit, setBit, slotsOf } from './slot-bits.ts'
import { SlotLists } from './slot-lists.ts'
import { BITS_PER_LISTED, bitsOf, type SlotSet, slotsIn } from './slot-sets.ts'

/** The campaigns with a value: a `SlotSet` that changes. */
type Members = number[] | Bits

/** Bits become a list again with far fewer, so that they do not change to and fro. */
const BITS_PER_LISTED_AGAIN = 256

/** A longer list grows by half, a shorter one by what it needs: most have one or two. */
const MAX_EXACT_LENGTH = 32

/** From this share of all campaigns on, values are counted one by one instead of campaigns. */
const COUNTED_BY_CAMPAIGN = 1 / 32

/** A value that a facet has, and how many campaigns have it. */
export interface CountedValue {
  value: string
  count: number
}

/** What campaigns are found by: values of several kinds, each with its campaigns, and for each campaign its values. */
export class FacetValues {
  /** By `<kind> <value>`. */
  readonly #numbers = new Map<string, number>()
  readonly #names: string[] = []
  readonly #members: Members[] = []
  readonly #counts: number[] = []
  readonly #freeNumbers: number[] = []
  readonly #numbersOfKind = new Map<string, Set<number>>()
  readonly #lists: SlotLists
  #capacity: number

  /** @param counted the kinds whose values are counted. */
  constructor(capacity: number, counted: readonly string[]) {
    this.#capacity = capacity
    this.#lists = new SlotLists(capacity)
    for (const kind of counted) this.#numbersOfKind.set(kind, new Set())
  }

  resize(capacity: number) {
    if (capacity <= this.#capacity) return
    this.#capacity = capacity
    this.#lists.resize(capacity)
    for (const [number, members] of this.#members.entries()) {
      if (!Array.isArray(members)) this.#members[number] = grown(members, emptyBits(capacity))
    }
  }

  /** Gives a slot these values, `<kind> <value>`, and no others. */
  set(slot: number, names: readonly string[]) {
    const numbers: number[] = []
    for (const name of names) {
      const number = this.#numbers.get(name) ?? this.#assign(name)
      if (!numbers.includes(number)) numbers.push(number)
    }
    const before = this.#lists.of(slot)
    for (const number of numbers) if (!before.includes(number)) this.#add(number, slot)
    for (const number of before) if (!numbers.includes(number)) this.#remove(number, slot)
    this.#lists.set(slot, numbers)
  }

  /** The campaigns with a value, until the next change. */
  setOf(name: string): SlotSet {
    return this.#members[this.#numbers.get(name) ?? -1] ?? []
  }

  /**
   * The values of a counted kind that some campaigns have, with their numbers: of those of most campaigns at least
   * `wanted`, and one more if there is one.
   */
  countAmong(kind: string, set: SlotSet, matching: number, wanted: number): CountedValue[] {
    const numbers = this.#numbersOfKind.get(kind) ?? new Set<number>()
    const counts =
      matching < this.#capacity * COUNTED_BY_CAMPAIGN
        ? this.#countByCampaign(numbers, slotsIn(set, matching))
        : this.#countByValue(numbers, bitsOf(set, this.#capacity), wanted)
    return Array.from(counts, ([number, count]) => ({
      value: (this.#names[number] as string).slice(kind.length + 1),
      count,
    }))
  }

  #countByCampaign(numbers: ReadonlySet<number>, slots: Iterable<number>) {
    const counts = new Map<number, number>()
    for (const slot of slots) {
      this.#lists.forEach(slot, (number) => {
        if (numbers.has(number)) counts.set(number, (counts.get(number) ?? 0) + 1)
      })
    }
    return counts
  }

  /** Values of many campaigns first: then those of few that cannot be among the wanted need not be counted. */
  #countByValue(numbers: ReadonlySet<number>, bits: Bits, wanted: number) {
    const counts = new Map<number, number>()
    // Descending.
    const largest: number[] = []
    const keep = (number: number, count: number) => {
      if (count === 0) return
      counts.set(number, count)
      if (count <= (largest[wanted] ?? 0)) return
      largest.splice(largest.findLastIndex((other) => other >= count) + 1, 0, count)
      largest.length = Math.min(largest.length, wanted + 1)
    }
    const lists: [number: number, members: number[]][] = []
    for (const number of numbers) {
      const members = this.#members[number] as Members
      if (Array.isArray(members)) lists.push([number, members])
      else keep(number, countCommon(members, bits))
    }
    for (const [number, members] of lists) {
      if (members.length < (largest[wanted] ?? 0)) continue
      let count = 0
      for (const slot of members) if (hasBit(bits, slot)) count += 1
      keep(number, count)
    }
    return counts
  }

  #assign(text: string) {
    const name = detached(text)
    const number = this.#freeNumbers.pop() ?? this.#names.length
    this.#numbers.set(name, number)
    this.#names[number] = name
    this.#members[number] = []
    this.#counts[number] = 0
    this.#numbersOfKind.get(kindOf(name))?.add(number)
    return number
  }

  #add(number: number, slot: number) {
    const count = (this.#counts[number] as number) + 1
    this.#counts[number] = count
    const members = this.#members[number] as Members
    if (!Array.isArray(members)) setBit(members, slot)
    else if (count * BITS_PER_LISTED > this.#capacity) {
      const bits = emptyBits(this.#capacity)
      for (const member of members) setBit(bits, member)
      setBit(bits, slot)
      this.#members[number] = bits
    } else if (count > MAX_EXACT_LENGTH) members.push(slot)
    else this.#members[number] = [...members, slot]
  }

  #remove(number: number, slot: number) {
    const count = (this.#counts[number] as number) - 1
    this.#counts[number] = count
    const members = this.#members[number] as Members
    if (Array.isArray(members)) {
      members[members.indexOf(slot)] = members.at(-1) as number
      members.length -= 1
    } else {
      clearBit(members, slot)
      if (count * BITS_PER_LISTED_AGAIN < this.#capacity) this.#members[number] = [...slotsOf(members, count)]
    }
    if (count === 0) this.#forget(number)
  }

  #forget(number: number) {
    const name = this.#names[number] as string
    this.#numbers.delete(name)
    this.#numbersOfKind.get(kindOf(name))?.delete(number)
    this.#names[number] = ''
    this.#members[number] = []
    this.#freeNumbers.push(number)
  }
}

const kindOf = (name: string) => name.slice(0, name.indexOf(' '))
