import { createSerialQueue } from '../../database/serial-queue.ts'
import type { ChangePage, ChangeReader } from '../../read-models/changes/read.ts'
import { createKeptChanges, type FeedEntry, MAX_WAITING_BYTES, toEntry } from './kept-changes.ts'

/*
 * One reader of the database for all who follow the changes in a process. It keeps the newest changes; each follower takes
 * what comes after its cursor from there as fast as it can, or, if that is too long ago, page by page from the database.
 */

/** Who follows the changes. */
interface Follower {
  /** Ends it. */
  signal: AbortSignal
  /** Called where more waits for it than may. */
  onSlow: () => void
}

export interface ChangeFeed {
  /** How many follow. */
  readonly size: number
  /**
   * The changes after a cursor, in order, until the signal or the feed ends; now and then nothing, as a sign of life. Ends
   * too where the history of the cursor is lost.
   */
  follow(after: string, follower: Follower): AsyncGenerator<readonly FeedEntry[]>
  /** Ends all who follow, each after what it was given. */
  close(): void
}

/** How often it is looked for changes while anybody follows, and where there are more already. */
const POLL_INTERVAL_MS = 250
const NEXT_PAGE_MS = 50

/** Changes that are read at once. */
const PAGE = 1000

/** Changes that are given at once. */
const PORTION = 100

/** A sign of life: well below the time after which proxies give up. */
const SIGN_MS = 10_000

interface Place {
  cursor: string
  /** Where the event of the cursor ends; undefined as long as the newest change has not been given. */
  end: number | undefined
  follower: Follower
}

export function createChangeFeed(reader: ChangeReader): ChangeFeed {
  const places = new Set<Place>()
  const inTurn = createSerialQueue()
  const kept = createKeptChanges()
  const news = createNews()
  let isClosed = false
  let isPolling = false

  function admit({ changes, next }: ChangePage) {
    if (changes.length === 0) return
    kept.add(changes, next)
    for (const place of places) {
      if (place.end !== undefined && kept.end - place.end > MAX_WAITING_BYTES) place.follower.onSlow()
    }
    news.wakeAll()
  }

  /** Looks for changes as long as anybody follows. While nobody does, what is kept grows old. */
  async function poll() {
    if (isPolling) return
    isPolling = true
    kept.clear()
    while (places.size > 0 && !isClosed) {
      let hasMore = false
      try {
        const page = await inTurn(() => reader.read(kept.cursor, PAGE))
        if (kept.cursor === undefined && page !== undefined) kept.add([], page.next)
        else if (page !== undefined) admit(page)
        else {
          // The history is another one: each follower finds out about its own cursor.
          kept.clear()
          news.wakeAll()
        }
        hasMore = page?.hasMore ?? false
      } catch {
        // The database is away; so are responses, which say so.
      }
      await sleep(hasMore ? NEXT_PAGE_MS : POLL_INTERVAL_MS)
    }
    isPolling = false
  }

  async function* follow(after: string, follower: Follower) {
    const { signal } = follower
    const place: Place = { cursor: after, end: undefined, follower }
    places.add(place)
    void poll()
    try {
      while (!signal.aborted && !isClosed) {
        const since = news.count
        const known = kept.after(place.cursor)
        if (known === undefined) place.end = undefined
        else if (known.entries.length === 0) place.end = known.end
        const entries = known?.entries ?? (await inTurn(() => reader.read(place.cursor, PAGE)))?.changes.map(toEntry)
        // The history is lost.
        if (entries === undefined) return
        if (entries.length === 0 && (await news.wait(since, signal))) yield []
        for (let start = 0; start < entries.length; start += PORTION) {
          const portion = entries.slice(start, start + PORTION)
          yield portion
          place.cursor = portion.at(-1)?.change.cursor ?? place.cursor
          if (place.end !== undefined) place.end = portion.at(-1)?.end ?? place.end
          if (signal.aborted || isClosed) return
        }
      }
    } finally {
      places.delete(place)
    }
  }

  return {
    get size() {
      return places.size
    },
    follow,
    close() {
      isClosed = true
      news.wakeAll()
    },
  }
}

/** Wakes all who wait for news. */
function createNews() {
  const waiting = new Set<() => void>()
  let count = 0
  return {
    get count() {
      return count
    },
    wakeAll() {
      count += 1
      for (const goOn of waiting) goOn()
    },
    /** Waits for news since there were so many: whether there are none for so long that a sign of life is due. */
    wait: (since: number, signal: AbortSignal) =>
      new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => end(true), SIGN_MS)
        const goOn = () => end(false)
        function end(quiet: boolean) {
          clearTimeout(timer)
          waiting.delete(goOn)
          signal.removeEventListener('abort', goOn)
          resolve(quiet)
        }
        waiting.add(goOn)
        signal.addEventListener('abort', goOn)
        if (signal.aborted || count !== since) goOn()
      }),
  }
}

const sleep = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms).unref()
  })
