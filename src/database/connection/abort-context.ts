import { AsyncLocalStorage } from 'node:async_hooks'

/*
 * Who waits for what is asked of the database, and whether anybody still does. A query does not take a signal, and those who
 * write one have no request at hand: so both go along with the work.
 */

/** What such a signal has of an `AbortSignal`. */
export interface Cancellable {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options: { once: true }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** A signal for one piece of work, of which there are two for a response: an `AbortSignal` takes 3 µs to make. */
export class CancelSignal implements Cancellable {
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

/** For whom the database is asked. */
export interface Caller {
  /** Ends when nobody waits any more; undefined where the work is not to be ended. */
  readonly signal: Cancellable | undefined
  /** The network of the one client that waits; undefined where that is several, or the service itself. */
  readonly address: string | undefined
}

const callers = new AsyncLocalStorage<Caller>()

/** Work that an asker goes along with. */
let underWay = 0

/** Does some work for a client; when its signal ends, what the work asks of the database ends too. */
export async function runAs<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
  underWay += 1
  try {
    return await callers.run(caller, work)
  } finally {
    underWay -= 1
    // Before Node.js 24, each promise of the process costs more as long as it is looked after.
    if (underWay === 0) callers.disable()
  }
}

/** Does some work of the service itself; when the signal ends, what the work asks of the database ends too. */
export const withAbort = <T>(signal: Cancellable, work: () => Promise<T>) => runAs({ signal, address: undefined }, work)

/** Asks for what others wait for too: it does not end with the work that happens to ask, and is charged to nobody. */
export const withoutAbort = <T>(ask: () => T): T => callers.exit(ask)

/** For whom the work is done; undefined where it is the service's own, and not to be ended. */
export const currentCaller = () => callers.getStore()

/** Nobody waits for the outcome of a query any more. */
export class CancelledError extends Error {
  override readonly name = 'AbandonedError'
  override readonly message = 'the caller no longer waits for the response'
}
