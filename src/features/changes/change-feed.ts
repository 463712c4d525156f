import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { coalesceNext } from '../../database/connection/single-flight.ts'
import { createSerialQueue } from '../../database/serial-queue.ts'
import { TooManyStreamsError } from '../../http/request/errors/errors.ts'
import type { ChangeReader } from '../../read-models/changes/read.ts'
import { ChangeBuffer, ChangeSlice, SLICE } from './change-buffer.ts'

/** How often the feed polls the database while it has followers, and where there is more. */
const POLL_INTERVAL_MS = 250
const NEXT_PAGE_MS = 50

/** Maximum number of changes of a poll. */
const PAGE = 1000

/** How often idle streams send something: well below the idle timeout of proxies. */
const HEARTBEAT_MS = 10_000

interface FeedEvents {
  /** There are new changes, or the feed has ended. */
  news: []
  heartbeat: []
}

/**
 * The one reader of the database for all who follow the changes in a process: it polls while there are followers, and
 * buffers the newest changes. A follower whose cursor is not buffered reads page by page, one query at a time.
 */
export class ChangeFeed extends EventEmitter<FeedEvents> {
  /** How many follow. */
  size = 0
  readonly buffer = new ChangeBuffer()
  /** The cursor of now: one query for all that ask together. */
  readonly now: () => Promise<ChangeSlice>
  readonly #reader: ChangeReader
  readonly #maxFollowers: number
  readonly #inTurn = createSerialQueue()
  /** Queries under way, by their cursors. */
  readonly #reads = new Map<string, Promise<ChangeSlice | undefined>>()
  readonly #closing = new AbortController()
  #isPolling = false

  constructor(reader: ChangeReader, maxFollowers: number) {
    super()
    this.setMaxListeners(0)
    this.#reader = reader
    this.#maxFollowers = maxFollowers
    const readNow = coalesceNext(() => reader.read(undefined, 0))
    this.now = async () => {
      const page = await readNow()
      if (page === undefined) throw new TypeError('there is no cursor of now')
      return new ChangeSlice(page)
    }
  }

  get isClosed() {
    return this.#closing.signal.aborted
  }

  /**
   * Counts a follower, for which the feed polls.
   * @returns what ends that, once.
   * @throws TooManyStreamsError
   */
  join() {
    if (this.size >= this.#maxFollowers) throw new TooManyStreamsError()
    this.size += 1
    if (!this.#isPolling) void this.#poll()
    let hasLeft = false
    return () => {
      if (!hasLeft) this.size -= 1
      hasLeft = true
    }
  }

  /**
   * Some changes after a cursor, from the buffer or by a query that all at this cursor share; undefined where the history
   * of the cursor is lost.
   * @throws MalformedCursorError
   */
  async after(cursor: string) {
    const buffered = this.buffer.after(cursor)
    if (buffered !== undefined) return buffered
    const read =
      this.#reads.get(cursor) ??
      this.#inTurn(() => this.#reader.read(cursor, SLICE))
        .then((page) => page && new ChangeSlice(page))
        .finally(() => this.#reads.delete(cursor))
    this.#reads.set(cursor, read)
    return read
  }

  /** Waits for new changes, the end of the feed, or the signal. */
  async news(signal: AbortSignal) {
    if (!this.isClosed) await once(this, 'news', { signal }).catch(() => undefined)
  }

  /** Ends all followers, each after what it was given. */
  close() {
    this.#closing.abort()
    this.emit('news')
  }

  async #poll() {
    this.#isPolling = true
    // Nothing was added while nobody followed.
    this.buffer.clear()
    let beatAt = performance.now()
    while (this.size > 0 && !this.isClosed) {
      // The database is away: so are responses, which say so.
      const hasMore = await this.#readNext().catch(() => false)
      if (performance.now() - beatAt > HEARTBEAT_MS) {
        beatAt = performance.now()
        this.emit('heartbeat')
      }
      const pauseMs = hasMore ? NEXT_PAGE_MS : POLL_INTERVAL_MS
      await sleep(pauseMs, undefined, { ref: false, signal: this.#closing.signal }).catch(() => undefined)
    }
    this.#isPolling = false
  }

  /** Whether there is more. */
  async #readNext() {
    const page = await this.#inTurn(() => this.#reader.read(this.buffer.newest, PAGE))
    if (page === undefined) {
      // The history is another one: each follower finds out about its own cursor.
      this.buffer.clear()
    } else {
      if (page.next === this.buffer.newest) return false
      this.buffer.add(page)
    }
    this.emit('news')
    return page?.hasMore ?? false
  }
}
