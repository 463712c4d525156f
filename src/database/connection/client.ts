import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { boundQueries } from './bounded-queries.ts'
import { connectClient } from './database-errors.ts'
import { createTimelineGuard, type ServerState, type TimelineGuard } from './timeline-guard.ts'

/** The database as repositories and the import use it. */
export type Database = NodePgDatabase

export interface OpenDatabase {
  database: Database
  pool: pg.Pool
  close: () => Promise<void>
}

export interface DatabaseOptions {
  /** A function if it is known only later: it is called for each new connection. */
  url: string | (() => string)
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
export function openDatabase(options: DatabaseOptions): OpenDatabase {
  const { url, statementTimeoutMs } = options
  const pool = new pg.Pool({
    ...(typeof url === 'string' ? { connectionString: url } : { Client: connectingTo(url) }),
    application_name: 'reward-campaigns',
    max: options.poolSize,
    connectionTimeoutMillis: options.connectionTimeoutMs,
    keepAlive: true,
    ...(statementTimeoutMs > 0
      ? { statement_timeout: statementTimeoutMs, query_timeout: statementTimeoutMs + 1000 }
      : {}),
    // Values are so unevenly distributed that one plan for all of them would be bad for some.
    options: `-c plan_cache_mode=force_${options.plans === 'once' ? 'generic' : 'custom'}_plan -c jit=off`,
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

/** Connections for lookups: each takes less than a millisecond, so two of them do thousands a second. */
export const LOOKUP_CONNECTIONS = 2

export type ServingDatabase = ReturnType<typeof openServingDatabase>

interface ServingOptions extends Omit<DatabaseOptions, 'guard' | 'plans'> {
  /** Connections for exports; none is opened before there is one. */
  maxExports?: number
  /** Called when a connection to a replaced primary is closed, with its timeline and the newer one. */
  onOlderTimeline?: (server: ServerState, newest: number) => void
}

/**
 * Opens separate connection pools to one database: slow queries on one never delay another. `poolSize` is that of
 * `queries`; `LOOKUP_CONNECTIONS` come on top of it.
 */
export function openServingDatabase({ onOlderTimeline = () => undefined, maxExports = 1, ...shared }: ServingOptions) {
  // Sees to it that all of them have the same history.
  const guard = createTimelineGuard(onOlderTimeline)
  const options = { ...shared, guard }
  const queries = openDatabase(options)
  // For what every request needs and an index finds at once: the data version, credentials, readiness, a row by its
  // key. Statements are planned once, since a key is found the same way whatever its value.
  const lookups = openDatabase({ ...options, poolSize: LOOKUP_CONNECTIONS, plans: 'once' })
  // For what is read for long, without a limit on its statements.
  const exports = openDatabase({ ...options, poolSize: Math.max(1, maxExports), statementTimeoutMs: 0 })
  return {
    guard,
    queries,
    lookups,
    exports,
    async close() {
      await Promise.all([queries.close(), lookups.close(), exports.close()])
    },
  }
}

const connectingTo = (url: () => string) =>
  class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionString: url() })
    }
  }

/** How long a command waits for a server that does not respond. */
export const RESPONSE_TIMEOUT_MS = 10_000

/**
 * Opens one connection without a statement timeout, for long work. TCP keep-alive notices a server that disappears
 * silently.
 * @throws DatabaseAwayError if the server cannot be reached, or does not respond.
 */
export async function openClient(url: string, applicationName: string) {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: RESPONSE_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: RESPONSE_TIMEOUT_MS,
    options: '-c client_min_messages=warning',
  })
  await connectClient(client)
  return client
}
