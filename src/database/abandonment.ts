import { AsyncLocalStorage } from 'node:async_hooks'

/*
 * Whether anybody still waits for what is asked of the database. A query does not take a signal, and those who write one
 * have no request at hand: so the signal goes along with the work.
 */

const signals = new AsyncLocalStorage<AbortSignal>()

/** Does some work; when the signal ends, what the work asks of the database ends too. */
export const askUntil = <T>(signal: AbortSignal, work: () => T): T => signals.run(signal, work)

/** The signal of the work that is being done; undefined where it is not to be ended. */
export const currentSignal = () => signals.getStore()

/** Nobody waits for the outcome of a query any more. */
export class AbandonedError extends Error {
  override readonly name = 'AbandonedError'
  override readonly message = 'nobody waits for the answer any more'
}
