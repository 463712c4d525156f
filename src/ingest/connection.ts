import pg, { type QueryResult, type QueryResultRow } from 'pg'
import { connectClient } from '../database/failures.ts'

/** After so long without a word, each side asks whether the other is still there. */
const SILENCE_SECONDS = 30

/** A server that says nothing is none. */
const CONNECT_MS = 10_000

const connectionSettings = [
  'client_min_messages = warning',
  'jit = off',
  `tcp_keepalives_idle = ${SILENCE_SECONDS}`,
  'tcp_keepalives_interval = 10',
  'tcp_keepalives_count = 3',
]

/** A client on which batches can be staged, once it has working tables, and applied. */
export async function connectForBatches(url: string, name: string) {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: name,
    keepAlive: true,
    keepAliveInitialDelayMillis: SILENCE_SECONDS * 1000,
  })
  await connectClient(client)
  await client.query(connectionSettings.map((setting) => `set ${setting}`).join('; '))
  return client
}

/** Asks one statement on the connection of a batch. */
export type Ask = <Row extends QueryResultRow>(sql: string) => Promise<QueryResult<Row>>
