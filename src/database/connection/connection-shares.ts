import { type Caller, CancelledError } from './abort-context.ts'
import { TooManyQueriesError, WaitedTooLongError } from './database-errors.ts'

/** A statement with this average duration is expensive: most take a few milliseconds. */
const DEAR_MS = 100

/** The weight of the latest run in that average. */
const LATEST_WEIGHT = 0.25

/** A statement that has not run for so long is no longer known to be expensive. */
const REMEMBER_MS = 60_000

/** The share of the connections, and of their queue, for all expensive statements together. */
const DEAR_SHARE = 1 / 2

/** The share of the statements for one address. */
const ADDRESS_SHARE = 1 / 4

interface Entry {
  statement: string | undefined
  address: string | undefined
  isDear: boolean
}

interface Waiting extends Entry {
  begin: () => void
}

/**
 * Divides the connections of a pool, and their queue, so that nobody uses all of them: statements that have lately been
 * expensive get at most half, and those for one address a quarter, of each; at least one. A statement beyond a share
 * waits, and others pass it.
 * @param maxWaitMs how long a statement waits.
 */
export function shareConnections(connections: number, queueSize: number, maxWaitMs: number) {
  const running = createSlots(connections)
  const queued = createSlots(queueSize)
  const waiting = new Set<Waiting>()
  const { isDear, remember } = createCosts()

  /** Starts the statements that may start, in the order of their arrival. */
  function admit() {
    for (const next of waiting) {
      if (running.areAllTaken()) return
      // Its state of now: it may have changed while it waited.
      const entry = { statement: next.statement, address: next.address, isDear: isDear(next.statement) }
      if (!running.haveRoomFor(entry)) continue
      waiting.delete(next)
      queued.leave(next)
      Object.assign(next, entry)
      running.take(next)
      next.begin()
    }
  }

  function wait(entry: Entry, signal: Caller['signal']) {
    if (!queued.haveRoomFor(entry)) throw new TooManyQueriesError()
    return new Promise<void>((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abandon)
      }
      const giveUp = (error: Error) => {
        settle()
        waiting.delete(queuer)
        queued.leave(queuer)
        reject(error)
      }
      const abandon = () => giveUp(new CancelledError())
      const timer = setTimeout(() => giveUp(new WaitedTooLongError()), maxWaitMs)
      signal?.addEventListener('abort', abandon, { once: true })
      const queuer: Waiting = Object.assign(entry, {
        begin() {
          settle()
          resolve()
        },
      })
      waiting.add(queuer)
      queued.take(queuer)
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
      const entry = { statement, address: caller?.address, isDear: isDear(statement) }
      if (running.haveRoomFor(entry)) running.take(entry)
      else await wait(entry, caller?.signal)
      const startedAt = performance.now()
      try {
        return await work()
      } finally {
        running.leave(entry)
        remember(statement, startedAt)
        admit()
      }
    },
  }
}

/** How long statements have lately taken, by their names. */
function createCosts() {
  const averages = new Map<string, { ms: number; at: number }>()

  function isDear(statement: string | undefined) {
    const average = statement === undefined ? undefined : averages.get(statement)
    return average !== undefined && average.ms >= DEAR_MS && performance.now() - average.at < REMEMBER_MS
  }

  function remember(statement: string | undefined, startedAt: number) {
    if (statement === undefined) return
    const at = performance.now()
    const ms = at - startedAt
    const before = averages.get(statement)?.ms ?? ms
    averages.set(statement, { ms: before + LATEST_WEIGHT * (ms - before), at })
  }

  return { isDear, remember }
}

/** Slots of which some entries may take only a share. */
function createSlots(count: number) {
  const shareOf = (share: number) => Math.max(1, Math.floor(count * share))
  const ofAddress = new Map<string, number>()
  let taken = 0
  let takenByDear = 0

  function add(difference: 1 | -1, { address, isDear }: Entry) {
    taken += difference
    if (isDear) takenByDear += difference
    if (address === undefined) return
    const now = (ofAddress.get(address) ?? 0) + difference
    if (now === 0) ofAddress.delete(address)
    else ofAddress.set(address, now)
  }

  return {
    areAllTaken: () => taken >= count,
    haveRoomFor: ({ address, isDear }: Entry) =>
      taken < count &&
      (!isDear || takenByDear < shareOf(DEAR_SHARE)) &&
      (address === undefined || (ofAddress.get(address) ?? 0) < shareOf(ADDRESS_SHARE)),
    take: (entry: Entry) => add(1, entry),
    leave: (entry: Entry) => add(-1, entry),
  }
}
