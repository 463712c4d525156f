import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { prefersType } from 'reward-campaigns-strict-http/content/negotiation'
import type { ChangeFilter, ChangeSlice } from './change-buffer.ts'
import type { ChangeFeed } from './change-feed.ts'

/** How soon a client is to come again after an end that we made; proxies and clients see at once that a stream has begun. */
const RETRY = 'retry: 1000\n'

/** Bytes of events that a client may be behind, once it has come to the newest change. */
const MAX_WAITING_BYTES = 1024 * 1024

/** Bytes that a stream reads ahead of its client: a few events. */
const READ_AHEAD_BYTES = 16 * 1024

/** Whether a request accepts server-sent events. */
export const wantsEvents = ({ headers }: FastifyRequest) =>
  prefersType(headers.accept, 'text/event-stream', 'application/json')

interface Stream {
  feed: ChangeFeed
  filter: ChangeFilter
  /** What comes first. */
  start: ChangeSlice
  /** Called where the client does not keep up. */
  onSlow: () => void
  onClose: () => void
}

/** The changes that pass a filter as server-sent events, until the client leaves or the feed ends. */
export class ChangeStream extends Readable {
  readonly #stream: Stream
  #cursor = ''
  /** Whether the client takes more. */
  #isDrained = false
  #isReading = false
  #hasEnded = false
  /** `bytes` of the buffer when this stream had all changes; none as long as it never had. */
  #bytes = Number.POSITIVE_INFINITY
  readonly #leaveNews: () => void
  readonly #onHeartbeat = () => {
    if (this.#isDrained) this.#send(`:\n${this.#position()}`)
  }

  constructor(stream: Stream) {
    super({ highWaterMark: READ_AHEAD_BYTES })
    this.#stream = stream
    const { feed, start } = stream
    this.#leaveNews = feed.onNews(() => this.#proceed())
    feed.on('heartbeat', this.#onHeartbeat)
    this.push(RETRY)
    this.#take(start)
    this.push(this.#position())
  }

  override _read() {
    this.#isDrained = true
    // All that are behind would go on at the same time, each with events to render for a filter of its own.
    void this.#stream.feed.pace().then(() => this.#proceed())
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void) {
    const { feed, onClose } = this.#stream
    this.#leaveNews()
    feed.off('heartbeat', this.#onHeartbeat)
    onClose()
    callback(error)
  }

  /** Sends what is buffered, and reads what is not. */
  #proceed() {
    const { feed, onSlow } = this.#stream
    if (this.destroyed || this.#hasEnded) return
    if (feed.isClosed) {
      this.#end()
    } else if (!this.#isDrained && feed.buffer.bytes - this.#bytes > MAX_WAITING_BYTES) {
      onSlow()
      this.destroy()
    }
    for (let hasMore = true; hasMore && this.#isDrained; ) {
      const slice = feed.buffer.after(this.#cursor)
      if (slice === undefined) void this.#read()
      else this.#take(slice)
      hasMore = slice?.page.hasMore === true
      if (slice !== undefined && !hasMore) this.#bytes = feed.buffer.bytes
    }
  }

  /** News comes after this, not meanwhile: the feed sends one query at a time. */
  async #read() {
    if (this.#isReading) return
    this.#isReading = true
    try {
      const cursor = this.#cursor
      const slice = await this.#stream.feed.after(cursor)
      this.#isReading = false
      // Then the stream has ended meanwhile.
      if (this.#stream.feed.isClosed) return
      if (slice === undefined) this.#end()
      else this.#take(slice)
      if (this.#cursor !== cursor) this.#proceed()
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #take(slice: ChangeSlice) {
    this.#cursor = slice.page.next
    const events = slice.eventsOf(this.#stream.filter)
    if (events.length > 0) this.#send(events)
  }

  /** An event without data, which a client does not see: it moves `Last-Event-ID` over what the filter has left out. */
  #position() {
    return `id: ${this.#cursor}\n\n`
  }

  #send(bytes: Buffer | string) {
    this.#isDrained = false
    this.push(bytes)
  }

  #end() {
    this.#hasEnded = true
    this.#leaveNews()
    this.#stream.feed.off('heartbeat', this.#onHeartbeat)
    this.#send(RETRY + this.#position())
    this.push(null)
  }
}
