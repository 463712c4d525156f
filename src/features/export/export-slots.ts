import type { Readable } from 'node:stream'
import { TooManyExportsError } from '../../http/service-errors.ts'

/**
 * How long a page may hold its snapshot, all of its statements together: it keeps dead rows in the database meanwhile. 25 MB of
 * campaigns take a reader with 32 kB a second 13 minutes.
 */
const MAX_SNAPSHOT_MS = 900_000

/** The least rate at which a page has to be taken: over all of the time that the service has waited for its reader. */
const MIN_BYTES_PER_SECOND = 32_768

/** How long the service waits for a reader before the rate counts. */
const GRACE_MS = 60_000

/** How often pages are looked at. */
const LOOK_MS = 1000

/** So that a reader's progress is seen: a write ends when all of it is taken. */
const PIECE_BYTES = 65_536

/** A page that is being read, and its place among those that may be at a time. */
export class ExportSlot {
  readonly address: string
  readonly #startedAt = performance.now()
  readonly #leave: (slot: ExportSlot) => void
  #takenBytes = 0
  #waitedMs = 0
  #waitingSince: number | undefined

  constructor(address: string, leave: (slot: ExportSlot) => void) {
    this.address = address
    this.#leave = leave
  }

  get remainingMs() {
    return Math.max(0, this.#startedAt + MAX_SNAPSHOT_MS - performance.now())
  }

  /** A guess by what is known: what has been read for long goes on for long, and ends with its time. */
  get expectedMs() {
    return Math.min(performance.now() - this.#startedAt, this.remainingMs)
  }

  /** The same bytes, in pieces; measures how long their reader takes for them. */
  async *measure(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
        const piece = chunk.subarray(start, start + PIECE_BYTES)
        this.#waitingSince = performance.now()
        yield piece
        this.#waitedMs += performance.now() - this.#waitingSince
        this.#waitingSince = undefined
        this.#takenBytes += piece.length
      }
    }
  }

  /** Cuts the reader off when it is too slow, and when the time of the page is over. */
  watch(body: Readable) {
    const timer = setInterval(() => {
      if (this.remainingMs === 0 || this.#isTooSlow()) body.destroy(new Error('the export was read too slowly'))
    }, LOOK_MS).unref()
    body.once('close', () => {
      clearInterval(timer)
    })
  }

  #isTooSlow() {
    const waitingMs = this.#waitingSince === undefined ? 0 : performance.now() - this.#waitingSince
    const waitedMs = this.#waitedMs + waitingMs
    return waitedMs > GRACE_MS && this.#takenBytes * 1000 < MIN_BYTES_PER_SECOND * waitedMs
  }

  release() {
    this.#leave(this)
  }
}

/**
 * The places for exports that are read at a time: `max` in all, and half of them for one address, so that one reader leaves
 * room for others.
 * @param counts how many are read, and how many were refused.
 */
export function createExportSlots(max: number, counts: { running: number; refused: number }) {
  const running = new Set<ExportSlot>()
  const maxPerAddress = Math.max(1, Math.floor(max / 2))

  function leave(slot: ExportSlot) {
    running.delete(slot)
    counts.running = running.size
  }

  /** @throws TooManyExportsError with the time in which one of those that are in the way is expected to end. */
  return function take(address: string) {
    const own = [...running].filter((slot) => slot.address === address)
    const isBeyondShare = own.length >= maxPerAddress
    if (isBeyondShare || running.size >= max) {
      counts.refused += 1
      const inTheWay = running.size >= max ? [...running] : own
      const seconds = Math.ceil(Math.min(MAX_SNAPSHOT_MS, ...inTheWay.map(({ expectedMs }) => expectedMs)) / 1000)
      throw new TooManyExportsError(running.size >= max ? 'there may be' : 'one address may read', Math.max(1, seconds))
    }
    const slot = new ExportSlot(address, leave)
    running.add(slot)
    counts.running = running.size
    return slot
  }
}
