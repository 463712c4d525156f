/** What a page of a walk through campaigns is asked for by: the walk as it was when it began, and where it is. */
export interface Walk {
  /** Starts and ends are judged as of its beginning. */
  instant: Date
  /** Nothing as long as it is to begin: its revision, state of the lists and newest key then, and the last position. */
  state: Record<string, string>
}

/** What a page says of its walk. */
export interface WalkedPage {
  began: number | string
  lists: string
  newest: number | string
  /** Whether lists have changed since it began. */
  changed: 'yes' | 'no' | 'unknown'
  /** Where the next page goes on; null on the last. */
  place: { later: number; ends: string; age: number; chain: number; core: string; identifier: string } | null
}

/**
 * Where a walk goes on, as a cursor has it: instant, revision, state of the lists and newest key of its beginning; then of the
 * last campaign whether it came after the active ones, its end (empty: none that counts), block timestamp and ID.
 */
export const WALK_PLACE =
  /^(\d{1,13}) (\d{1,15}) ([0-9a-f-]{36}) (\d{1,15}) ([01]) (-?\d{1,15}|) (\d{1,12}) (\d{1,16}) (0x[0-9a-f]{40}) (\d{1,78})$/

/** The ends of what an instant can be, in milliseconds since 1970: of the years 1 and 9999. */
const [MIN_INSTANT, MAX_INSTANT] = [-62_135_596_800_000, 253_402_300_799_999]

const toInstant = (text: string) => new Date(Math.min(Math.max(Number(text), MIN_INSTANT), MAX_INSTANT))

/** The walk that a cursor stands for. */
export function toWalk([instant = '', ...values]: readonly string[]): Walk {
  const [began = '', lists = '', newest = '', later = '', end, timestamp, chain = '', core = '', identifier = ''] =
    values
  const ends = end ? toInstant(end).toISOString() : 'infinity'
  const state = { began, lists, newest, later, ends, age: String(-Number(timestamp)), chain, core, identifier }
  return { instant: toInstant(instant), state }
}

/** Where a walk goes on behind a page; undefined where that was the last. */
export function toWalkPlace(instant: Date, { began, lists, newest, place }: WalkedPage) {
  if (place === null) return undefined
  const { later, ends, age, chain, core, identifier } = place
  const end = ends === 'infinity' ? '' : Date.parse(ends)
  return [instant.getTime(), began, lists, newest, later, end, -age, chain, core, identifier]
}
