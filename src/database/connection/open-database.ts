import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import {
  connectClient,
  DatabaseUnreachableError,
  isConnectionFailure,
  isDatabaseUnreachable,
  orUnreachable,
} from './database-errors.ts'
import { openPool, type PoolOptions } from './pool.ts'
import { SET_OF_NEWER_VERSIONS, withSessionSettings } from './session-settings.ts'
import { createTimelineGuard, type ServerState } from './timeline-guard.ts'

/** The database as repositories and the import use it. */
export type Database = NodePgDatabase

/** Connections for lookups: each takes less than a millisecond, so two of them do thousands a second. */
export const LOOKUP_CONNECTIONS = 2

/** Connections for loading what is in memory, which waits for no export. */
export const LOADING_CONNECTIONS = 1

export type ServingDatabase = ReturnType<typeof openServingDatabase>

interface ServingOptions extends Omit<PoolOptions, 'guard' | 'plans'> {
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
  const queries = openPool(options)
  // For what every request needs and an index finds at once: the data version, credentials, readiness, a row by its
  // key. Statements are planned once, since a key is found the same way whatever its value.
  const lookups = openPool({ ...options, poolSize: LOOKUP_CONNECTIONS, plans: 'once' })
  // For what is read for long, without a limit on its statements: exports, and all campaigns for their index.
  const exports = openPool({ ...options, poolSize: maxExports + LOADING_CONNECTIONS, statementTimeoutMs: 0 })
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

/** How long a command waits for a server that does not respond. */
export const RESPONSE_TIMEOUT_MS = 10_000

/**
 * Opens one connection without a statement timeout, for long work. TCP keep-alive notices a server that disappears
 * silently.
 * @throws DatabaseUnreachableError if the server cannot be reached, or does not respond.
 */
export async function openClient(url: string, applicationName: string) {
  const client = new pg.Client({
    connectionString: withSessionSettings(url),
    application_name: applicationName,
    connectionTimeoutMillis: RESPONSE_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: RESPONSE_TIMEOUT_MS,
  })
  await connectClient(client)
  await orUnreachable(client.query(SET_OF_NEWER_VERSIONS))
  return client
}

/**
 * Some work on such a connection, which is closed afterwards.
 * @throws DatabaseUnreachableError also where it is lost meanwhile.
 */
export async function withClient<T>(url: string, applicationName: string, work: (client: pg.Client) => Promise<T>) {
  const client = await openClient(url, applicationName)
  let isLost = false
  client.on('error', () => {
    isLost = true
  })
  try {
    return await work(client)
  } catch (error) {
    const isFailure = error instanceof pg.DatabaseError ? isConnectionFailure(error) : isLost
    if (!isFailure || isDatabaseUnreachable(error)) throw error
    throw new DatabaseUnreachableError('the connection to the database was lost', { cause: error })
  } finally {
    await client.end()
  }
}
