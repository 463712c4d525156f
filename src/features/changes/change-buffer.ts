import type { ChangePage } from '../../read-models/changes/read.ts'
import type { Change } from '../../schemas/changes.ts'
import type { ListChangesQuery } from './change-schemas.ts'

export interface ChangeFilter {
  passes: (change: Change) => boolean
  /** The same for all that pass the same changes. */
  key: string
  passesAll: boolean
}

export function createFilter({ kind, campaignId, chainId }: ListChangesQuery): ChangeFilter {
  return {
    passes: (change) =>
      change.kind === 'reset' ||
      ((kind?.includes(change.kind) ?? true) &&
        (campaignId?.includes(change.campaignId ?? change.claim?.campaignId ?? '') ?? true) &&
        (chainId?.includes(change.chainId) ?? true)),
    key: JSON.stringify([kind, campaignId, chainId]),
    passesAll: [kind, campaignId, chainId].every((filter) => filter === undefined),
  }
}

/** Bytes of events that are buffered. */
const MAX_BYTES = 2 * 1024 * 1024

/** Maximum number of cursors that are buffered: more than there are changes, since commits may have none. */
const MAX_CURSORS = 50_000

/** Maximum number of changes in a slice. */
export const SLICE = 100

/**
 * Maximum number of slices that are cached, and of filters whose events a slice caches; then all are made anew. Where nothing
 * changes, nothing else ends them: some 5 MB of events in all.
 */
const [MAX_SLICES, MAX_FILTERS] = [16, 4]

const toEvent = (change: Change) => `id: ${change.cursor}\nevent: ${change.kind}\ndata: ${JSON.stringify(change)}\n\n`

/** A page of changes with its server-sent events, which are serialized once for all streams with the same filter. */
export class ChangeSlice {
  readonly page: ChangePage
  /** The event of each change, once it has been serialized. */
  #texts: readonly string[] | undefined
  readonly #events = new Map<string, Buffer>()

  constructor(page: ChangePage, texts?: readonly string[]) {
    this.page = page
    this.#texts = texts
  }

  eventsOf({ key, passes }: ChangeFilter) {
    const known = this.#events.get(key)
    if (known !== undefined) return known
    const texts = this.#serialize()
    const events = Buffer.from(
      this.page.changes.flatMap((change, index) => (passes(change) && texts[index]) || []).join(''),
    )
    if (this.#events.size >= MAX_FILTERS) this.#events.clear()
    this.#events.set(key, events)
    return events
  }

  /** What of it comes after one of its changes; undefined where nothing does, or the cursor is of none of them. */
  after(cursor: string) {
    const { changes, ...page } = this.page
    const start = changes.findIndex((change) => change.cursor === cursor) + 1
    if (start === 0 || start === changes.length) return undefined
    return new ChangeSlice({ ...page, changes: changes.slice(start) }, this.#serialize().slice(start))
  }

  #serialize() {
    this.#texts ??= this.page.changes.map(toEvent)
    return this.#texts
  }
}

/** The newest changes of a process, without gaps. */
export class ChangeBuffer {
  /** Bytes of all events that were ever added. */
  bytes = 0
  /** The cursor of the newest change; undefined where nothing is buffered. */
  newest: string | undefined
  /** Each with the bytes of all events up to and including its own. */
  #entries: { change: Change; event: string; end: number }[] = []
  /** How many were dropped. */
  #dropped = 0
  /** How many had been added when a cursor was the newest; the oldest cursor first. */
  readonly #counts = new Map<string, number>()
  readonly #slices = new Map<string, ChangeSlice>()

  clear() {
    this.newest = undefined
    this.#entries = []
    this.#dropped = 0
    this.#counts.clear()
    this.#slices.clear()
  }

  /** Adds what follows the newest change, and drops the oldest. */
  add({ changes, next }: ChangePage) {
    this.#slices.clear()
    for (const change of changes) {
      const event = toEvent(change)
      this.bytes += event.length
      this.#entries.push({ change, event, end: this.bytes })
      this.#counts.set(change.cursor, this.#dropped + this.#entries.length)
    }
    this.newest = next
    this.#counts.set(next, this.#dropped + this.#entries.length)
    let surplus = 0
    while (this.bytes - (this.#entries[surplus]?.end ?? this.bytes) > MAX_BYTES) surplus += 1
    this.#entries.splice(0, surplus)
    this.#dropped += surplus
    for (const [cursor, count] of this.#counts) {
      if (count >= this.#dropped && this.#counts.size <= MAX_CURSORS) break
      this.#counts.delete(cursor)
    }
  }

  /** The changes after a cursor; undefined where they are not buffered. */
  after(cursor: string): ChangeSlice | undefined {
    const known = this.#slices.get(cursor)
    if (known !== undefined) return known
    const count = this.#counts.get(cursor)
    if (count === undefined || count < this.#dropped) return undefined
    // Followers at different cursors soon share slices, which end where the count is a multiple.
    const end = (Math.floor(count / SLICE) + 1) * SLICE
    const entries = this.#entries.slice(count - this.#dropped, end - this.#dropped)
    const changes = entries.map(({ change }) => change)
    const hasMore = end < this.#dropped + this.#entries.length
    const next = (hasMore ? changes.at(-1)?.cursor : this.newest) ?? cursor
    const texts = entries.map(({ event }) => event)
    const slice = new ChangeSlice({ changes, next, hasMore }, texts)
    if (this.#slices.size >= MAX_SLICES) this.#slices.clear()
    this.#slices.set(cursor, slice)
    return slice
  }
}
