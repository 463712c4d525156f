import { setTimeout as sleep } from 'node:timers/promises'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { type Cancellable, CancelledError, currentCaller } from '../../abort-context.ts'
import { cancelStatement } from './cancel-statement.ts'
import { shareConnections } from './connection-shares.ts'
import { describeFailure, isRolledBack, isTerminated } from './database-errors.ts'
import { queryChannel } from './query-tracing-channel.ts'
import { withSessionSettings } from './session-settings.ts'
import { OlderTimelineError, type TimelineGuard } from './timeline-guard.ts'

export interface OpenPool {
  database: NodePgDatabase
  pool: pg.Pool
  close: () => Promise<void>
}

export interface PoolOptions {
  /** A function if it is known only later: it is called for each new connection. */
  url: string | (() => string)
  /** As the server lists its sessions; `reward-campaigns` by default. */
  applicationName?: string
  poolSize: number
  /** Maximum number of queries that wait for a connection, more fail at once; unlimited by default. */
  queueSize?: number
  connectionTimeoutMs: number
  /** Statement timeout in milliseconds; 0 means none. */
  statementTimeoutMs: number
  /** Whether a named statement is planned for its values on each execution (the default), or once. */
  plans?: 'for values' | 'once'
  /** Which servers to leave; none by default. */
  guard?: TimelineGuard
  onIdleError: (error: Error) => void
}

/**
 * Opens a pool; it connects only for the first query. The server ends a statement that takes too long; if the server
 * itself does not respond, the driver does so a second later.
 */
export function openPool(options: PoolOptions): OpenPool {
  const { url, statementTimeoutMs } = options
  const pool = new pg.Pool({
    Client: connectingTo(() => withSessionSettings(typeof url === 'string' ? url : url(), sessionOf(options))),
    application_name: options.applicationName ?? 'reward-campaigns',
    max: options.poolSize,
    connectionTimeoutMillis: options.connectionTimeoutMs,
    keepAlive: true,
    ...(statementTimeoutMs > 0 ? { query_timeout: statementTimeoutMs + 1000 } : {}),
  })
  // Without a listener, the death of an idle connection would end the process.
  pool.on('error', options.onIdleError)
  return {
    database: drizzle(
      boundQueries(pool, {
        maxWaiting: options.queueSize ?? Number.POSITIVE_INFINITY,
        waitMs: options.connectionTimeoutMs,
        guard: options.guard,
      }),
      { casing: 'snake_case' },
    ),
    pool,
    close: () => pool.end(),
  }
}

function sessionOf({ plans, statementTimeoutMs }: PoolOptions) {
  return {
    // A request has one processor of the server: others need theirs. Long work, which has no time limit, may use more.
    ...(statementTimeoutMs > 0 ? { max_parallel_workers_per_gather: '0' } : {}),
    statement_timeout: String(statementTimeoutMs),
    // Values are so unevenly distributed that one plan for all of them would be bad for some.
    plan_cache_mode: `force_${plans === 'once' ? 'generic' : 'custom'}_plan`,
  }
}

const connectingTo = (url: () => string) =>
  class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionString: url() })
    }
  }

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
function boundQueries(
  pool: pg.Pool,
  { maxWaiting, waitMs, guard }: { maxWaiting: number; waitMs: number; guard?: TimelineGuard | undefined },
) {
  // A lost connection fails its query; its own error event must not end the process. It may come as early as in the
  // first bytes that the server sends.
  pool.on('connect', (client) => void client.on('error', () => lostClients.add(client)))
  const shares = shareConnections(pool.options.max, maxWaiting, waitMs)
  // Statements that wait for their share have not reached the pool, which would report none as waiting.
  Object.defineProperty(pool, 'waitingCount', { get: () => shares.waitingCount })

  async function sendOnce(statement: pg.QueryConfig, values?: unknown[]) {
    const caller = currentCaller()
    const signal = caller?.signal
    if (signal?.aborted) throw new CancelledError()
    try {
      return await shares.run(statement.name, caller, async () => {
        // Never waits for another statement: no more of them have a share than there are connections.
        const client = await pool.connect()
        if (signal?.aborted) {
          client.release()
          throw new CancelledError()
        }
        const send = async () => {
          await guard?.check(client)
          return client.query(statement, values)
        }
        return runUnlessAborted(client, send, signal)
      })
    } catch (error) {
      if (signal?.aborted) throw new CancelledError()
      throw error
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

/**
 * SQLSTATEs of errors that may end the session: of connections, of an operator, of the system and of the server itself, and of
 * transactions that take too long.
 */
const MAY_END_SESSION = /^(08|57P|58|XX|F0|25P0[34])/

/** Whether the server ended the statement but not the session. It names the severity in its own language. */
const isOfStatement = (error: unknown) =>
  error instanceof pg.DatabaseError && error.severity !== 'FATAL' && !MAY_END_SESSION.test(error.code ?? '')

/** Whether a statement only reads, so that it may be repeated. */
const isQuery = ({ text }: pg.QueryConfig) => /^\s*\(*(select|with)\b/i.test(text)
