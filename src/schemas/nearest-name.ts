import { distance } from 'fastest-levenshtein'

/** A longer name is near none, and is not compared. */
const MAX_LENGTH = 64

/**
 * The known name that an unknown one was probably meant to be, whatever its case. Undefined if more than a third of its
 * letters differ from every known one: a wrong suggestion is worse than none.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined
  const distances = known.map((candidate) => distance(name.toLowerCase(), candidate.toLowerCase()))
  const least = Math.min(...distances)
  return least <= Math.max(1, Math.floor(name.length / 3)) ? known[distances.indexOf(least)] : undefined
}
