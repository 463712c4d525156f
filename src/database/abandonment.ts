import { AsyncLocalStorage } from 'node:async_hooks'

/*
 * Whether anybody still waits for what is asked of the database. A query does not take a signal, and those who write one
 * have no request at hand: so the signal goes along with the work.
 */

/** What such a signal has of an `AbortSignal`. */
export interface AbandonmentSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options: { once: true }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** A signal for one piece of work, of which there are two for an answer: an `AbortSignal` takes 3 µs to make. */
export class Abandonment implements AbandonmentSignal {
  aborted = false
  readonly #listeners = new Set<() => void>()

  addEventListener(_type: 'abort', listener: () => void) {
    if (!this.aborted) this.#listeners.add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void) {
    this.#listeners.delete(listener)
  }

  /** Tells each listener once. */
  abort() {
    this.aborted = true
    const listeners = [...this.#listeners]
    this.#listeners.clear()
    for (const listener of listeners) listener()
  }
}

const signals = new AsyncLocalStorage<AbandonmentSignal>()

/** Work that a signal goes along with. */
let underWay = 0

/** Does some work; when the signal ends, what the work asks of the database ends too. */
export async function askUntil<T>(signal: AbandonmentSignal | undefined, work: () => Promise<T>): Promise<T> {
  if (signal === undefined) return work()
  underWay += 1
  try {
    return await signals.run(signal, work)
  } finally {
    underWay -= 1
    // Before Node.js 24, each promise of the process costs more as long as it is looked after.
    if (underWay === 0) signals.disable()
  }
}

/** Asks for what others wait for too: it does not end with the work that happens to ask. */
export const askForAll = <T>(ask: () => T): T => signals.exit(ask)

/** The signal of the work that is being done; undefined where it is not to be ended. */
export const currentSignal = () => signals.getStore()

/** Nobody waits for the outcome of a query any more. */
export class AbandonedError extends Error {
  override readonly name = 'AbandonedError'
  override readonly message = 'nobody waits for the answer any more'
}
