import { AsyncLocalStorage } from 'node:async_hooks'

/*
 * Whether anybody still waits for what is asked of the database. A query does not take a signal, and those who write one
 * have no request at hand: so the signal goes along with the work.
 */

const signals = new AsyncLocalStorage<AbortSignal>()

/** Work that a signal goes along with. */
let underWay = 0

/** Does some work; when the signal ends, what the work asks of the database ends too. */
export async function askUntil<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
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

/** The signal of the work that is being done; undefined where it is not to be ended. */
export const currentSignal = () => signals.getStore()

/** Nobody waits for the outcome of a query any more. */
export class AbandonedError extends Error {
  override readonly name = 'AbandonedError'
  override readonly message = 'nobody waits for the answer any more'
}
