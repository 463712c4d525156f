import { type Caller, type Cancellable, CancelSignal, runAs } from './abort-context.ts'

const NOBODY: Caller = { signal: undefined, address: undefined }

export interface SharedWork<T> {
  /** Whether all callers have left; nobody may join any more. */
  readonly isCancelled: boolean
  /** Fulfilled when the work has ended, with or without an error; waiting for it does not keep the work going. */
  readonly ended: Promise<void>
  /** Waits for the result, like all other callers, until the caller's signal aborts. */
  join(caller: Caller | undefined): Promise<T>
}

/**
 * Work that several callers wait for: it goes on as long as one of them waits.
 * @param owner the network of the caller that starts it; its queries are charged to that one until others join.
 */
export function shareWork<T>(work: () => Promise<T>, owner: string | undefined): SharedWork<T> {
  const abandonment = new CancelSignal()
  const shared = { signal: abandonment, address: owner }
  const outcome = runAs(shared, work)
  const leaving = new Map<() => void, Cancellable>()
  let waiting = 0
  let isOver = false
  // Once for all: each caller waits for the result itself, without a promise of its own.
  const end = () => {
    isOver = true
    for (const [leave, signal] of leaving) signal.removeEventListener('abort', leave)
  }
  const ended = outcome.then(end, end)
  return {
    ended,
    get isCancelled() {
      return abandonment.aborted
    },
    join({ signal, address } = NOBODY) {
      if (address !== shared.address) shared.address = undefined
      const leave = () => {
        waiting -= 1
        if (waiting === 0) abandonment.abort()
      }
      waiting += 1
      if (signal?.aborted) leave()
      else if (signal !== undefined && !isOver) {
        leaving.set(leave, signal)
        signal.addEventListener('abort', leave, { once: true })
      }
      return outcome
    },
  }
}
