import type { WalkPlace } from './campaign-index.ts'
import { toIdentifier } from './slots/campaign-slots.ts'

/** The walk of a request. */
export interface Walk {
  /** Starts and ends are judged as of its beginning. */
  instant: Date
  /** Absent until it begins. */
  state?: WalkState
}

/** Revision, state of the lists and newest key of its beginning, and its last campaign. */
interface WalkState {
  began: number
  lists: string
  newest: number
  place: WalkPlace
}

/** A page of a walk: how it stands, and whether lists have changed since it began. */
export interface WalkedPage extends Omit<WalkState, 'place'> {
  changed: 'yes' | 'no' | 'unknown'
  /** Null on the last page. */
  place: WalkPlace | null
}

/**
 * The position of a walk in a cursor: instant, revision, state of the lists and newest key of its beginning; then for
 * the last campaign whether it came after the active ones, its end (empty if that does not count), block timestamp and
 * ID.
 */
export const WALK_POSITION =
  /^(\d{1,13}) (\d{1,15}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) (\d{1,15}) ([01]) (-?\d{1,15}|) (\d{1,12}) (\d{1,16}) (0x[0-9a-f]{40}) (\d{1,78})$/

/** The limits of an instant, in milliseconds since 1970: of the years 1 and 9999. */
const [MIN_INSTANT, MAX_INSTANT] = [-62_135_596_800_000, 253_402_300_799_999]

const toInstant = (text: string) => new Date(Math.min(Math.max(Number(text), MIN_INSTANT), MAX_INSTANT))

/** The walk of a cursor. */
export function toWalk([instant = '', ...values]: readonly string[]): Walk {
  const [began = '', lists = '', newest = '', later = '', end, timestamp, chain = '', core = '', identifier = ''] =
    values
  const place: WalkPlace = {
    later: later === '1' ? 1 : 0,
    endsAt: end ? toInstant(end).getTime() : Number.POSITIVE_INFINITY,
    blockTimestamp: Number(timestamp),
    chain: Number(chain),
    core,
    identifier: toIdentifier(identifier),
  }
  return { instant: toInstant(instant), state: { began: Number(began), lists, newest: Number(newest), place } }
}

/** The position of a walk after a page; undefined if that was the last. */
export function toWalkPosition(instant: Date, { began, lists, newest, place }: WalkedPage) {
  if (place === null) return undefined
  const { later, endsAt, blockTimestamp, chain, core, identifier } = place
  const end = endsAt === Number.POSITIVE_INFINITY ? '' : endsAt
  return [instant.getTime(), began, lists, newest, later, end, blockTimestamp, chain, core, identifier]
}
