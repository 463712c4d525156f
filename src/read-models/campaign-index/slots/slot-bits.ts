/** A set of slots: bit n is slot n. Signed, because the engine computes with 32-bit integers. */
export type Bits = Int32Array

export const emptyBits = (capacity: number): Bits => new Int32Array((capacity + 31) >>> 5)

export const hasBit = (bits: Bits, slot: number) => (((bits[slot >>> 5] as number) >>> (slot & 31)) & 1) === 1

export function setBit(bits: Bits, slot: number) {
  bits[slot >>> 5] = (bits[slot >>> 5] as number) | (1 << (slot & 31))
}

export function clearBit(bits: Bits, slot: number) {
  bits[slot >>> 5] = (bits[slot >>> 5] as number) & ~(1 << (slot & 31))
}

export function putBit(bits: Bits, slot: number, isSet: boolean) {
  if (isSet) setBit(bits, slot)
  else clearBit(bits, slot)
}

/** The slots in both; both are of one capacity. */
export function intersection(some: Bits, others: Bits): Bits {
  const both = new Int32Array(some.length)
  for (let word = 0; word < both.length; word += 1) both[word] = (some[word] as number) & (others[word] as number)
  return both
}

/** The slots that are in the first only. */
export function difference(some: Bits, others: Bits): Bits {
  const rest = new Int32Array(some.length)
  for (let word = 0; word < rest.length; word += 1) rest[word] = (some[word] as number) & ~(others[word] as number)
  return rest
}

export function addAll(bits: Bits, others: Bits) {
  for (let word = 0; word < bits.length; word += 1) bits[word] = (bits[word] as number) | (others[word] as number)
}

export function countBits(bits: Bits) {
  let count = 0
  for (let word = 0; word < bits.length; word += 1) count += onesOf(bits[word] as number)
  return count
}

/** The number of slots in both. */
export function countCommon(some: Bits, others: Bits) {
  let count = 0
  for (let word = 0; word < some.length; word += 1) count += onesOf((some[word] as number) & (others[word] as number))
  return count
}

/** The slots of a set that has `count` of them, ascending. */
export function slotsOf(bits: Bits, count: number): Int32Array {
  const slots = new Int32Array(count)
  let found = 0
  for (let word = 0; found < count; word += 1) {
    for (let rest = bits[word] as number; rest !== 0; rest &= rest - 1) {
      slots[found] = (word << 5) + 31 - Math.clz32(rest & -rest)
      found += 1
    }
  }
  return slots
}

/** The number of ones of a word: sums of neighbours, in parallel. */
function onesOf(word: number) {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** The values of an array in a larger one. */
export function grown<Values extends Int32Array | Float64Array>(values: Values, larger: Values): Values {
  larger.set(values)
  return larger
}
