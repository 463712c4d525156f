import { distance } from 'fastest-levenshtein'

/** A longer name is not compared. */
const MAX_LENGTH = 64

/**
 * The known name that an unknown one was probably meant to be, regardless of case. Undefined if they differ in more
 * than a third of the letters of the shorter one, or in more than `maxLetters`: a wrong suggestion is worse than none.
 */
export function nearestName(name: string, known: readonly string[], maxLetters = MAX_LENGTH): string | undefined {
  if (name.length > MAX_LENGTH) return undefined
  const distances = known.map((candidate) => distance(name.toLowerCase(), candidate.toLowerCase()))
  const least = Math.min(...distances)
  const nearest = known[distances.indexOf(least)] ?? ''
  const shorter = Math.min(name.length, nearest.length)
  return least <= Math.min(maxLetters, Math.max(1, Math.floor(shorter / 3))) ? nearest : undefined
}
