import { EventEmitter } from 'node:events'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { createPacer } from 'reward-campaigns-strict-http/server/pacer'
import { TooManyStreamsError } from '../../http/service-errors.ts'
import { type ChangeReader, parseChangeCursor } from '../../read-models/changes/read.ts'
import { coalesceNext } from '../../single-flight.ts'
import { createTurns } from '../../turns.ts'
import { ChangeBuffer, ChangeSlice, SLICE } from './change-buffer.ts'

/** How often the feed polls the database while it has followers, and where there is more. */
const POLL_INTERVAL_MS = 250
const NEXT_PAGE_MS = 50

/** Maximum number of changes of a poll. */
const PAGE = 1000

/** How often streams send something, also where nothing passes: well below the idle timeout of proxies. */
const HEARTBEAT_MS = 10_000

/** How many followers are notified of news in one turn of the event loop: each may have events to render for a filter of its own. */
const NOTIFIED_AT_ONCE = 20

/** Those at one cursor that is not buffered, which wait for the changes after it. */
interface Late {
  position: [revision: number, position: number]
  slice: Promise<ChangeSlice | undefined>
  resolve: (slice: ChangeSlice | undefined) => void
  reject: (error: unknown) => void
}

interface FeedEvents {
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
  /** The cursor of now: one query for all that request it together. */
  readonly now: () => Promise<ChangeSlice>
  readonly #reader: ChangeReader
  readonly #maxFollowers: number
  /** Of each address how many follow. */
  readonly #followers = new Map<string, number>()
  /** Called when there are new changes, or the feed has ended. */
  readonly #listeners = new Set<() => void>()
  #isNotifying = false
  #hasNews = false
  readonly #inTurn = createTurns(1)
  /** Those that catch up, by cursor; the one that waits longest first. */
  readonly #late = new Map<string, Late>()
  #isOldestNext = false
  /** Lets some followers go on in each turn of the event loop. */
  readonly pace = createPacer(NOTIFIED_AT_ONCE)
  /** Other queries that wait for their turn. */
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
   * @param address of the client: one may have a tenth of the followers.
   * @returns what ends that, once.
   * @throws TooManyStreamsError
   */
  join(address: string) {
    const own = this.#followers.get(address) ?? 0
    const maxOwn = Math.max(1, Math.floor(this.#maxFollowers / 10))
    if (this.size >= this.#maxFollowers || own >= maxOwn) throw new TooManyStreamsError()
    this.size += 1
    this.#followers.set(address, own + 1)
    if (!this.#isPolling) void this.#poll()
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      this.size -= 1
      const left = (this.#followers.get(address) ?? 1) - 1
      if (left === 0) this.#followers.delete(address)
      else this.#followers.set(address, left)
    }
  }

  /** Calls the listener whenever there is news, until the returned function is called. */
  onNews(listener: () => void) {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Notifies some followers at a time, so that whatever else the process has to do comes in between. News meanwhile is told again. */
  async #notify() {
    this.#hasNews = true
    if (this.#isNotifying) return
    this.#isNotifying = true
    while (this.#hasNews) {
      this.#hasNews = false
      let notified = 0
      for (const listener of [...this.#listeners]) {
        if (this.#listeners.has(listener)) listener()
        notified += 1
        if (notified % NOTIFIED_AT_ONCE === 0) await nextTurn()
      }
    }
    this.#isNotifying = false
  }

  /**
   * Some changes after a cursor, from the buffer, or from a query that all share whose cursors it passes; undefined where
   * the history of the cursor is lost.
   * @throws MalformedCursorError
   */
  async after(cursor: string) {
    const buffered = this.buffer.after(cursor)
    if (buffered !== undefined) return buffered
    const slice = await this.#catchUp(cursor)
    // Hundreds may have waited for it, each with events to render for a filter of its own.
    await this.pace()
    return slice
  }

  #catchUp(cursor: string) {
    const known = this.#late.get(cursor)
    if (known !== undefined) return known.slice
    const { revision, position } = parseChangeCursor(cursor)
    const late = { position: [revision, position] } as Late
    late.slice = new Promise((resolve, reject) => Object.assign(late, { resolve, reject }))
    this.#late.set(cursor, late)
    void this.#inTurn(() => this.#readLate())
    return late.slice
  }

  /**
   * Reads for one of those that catch up, and gives the others what of it comes after their cursors. In turns for the
   * oldest, which comes to all others and takes them along, and for the one that waits longest, so that all go on.
   */
  async #readLate() {
    this.#isOldestNext = !this.#isOldestNext
    const [first, ...others] = this.#late
    // Another's query has passed its cursor.
    if (first === undefined) return
    const isOlder = ([, one]: [string, Late], [, other]: [string, Late]) =>
      one.position[0] - other.position[0] || one.position[1] - other.position[1]
    const [cursor, late] = this.#isOldestNext
      ? others.reduce((oldest, other) => (isOlder(other, oldest) < 0 ? other : oldest), first)
      : first
    this.#late.delete(cursor)
    try {
      const page = await this.#reader.read(cursor, SLICE)
      const slice = page && new ChangeSlice(page)
      late.resolve(slice)
      for (const change of page?.changes ?? []) {
        const passed = this.#late.get(change.cursor)
        const rest = passed && slice?.after(change.cursor)
        if (rest === undefined) continue
        this.#late.delete(change.cursor)
        passed?.resolve(rest)
      }
    } catch (error) {
      late.reject(error)
    }
  }

  /** At most so many changes after a cursor, up to this moment: what a query finds that begins after this call. */
  read(cursor: string, max: number) {
    const key = `${cursor} ${max}`
    const read =
      this.#reads.get(key) ??
      this.#inTurn(async () => {
        this.#reads.delete(key)
        const page = await this.#reader.read(cursor, max)
        return page && new ChangeSlice(page)
      })
    this.#reads.set(key, read)
    return read
  }

  /** Waits for new changes, the end of the feed, or the signal. */
  async news(signal: AbortSignal) {
    if (this.isClosed || signal.aborted) return
    await new Promise<void>((resolve) => {
      const end = () => {
        leave()
        signal.removeEventListener('abort', end)
        resolve()
      }
      const leave = this.onNews(end)
      signal.addEventListener('abort', end)
    })
  }

  /** Ends all followers, each after what it was given. */
  close() {
    this.#closing.abort()
    void this.#notify()
  }

  async #poll() {
    this.#isPolling = true
    // Nothing was added while there were no followers.
    this.buffer.clear()
    const beat = setInterval(() => this.emit('heartbeat'), HEARTBEAT_MS).unref()
    while (this.size > 0 && !this.isClosed) {
      // The database is away: so are responses, which say so.
      const hasMore = await this.#readNext().catch(() => false)
      const pauseMs = hasMore ? NEXT_PAGE_MS : POLL_INTERVAL_MS
      await sleep(pauseMs, undefined, { ref: false, signal: this.#closing.signal }).catch(() => undefined)
    }
    clearInterval(beat)
    this.#isPolling = false
  }

  /** Whether there is more. */
  async #readNext() {
    // Not behind those who catch up: what is new is for everybody.
    const page = await this.#reader.read(this.buffer.newest, PAGE)
    if (page === undefined) {
      // The history is another one: each follower finds out about its own cursor.
      this.buffer.clear()
    } else {
      if (page.next === this.buffer.newest) return false
      this.buffer.add(page)
    }
    void this.#notify()
    return page?.hasMore ?? false
  }
}
