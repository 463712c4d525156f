import {
  type Caller,
  type Cancellable,
  CancelledError,
  CancelSignal,
  currentCaller,
  runAs,
  withoutAbort,
} from './abort-context.ts'
import { queueInTurns } from './turns.ts'

/** How long a query may take before another is sent beside it: its connection may be lost. */
const TIMEOUT_MS = 100

/**
 * Coalesces queries: all callers that arrive while a query is running share the next one. No caller joins a running
 * query, because its snapshot may be older than the caller. So each caller waits for at most two queries.
 */
export function coalesceNext<T>(send: () => Promise<T>): () => Promise<T> {
  let before: Promise<unknown> | undefined
  let next: Promise<T> | undefined

  async function runNext() {
    await before
    // Callers of one turn of the event loop share a query, also if the one before has just ended.
    await new Promise<void>((resolve) => setImmediate(resolve))
    next = undefined
    const response = send()
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

const NO_CALLER: Caller = { signal: undefined, address: undefined }

export interface SharedWork<T> {
  /** Whether all callers have left; no further caller may join. */
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
  const cancellation = new CancelSignal()
  const shared = { signal: cancellation, address: owner }
  const outcome = runAs(shared, work)
  const listeners = new Map<() => void, Cancellable>()
  let waiting = 0
  let isOver = false
  // One handler for all callers: each awaits the shared promise.
  const end = () => {
    isOver = true
    for (const [stopWaiting, signal] of listeners) signal.removeEventListener('abort', stopWaiting)
  }
  const ended = outcome.then(end, end)
  return {
    ended,
    get isCancelled() {
      return cancellation.aborted
    },
    join({ signal, address } = NO_CALLER) {
      if (address !== shared.address) shared.address = undefined
      const stopWaiting = () => {
        waiting -= 1
        if (waiting === 0) cancellation.abort()
      }
      waiting += 1
      if (signal?.aborted) stopWaiting()
      else if (signal !== undefined && !isOver) {
        listeners.set(stopWaiting, signal)
        signal.addEventListener('abort', stopWaiting, { once: true })
      }
      return outcome
    },
  }
}

interface Lookup<Value> {
  key: string
  caller: Caller | undefined
  resolve: (found: Promise<Value | undefined>) => void
}

/**
 * Combines lookups into statements, one at a time: those that arrive while one runs share the next, in which addresses take turns.
 * A lookup never joins a statement that has already been sent, whose snapshot may be older than the lookup.
 * @param maxSize of the keys of a statement together; one that is larger has a statement of its own.
 */
export function batchLookups<Value>(
  maxSize: number,
  lookUp: (keys: string[]) => Promise<ReadonlyMap<string, Value>>,
  sizeOf: (key: string) => number = () => 1,
): (key: string) => Promise<Value | undefined> {
  const waiting = queueInTurns<Lookup<Value>>()
  let isSending = false

  async function sendAll() {
    isSending = true
    while (waiting.next !== undefined) {
      // Lookups of one turn of the event loop share a statement, also if none is under way.
      await new Promise<void>((resolve) => setImmediate(resolve))
      await settled(send(takeBatch()))
    }
    isSending = false
  }

  function takeBatch() {
    const batch: Lookup<Value>[] = []
    let size = 0
    for (let next = waiting.next; next !== undefined; next = waiting.next) {
      size += sizeOf(next.key)
      if (size > maxSize && batch.length > 0) break
      waiting.take()
      if (next.caller?.signal?.aborted) next.resolve(Promise.reject(new CancelledError()))
      else batch.push(next)
    }
    return batch
  }

  async function send(batch: readonly Lookup<Value>[]) {
    if (batch.length === 0) return
    const [owner, ...others] = new Set(batch.map(({ caller }) => caller?.address))
    const work = shareWork(
      () => lookUp([...new Set(batch.map(({ key }) => key))]),
      others.length === 0 ? owner : undefined,
    )
    for (const { key, caller, resolve } of batch) resolve(work.join(caller).then((found) => found.get(key)))
    await work.ended
  }

  return (key) =>
    new Promise((resolve) => {
      const caller = currentCaller()
      waiting.add(caller?.address, { key, caller, resolve })
      // It sends for all who wait, not for the one that begins it.
      if (!isSending) void withoutAbort(sendAll)
    })
}
