import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { boundQueries } from './bounded-queries.ts'
import { connectClient } from './failures.ts'

/** What repositories and the import query through. */
export type Database = NodePgDatabase

export interface OpenDatabase {
  database: Database
  pool: pg.Pool
  close: () => Promise<void>
}

export interface DatabaseOptions {
  /** A function where it is known only later: it is called for each new connection. */
  url: string | (() => string)
  poolSize: number
  /** Most queries that wait for a connection, any more fail at once; without a bound if nothing is said. */
  queueSize?: number
  connectionTimeoutMs: number
  /** Longest time of one statement, in milliseconds; 0 is no limit. */
  statementTimeoutMs: number
  onIdleError: (error: Error) => void
}

/**
 * Opens a pool of connections; connects only when something is asked. A statement that takes too long is ended by the
 * server; if the server itself does not answer, by the driver a second later.
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
    // Filters are so unevenly distributed that one plan for all values would be a bad one for some of them.
    options: '-c plan_cache_mode=force_custom_plan -c jit=off',
  })
  // Without a listener, the death of an idle connection would end the process.
  pool.on('error', options.onIdleError)
  return {
    database: drizzle(boundQueries(pool, options.queueSize ?? Number.POSITIVE_INFINITY), { casing: 'snake_case' }),
    pool,
    close: () => pool.end(),
  }
}

const connectingTo = (url: () => string) =>
  class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionString: url() })
    }
  }

/** How long a command waits for a server that does not answer. */
export const ANSWER_TIMEOUT_MS = 10_000

/**
 * Opens one connection without a limit on its statements, for what may take its time. A server that is gone without a
 * word is noticed all the same: TCP asks for it.
 * @throws DatabaseAwayError where the server cannot be reached, or does not answer.
 */
export async function openClient(url: string, applicationName: string) {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: ANSWER_TIMEOUT_MS,
    options: '-c client_min_messages=warning',
  })
  await connectClient(client)
  return client
}
