import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Cancellable, CancelledError, currentCaller } from './abort-context.ts'
import { cancelStatement } from './cancellation.ts'
import { shareConnections } from './connection-shares.ts'
import { describeFailure, isRolledBack, isTerminated, WaitedTooLongError } from './database-errors.ts'
import { queryChannel } from './query-diagnostics.ts'
import { OlderTimelineError, type TimelineGuard } from './timeline-guard.ts'

/** How long it usually takes until all sessions that end together are known to have ended. */
const SESSIONS_END_MS = 100

/** Lost connections, whether in use or idle. */
const lostClients = new WeakSet<pg.PoolClient>()

/** The session has ended, by the server or with the connection: whether the statement was executed is not known. */
class SessionLostError extends Error {
  override readonly name = 'SessionLostError'
}

/**
 * Runs single statements on a pool with these limits:
 * - beyond the available connections, at most `maxWaiting` statements wait for one, for `waitMs`; more fail at once;
 * - neither one client nor expensive statements can use up the connections or that queue
 *   (`shareConnections`);
 * - a statement without a waiting caller (`currentCaller`) is not started, and is cancelled if it runs;
 * - a statement that the server rolled back because of others (SQLSTATE class 40) is repeated once;
 * - a statement whose session is lost before the response is repeated over another connection a moment later, twice at
 *   most: often all sessions end together, and idle connections of the pool turn out to be dead too;
 * - a connection to a primary that has been replaced (`guard`) is closed, and the statement runs on another one.
 */
export function boundQueries(
  pool: pg.Pool,
  { maxWaiting, waitMs, guard }: { maxWaiting: number; waitMs: number; guard?: TimelineGuard | undefined },
) {
  // A lost connection fails its query; its own error event must not end the process. It may come as early as in the
  // first bytes that the server sends.
  pool.on('connect', (client) => void client.on('error', () => lostClients.add(client)))
  const shares = shareConnections(pool.options.max, maxWaiting, waitMs)
  // Statements that wait for their share have not reached the pool, which would report that nobody waits.
  Object.defineProperty(pool, 'waitingCount', { get: () => shares.waitingCount })

  async function sendOnce(statement: pg.QueryConfig, values?: unknown[]) {
    const caller = currentCaller()
    const signal = caller?.signal
    if (signal?.aborted) throw new CancelledError()
    try {
      return await shares.run(statement.name, caller, async () => {
        const client = await connectUnlessAborted(pool, signal)
        const send = async () => {
          await guard?.check(client)
          return client.query(statement, values)
        }
        return runUnlessAborted(client, send, signal)
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

/** How often to repeat a statement that fails this way. */
function maxAttempts(statement: pg.QueryConfig, error: unknown) {
  if (error instanceof SessionLostError) return isQuery(statement) ? 3 : 1
  // The statement itself was not started.
  if (error instanceof OlderTimelineError) return 3
  return isRolledBack(error) ? 2 : 1
}

/** A connection of the pool. A caller that stops waiting leaves the queue. */
async function connectUnlessAborted(pool: pg.Pool, signal: Cancellable | undefined): Promise<pg.PoolClient> {
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

async function runUnlessAborted<T>(
  client: pg.PoolClient,
  send: () => Promise<T>,
  signal: Cancellable | undefined,
): Promise<T> {
  let cancelled: Promise<void> | undefined
  const cancel = () => {
    cancelled = cancelStatement(client)
  }
  signal?.addEventListener('abort', cancel, { once: true })
  let isIntact = false
  try {
    const result = await send()
    isIntact = true
    return result
  } catch (error) {
    isIntact = isOfStatement(error)
    throw lostClients.has(client) || isTerminated(error)
      ? new SessionLostError(describeFailure(error), { cause: error })
      : error
  } finally {
    signal?.removeEventListener('abort', cancel)
    // Until then the connection stays reserved, so that there are never more cancellations than connections.
    await cancelled
    // A cancellation may arrive late, and would then end the next statement of the connection.
    client.release(cancelled !== undefined || !isIntact)
  }
}

/** Only this message of the pool distinguishes a timeout from a failed connection. */
const hasWaitedTooLong = (error: unknown) =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect'

/** Whether the server ended the statement but not the session. */
const isOfStatement = (error: unknown) => error instanceof pg.DatabaseError && error.severity === 'ERROR'

/** Whether a statement only reads, so that it may be repeated. */
const isQuery = ({ text }: pg.QueryConfig) => /^\s*\(*(select|with)\b/i.test(text)
