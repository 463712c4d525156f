import {
  addAll,
  type Bits,
  countBits,
  difference,
  emptyBits,
  hasBit,
  intersection,
  setBit,
  slotsOf,
} from './slot-bits.ts'

/**
 * Slots, each once: few of them in a list, in any order, many as bits. What is done with few takes time by their number, not by that
 * of all campaigns. Nobody changes a set that somebody else has made.
 */
export type SlotSet = readonly number[] | Bits

/** A list takes 64 bits for each of its slots, bits take one for each slot of all. */
export const BITS_PER_LISTED = 64

const isList = (set: SlotSet): set is readonly number[] => Array.isArray(set)
const isBits = (set: SlotSet): set is Bits => !isList(set)

/** The number of slots in a set. */
export const sizeOf = (set: SlotSet) => (isList(set) ? set.length : countBits(set))

/** The slots of a set of a known size, in any order. */
export const slotsIn = (set: SlotSet, size: number): Iterable<number> => (isList(set) ? set : slotsOf(set, size))

/** A set as bits, of those that an index has room for. */
export const bitsOf = (set: SlotSet, capacity: number): Bits => (isList(set) ? bitsOfAll([set], capacity) : set)

/** The slots in all of some sets. Few first: then nothing is made of the size of all campaigns. */
export function common(sets: readonly [SlotSet, ...SlotSet[]]): SlotSet {
  const [list, ...lists] = sets.filter(isList)
  const bits = sets.filter(isBits)
  if (list === undefined) return bits.reduce(intersection)
  return [...lists, ...bits].reduce((some, others) => some.filter(isIn(others)), list)
}

/** The slots that are in the first only. */
export function without(some: SlotSet, others: SlotSet): SlotSet {
  if (isBits(some) && isBits(others)) return difference(some, others)
  const isOther = isIn(others)
  return [...slotsIn(some, sizeOf(some))].filter((slot) => !isOther(slot))
}

/** The slots in any of several sets. */
export function union(sets: readonly SlotSet[], capacity: number): SlotSet {
  const [first = [], ...more] = sets
  if (more.length === 0) return first
  const lists = sets.filter(isList)
  const listed = lists.reduce((sum, { length }) => sum + length, 0)
  const isFew = lists.length === sets.length && listed * BITS_PER_LISTED <= capacity
  return isFew ? [...new Set(lists.flat())] : bitsOfAll(sets, capacity)
}

function bitsOfAll(sets: readonly SlotSet[], capacity: number) {
  const bits = emptyBits(capacity)
  for (const set of sets) {
    if (!isList(set)) addAll(bits, set)
    else for (const slot of set) setBit(bits, slot)
  }
  return bits
}

/** Whether slots are in a set. What that takes of a list is made when a slot is looked for: often none is. */
export function isIn(set: SlotSet) {
  if (!isList(set)) return (slot: number) => hasBit(set, slot)
  let slots: ReadonlySet<number> | undefined
  return (slot: number) => {
    slots ??= new Set(set)
    return slots.has(slot)
  }
}
