import { type Caller, CancelledError } from '../../abort-context.ts'
import { TooManyQueriesError, WaitedTooLongError } from './database-errors.ts'

/** A statement with this average duration is expensive: most take a few milliseconds. */
const EXPENSIVE_MS = 100

/** The weight of the latest run in that average. */
const LATEST_WEIGHT = 0.25

/** A statement that has not run for so long is no longer known to be expensive. */
const FORGET_AFTER_MS = 60_000

/** The share of the connections, and of their queue, for all expensive statements together. */
const EXPENSIVE_SHARE = 1 / 2

/** The share of the statements for one address. */
const ADDRESS_SHARE = 1 / 4

interface Entry {
  statement: string | undefined
  address: string | undefined
  isExpensive: boolean
}

interface Waiting extends Entry {
  begin: () => void
}

/**
 * Divides the connections of a pool and their queue: recently expensive statements get at most half of each, statements
 * for one address a quarter, and at least one. A statement beyond its share waits, and others pass it.
 * @param maxWaitMs how long a statement waits.
 */
export function shareConnections(connections: number, queueSize: number, maxWaitMs: number) {
  const running = createSlots(connections)
  const queued = createSlots(queueSize)
  const waiting = new Set<Waiting>()
  const { isExpensive, recordDuration } = createCosts()

  /** Starts the statements that may start, in the order of their arrival. */
  function admit() {
    for (const next of waiting) {
      if (running.areAllTaken()) return
      // Its state of now: it may have changed while it waited.
      const entry = { statement: next.statement, address: next.address, isExpensive: isExpensive(next.statement) }
      if (!running.canTake(entry)) continue
      waiting.delete(next)
      queued.release(next)
      Object.assign(next, entry)
      running.take(next)
      next.begin()
    }
  }

  function wait(entry: Entry, signal: Caller['signal']) {
    if (!queued.canTake(entry)) throw new TooManyQueriesError()
    return new Promise<void>((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abandon)
      }
      const giveUp = (error: Error) => {
        settle()
        waiting.delete(queuedEntry)
        queued.release(queuedEntry)
        reject(error)
      }
      const abandon = () => giveUp(new CancelledError())
      const timer = setTimeout(() => giveUp(new WaitedTooLongError()), maxWaitMs)
      signal?.addEventListener('abort', abandon, { once: true })
      const queuedEntry: Waiting = Object.assign(entry, {
        begin() {
          settle()
          resolve()
        },
      })
      waiting.add(queuedEntry)
      queued.take(queuedEntry)
    })
  }

  return {
    /** Statements that wait for a connection. */
    get waitingCount() {
      return waiting.size
    },

    /**
     * Runs a statement, known by its name, once there is a connection for it.
     * @throws TooManyQueriesError, WaitedTooLongError, CancelledError
     */
    async run<T>(statement: string | undefined, caller: Caller | undefined, work: () => Promise<T>): Promise<T> {
      const entry = { statement, address: caller?.address, isExpensive: isExpensive(statement) }
      if (running.canTake(entry)) running.take(entry)
      else await wait(entry, caller?.signal)
      const startedAt = performance.now()
      try {
        return await work()
      } finally {
        running.release(entry)
        recordDuration(statement, startedAt)
        admit()
      }
    },
  }
}

/** How long statements have lately taken, by their names. */
function createCosts() {
  const averages = new Map<string, { ms: number; at: number }>()

  function isExpensive(statement: string | undefined) {
    const average = statement === undefined ? undefined : averages.get(statement)
    return average !== undefined && average.ms >= EXPENSIVE_MS && performance.now() - average.at < FORGET_AFTER_MS
  }

  function recordDuration(statement: string | undefined, startedAt: number) {
    if (statement === undefined) return
    const at = performance.now()
    const ms = at - startedAt
    const before = averages.get(statement)?.ms ?? ms
    averages.set(statement, { ms: before + LATEST_WEIGHT * (ms - before), at })
  }

  return { isExpensive, recordDuration }
}

/** Slots of which some entries may take only a share. */
function createSlots(count: number) {
  const shareOf = (share: number) => Math.max(1, Math.floor(count * share))
  const ofAddress = new Map<string, number>()
  let taken = 0
  let takenByExpensive = 0

  function add(difference: 1 | -1, { address, isExpensive }: Entry) {
    taken += difference
    if (isExpensive) takenByExpensive += difference
    if (address === undefined) return
    const now = (ofAddress.get(address) ?? 0) + difference
    if (now === 0) ofAddress.delete(address)
    else ofAddress.set(address, now)
  }

  return {
    areAllTaken: () => taken >= count,
    canTake: ({ address, isExpensive }: Entry) =>
      taken < count &&
      (!isExpensive || takenByExpensive < shareOf(EXPENSIVE_SHARE)) &&
      (address === undefined || (ofAddress.get(address) ?? 0) < shareOf(ADDRESS_SHARE)),
    take: (entry: Entry) => add(1, entry),
    release: (entry: Entry) => add(-1, entry),
  }
}
