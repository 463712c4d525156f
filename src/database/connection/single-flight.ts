import { type Caller, type Cancellable, CancelSignal, runAs } from './abort-context.ts'

/** How long a query may take before another is sent beside it: its connection may be lost. */
const TIMEOUT_MS = 100

/**
 * Sends one query for all callers that arrive while the query before it is under way, after that one has ended. Nobody
 * joins a query that has been sent, whose snapshot may be older than the caller. So each caller waits for at most two
 * queries, and the more callers, the more share one.
 */
export function coalesceNext<T>(ask: () => Promise<T>): () => Promise<T> {
  let before: Promise<unknown> | undefined
  let next: Promise<T> | undefined

  async function runNext() {
    await before
    // Callers of one turn of the event loop share a query, also if the one before has just ended.
    await new Promise<void>((resolve) => setImmediate(resolve))
    next = undefined
    const response = ask()
    const isOver = settled(response)
    before = isOver
    void isOver.then(() => {
      if (before === isOver) before = undefined
    })
    return response
  }

  return () => {
    next ??= runNext()
    return next
  }
}

/** Settles with the work, or when it has taken too long. */
const settled = (response: Promise<unknown>) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, TIMEOUT_MS)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    response.then(end, end)
  })

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
