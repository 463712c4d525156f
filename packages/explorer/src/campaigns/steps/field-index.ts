import { ordinal } from '../prose.ts'

/* What the index of a field means where it is more than its place: clients of the protocol reserve some values. */

/** As the field of the claimant: the sender of the transaction. Of a step: no field. Of an amount: what is paid for gas. */
export const RESERVED_INDEX = 255

const BITS = 6
const END = 63
const MAX_DEPTH = 5

/** The places that the index of a tuple consists of, from the outside in; empty if it is none. */
export function toTuplePath(fieldIndex: number): number[] {
  if (fieldIndex < 0 || fieldIndex >= 2 ** (BITS * MAX_DEPTH)) return []
  const places = Array.from({ length: MAX_DEPTH }, (_, depth) => (fieldIndex >> (BITS * depth)) & END)
  const end = places.indexOf(END)
  return end < 0 ? places : places.slice(0, end)
}

/** The places of an amount. @param isScaled whether its criteria say how to scale it, as later contracts have them. */
export function toAmountPath(fieldIndex: number, isScaled: boolean): number[] {
  if (fieldIndex > RESERVED_INDEX) return toTuplePath(fieldIndex)
  // Earlier contracts have 8 bits: two places are packed above all places that a field can have.
  const packed = fieldIndex - 32
  return isScaled || packed < 0 || fieldIndex > 253 ? [fieldIndex] : [packed >> 4, packed & 15]
}

/** `2nd value in the 3rd field`. @param what a place on the outside is one of. @param article of it. */
export function pathWords([outer = 0, ...inner]: readonly number[], what: string, article = 'the'): string {
  return inner.reduce(
    (words, place, depth) => `${ordinal(place + 1)} value in ${depth === 0 ? article : 'the'} ${words}`,
    `${ordinal(outer + 1)} ${what}`,
  )
}
