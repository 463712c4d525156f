import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Cancellable, CancelledError, currentCaller } from './abort-context.ts'
import { cancelStatement } from './cancellation.ts'
import { shareConnections } from './connection-shares.ts'
import { describeFailure, isRolledBack, isTerminated, WaitedTooLongError } from './database-errors.ts'
import { queryChannel } from './query-diagnostics.ts'
import { OlderTimelineError, type TimelineGuard } from './timelines.ts'

/** How long it takes, mostly, until all sessions that end together are known to have ended. */
const SESSIONS_END_MS = 100

/** Connections that were lost, whether they were in use or not. */
const lostClients = new WeakSet<pg.PoolClient>()

/** The session has ended, by the server or with the connection: whether it has done the statement, nobody knows. */
class SessionLostError extends Error {
  override readonly name = 'SessionLostError'
}

/**
 * Makes a pool answer single statements with care for what is around them:
 * - beyond those it has connections for, at most `maxWaiting` wait for one, for `waitMs`; any more fail at once;
 * - neither those connections nor that queue are ever taken by one client, or by what is dear, alone (`shareConnections`);
 * - a statement that nobody waits for any more (`currentCaller`) is not begun, and is cancelled where it runs;
 * - one that the server has rolled back for the sake of others (SQLSTATE class 40) is asked once more;
 * - a question whose session is lost before the response is asked again, over another connection, a moment later, and twice at
 *   most: often all sessions end together, and what lies ready in the pool is found dead too;
 * - a connection to a primary that has been replaced (`guard`) is closed, and another one is asked.
 */
export function boundQueries(
  pool: pg.Pool,
  { maxWaiting, waitMs, guard }: { maxWaiting: number; waitMs: number; guard?: TimelineGuard | undefined },
) {
  // A lost connection fails its query; that it says so too must not end the process. It may do so as early as in the very
  // bytes that say that it is there.
  pool.on('connect', (client) => void client.on('error', () => lostClients.add(client)))
  const shares = shareConnections(pool.options.max, maxWaiting, waitMs)
  // What waits for its share has not reached the pool, which would say that nobody waits.
  Object.defineProperty(pool, 'waitingCount', { get: () => shares.waitingCount })

  async function sendOnce(statement: pg.QueryConfig, values?: unknown[]) {
    const caller = currentCaller()
    const signal = caller?.signal
    if (signal?.aborted) throw new CancelledError()
    try {
      return await shares.run(statement.name, caller, async () => {
        const client = await connectUnlessAbandoned(pool, signal)
        const ask = async () => {
          await guard?.check(client)
          return client.query(statement, values)
        }
        return runUnlessAbandoned(client, ask, signal)
      })
    } catch (error) {
      if (signal?.aborted) throw new CancelledError()
      throw hasWaitedTooLong(error) ? new WaitedTooLongError() : error
    }
  }

  async function query(statement: pg.QueryConfig, values?: unknown[]) {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await sendOnce(statement, values)
      } catch (error) {
        if (attempts >= maxAttempts(statement, error)) throw error
        if (error instanceof SessionLostError) await sleep(SESSIONS_END_MS)
      }
    }
  }

  return Object.assign(pool, {
    query: (statement: pg.QueryConfig, values?: unknown[]) =>
      queryChannel.tracePromise(query, { statement: statement.name }, undefined, statement, values),
  })
}

/** How often a statement is worth asking that fails like this. */
function maxAttempts(statement: pg.QueryConfig, error: unknown) {
  if (error instanceof SessionLostError) return isQuery(statement) ? 3 : 1
  // The statement itself was not begun.
  if (error instanceof OlderTimelineError) return 3
  return isRolledBack(error) ? 2 : 1
}

/** A connection of the pool. Who does not wait any more leaves its place in the queue to nobody. */
async function connectUnlessAbandoned(pool: pg.Pool, signal: Cancellable | undefined): Promise<pg.PoolClient> {
  const connecting = pool.connect()
  if (signal === undefined) return connecting
  return new Promise((resolve, reject) => {
    const leave = () => reject(new CancelledError())
    signal.addEventListener('abort', leave, { once: true })
    connecting
      .finally(() => signal.removeEventListener('abort', leave))
      .then((client) => (signal.aborted ? client.release() : resolve(client)), reject)
  })
}

async function runUnlessAbandoned<T>(
  client: pg.PoolClient,
  ask: () => Promise<T>,
  signal: Cancellable | undefined,
): Promise<T> {
  let cancelled: Promise<void> | undefined
  const cancel = () => {
    cancelled = cancelStatement(client)
  }
  signal?.addEventListener('abort', cancel, { once: true })
  let isIntact = false
  try {
    const result = await ask()
    isIntact = true
    return result
  } catch (error) {
    isIntact = isOfStatement(error)
    throw lostClients.has(client) || isTerminated(error)
      ? new SessionLostError(describeFailure(error), { cause: error })
      : error
  } finally {
    signal?.removeEventListener('abort', cancel)
    // Until then the place in the pool is taken, so that there are never more cancellations than connections.
    await cancelled
    // A cancellation may come late, and would then end what the connection is asked next.
    client.release(cancelled !== undefined || !isIntact)
  }
}

/** By these words alone the pool tells this from a connection that could not be made. */
const hasWaitedTooLong = (error: unknown) =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect'

/** Whether the server has ended the statement and not the session. */
const isOfStatement = (error: unknown) => error instanceof pg.DatabaseError && error.severity === 'ERROR'

/** Whether a statement only reads: it may be done twice. */
const isQuery = ({ text }: pg.QueryConfig) => /^\s*\(*(select|with)\b/i.test(text)
