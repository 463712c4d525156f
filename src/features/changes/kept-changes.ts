import type { Change } from '../../schemas/changes.ts'

/** A change with its event, made once for all streams. */
export interface FeedEntry {
  change: Change
  event: string
  /** Bytes of all events up to and with this one. */
  end: number
}

/** Bytes that may wait for a follower who has come to the newest change once; and of changes that are kept. */
export const MAX_WAITING_BYTES = 1024 * 1024
const MAX_KEPT_BYTES = 2 * MAX_WAITING_BYTES

export const toEntry = (change: Change): FeedEntry => ({
  change,
  event: `id: ${change.cursor}\nevent: ${change.kind}\ndata: ${JSON.stringify(change)}\n\n`,
  end: 0,
})

/** The newest changes, one after the other, and where each stands. */
export function createKeptChanges() {
  let entries: FeedEntry[] = []
  /** Of the change before the first, and where it ends. */
  let first: { cursor: string; end: number } | undefined
  let end = 0
  /** By cursor, how many have been there before and with it. */
  const ordinals = new Map<string, number>()
  let dropped = 0

  return {
    /** Of the newest; undefined where nothing is known. */
    get cursor() {
      return entries.at(-1)?.change.cursor ?? first?.cursor
    },
    get end() {
      return end
    },
    clear() {
      entries = []
      first = undefined
      dropped = 0
      ordinals.clear()
    },
    /** @param next the cursor of the last. */
    add(changes: readonly Change[], next: string) {
      first ??= { cursor: next, end }
      for (const change of changes) {
        const entry = toEntry(change)
        end += entry.event.length
        entries.push({ ...entry, end })
        ordinals.set(change.cursor, dropped + entries.length)
      }
      let surplus = 0
      while (end - (entries[surplus]?.end ?? end) > MAX_KEPT_BYTES) surplus += 1
      for (const { change, end } of entries.splice(0, surplus)) {
        if (first !== undefined) ordinals.delete(first.cursor)
        first = { cursor: change.cursor, end }
      }
      dropped += surplus
    },
    /** What comes after a cursor, and where its own event ends; undefined where that is not known. */
    after(cursor: string) {
      if (cursor === first?.cursor) return { entries: entries.slice(), end: first.end }
      const ordinal = ordinals.get(cursor)
      if (ordinal === undefined) return undefined
      const index = ordinal - dropped
      return { entries: entries.slice(index), end: entries[index - 1]?.end ?? first?.end ?? 0 }
    },
  }
}
