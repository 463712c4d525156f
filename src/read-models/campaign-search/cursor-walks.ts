/** The walk of a page: its beginning, and its position. */
export interface Walk {
  /** Starts and ends are judged as of its beginning. */
  instant: Date
  /**
   * Empty until it begins: then revision, state of the lists and newest key of its beginning, and the last position.
   */
  state: Record<string, string>
}

/** What a page returns about its walk. */
export interface WalkedPage {
  began: number | string
  lists: string
  newest: number | string
  /** Whether lists have changed since it began. */
  changed: 'yes' | 'no' | 'unknown'
  /** The position of the next page; null on the last. */
  place: { later: number; ends: string; age: number; chain: number; core: string; identifier: string } | null
}

/**
 * The position of a walk in a cursor: instant, revision, state of the lists and newest key of its beginning; then for
 * the last campaign whether it came after the active ones, its end (empty if that does not count), block timestamp and
 * ID.
 */
export const WALK_PLACE =
  /^(\d{1,13}) (\d{1,15}) ([0-9a-f-]{36}) (\d{1,15}) ([01]) (-?\d{1,15}|) (\d{1,12}) (\d{1,16}) (0x[0-9a-f]{40}) (\d{1,78})$/

/** The limits of an instant, in milliseconds since 1970: of the years 1 and 9999. */
const [MIN_INSTANT, MAX_INSTANT] = [-62_135_596_800_000, 253_402_300_799_999]

const toInstant = (text: string) => new Date(Math.min(Math.max(Number(text), MIN_INSTANT), MAX_INSTANT))

/** The walk of a cursor. */
export function toWalk([instant = '', ...values]: readonly string[]): Walk {
  const [began = '', lists = '', newest = '', later = '', end, timestamp, chain = '', core = '', identifier = ''] =
    values
  const ends = end ? toInstant(end).toISOString() : 'infinity'
  const state = { began, lists, newest, later, ends, age: String(-Number(timestamp)), chain, core, identifier }
  return { instant: toInstant(instant), state }
}

/** The position of a walk after a page; undefined if that was the last. */
export function toWalkPlace(instant: Date, { began, lists, newest, place }: WalkedPage) {
  if (place === null) return undefined
  const { later, ends, age, chain, core, identifier } = place
  const end = ends === 'infinity' ? '' : Date.parse(ends)
  return [instant.getTime(), began, lists, newest, later, end, -age, chain, core, identifier]
}
