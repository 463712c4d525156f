import { AsyncLocalStorage } from 'node:async_hooks'

/*
 * For which client the database is queried, and whether that client still waits. A query takes no signal, and the code
 * that writes one has no request at hand: so both travel with the asynchronous context.
 */

/** The part of an `AbortSignal` that is used here. */
export interface Cancellable {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options: { once: true }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** A signal for one piece of work, two for each response: an `AbortSignal` takes 3 µs to create. */
export class CancelSignal implements Cancellable {
  aborted = false
  readonly #listeners = new Set<() => void>()

  addEventListener(_type: 'abort', listener: () => void) {
    if (!this.aborted) this.#listeners.add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void) {
    this.#listeners.delete(listener)
  }

  /** Calls each listener once. */
  abort() {
    this.aborted = true
    const listeners = [...this.#listeners]
    this.#listeners.clear()
    for (const listener of listeners) listener()
  }
}

/** For whom the database is queried. */
export interface Caller {
  /** Aborts when the last caller has left; undefined if the work must not be cancelled. */
  readonly signal: Cancellable | undefined
  /** The network of the one client that waits; undefined for several clients, or for the service itself. */
  readonly address: string | undefined
}

const callers = new AsyncLocalStorage<Caller>()

/** Work that one of its callers joins. */
let underWay = 0

/** Does some work for a client; when its signal aborts, the queries of the work are cancelled too. */
export async function runAs<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
  underWay += 1
  try {
    return await callers.run(caller, work)
  } finally {
    underWay -= 1
    // Before Node.js 24, a store makes each promise of the process slower as long as it is active.
    if (underWay === 0) callers.disable()
  }
}

/** Does some work of the service itself; when the signal aborts, its queries are cancelled too. */
export const withAbort = <T>(signal: Cancellable, work: () => Promise<T>) => runAs({ signal, address: undefined }, work)

/**
 * Starts work that others wait for too: it does not end with the caller that started it, and is charged to no client.
 */
export const withoutAbort = <T>(run: () => T): T => callers.exit(run)

/** For whom the work is done; undefined if it is the service's own and must not be cancelled. */
export const currentCaller = () => callers.getStore()

/** No caller waits for the result of a query any more. */
export class CancelledError extends Error {
  override readonly name = 'AbandonedError'
  override readonly message = 'the caller no longer waits for the response'
}
