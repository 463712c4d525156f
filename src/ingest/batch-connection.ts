import pg, { type QueryResult, type QueryResultRow } from 'pg'
import { connectClient, orUnreachable } from '../database/connection/database-errors.ts'
import { SET_OF_NEWER_VERSIONS, withSessionSettings } from '../database/connection/session-settings.ts'

/** After this idle time, each side checks whether the other is still there. */
const SILENCE_SECONDS = 30

/** A server that does not respond counts as gone. */
const CONNECT_MS = 10_000

/** How the server notices that this side has disappeared. */
const KEEP_ALIVES = {
  tcp_keepalives_idle: String(SILENCE_SECONDS),
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
}

/**
 * A client on which batches can be staged, once it has working tables, and applied. Statements are sent without waiting
 * for earlier ones (`pipeline`), which COPY does not allow.
 * @throws DatabaseUnreachableError if the server cannot be reached, or ends the connection at once.
 */
export async function connectForBatches(url: string, name: string, { pipeline = true } = {}) {
  const client = new pg.Client({
    pipeline,
    connectionString: withSessionSettings(url, KEEP_ALIVES),
    connectionTimeoutMillis: CONNECT_MS,
    application_name: name,
    keepAlive: true,
    keepAliveInitialDelayMillis: SILENCE_SECONDS * 1000,
  })
  await connectClient(client)
  await orUnreachable(client.query(SET_OF_NEWER_VERSIONS))
  return client
}

/** Runs one statement on the connection of a batch. */
export type Query = <Row extends QueryResultRow>(sql: string, values?: unknown[]) => Promise<QueryResult<Row>>

/** Sends one; its error is thrown when the batch ends. */
export type Send = (sql: string, values?: unknown[]) => void
