import { Writable } from 'node:stream'
import type pg from 'pg'
import { buildApp } from '../app.ts'
import { ConfigurationError } from '../config.ts'
import { openServingDatabase, withClient } from '../database/connection/open-database.ts'
import { inSnapshot } from '../database/connection/snapshot.ts'
import { openSnapshotsOf } from '../database/exported-records/export-snapshots.ts'
import { withCurrentSchema } from '../process/database-access.ts'
import { toPrintable } from '../process/print-rows.ts'
import type { Settings } from '../settings.ts'

/** A statement as sent by the driver, and how it was planned for the request. */
interface RecordedQuery {
  text: string
  values: unknown[]
  plans: 'custom' | 'generic'
}

/** `explain`: prints the SQL that a request runs, with plans and times, in a transaction that only reads. */
export async function explain(settings: Settings, url: string, { token }: { token?: string }) {
  const report = await withCurrentSchema(settings, (databaseUrl) =>
    reportQueries(settings, databaseUrl, { url, token }),
  )
  process.stdout.write(report)
}

interface ExplainedRequest {
  url: string
  token: string | undefined
}

/**
 * What the command prints.
 * @throws ConfigurationError with the response of the service if that is an error, and for an export.
 */
export async function reportQueries(settings: Settings, databaseUrl: string, request: ExplainedRequest) {
  if (request.url.startsWith('/export/')) throw new ConfigurationError('an export is read with COPY, which has no plan')
  const recorded = await recordQueries(settings, databaseUrl, request)
  if (recorded.length === 0) return '-- the request runs no query\n'
  return await withClient(databaseUrl, 'reward-campaigns explain', async (client) => {
    const parts = []
    for (const query of recorded) parts.push(await explainQuery(client, query, settings.STATEMENT_TIMEOUT_MS))
    return parts.join('\n')
  })
}

/** Sends the request to an app of its own, and returns the queries of that app. */
async function recordQueries(settings: Settings, databaseUrl: string, { url, token }: ExplainedRequest) {
  const { queries, lookups, guard, close } = openServingDatabase({
    url: databaseUrl,
    poolSize: settings.DATABASE_POOL_SIZE,
    connectionTimeoutMs: settings.DATABASE_ACQUIRE_TIMEOUT_MS,
    statementTimeoutMs: settings.STATEMENT_TIMEOUT_MS,
    onIdleError: () => undefined,
  })
  const recorded: RecordedQuery[] = []
  record(queries.pool, 'custom', recorded)
  record(lookups.pool, 'generic', recorded)
  const app = await buildApp({
    database: queries.database,
    lookups: lookups.database,
    openSnapshot: openSnapshotsOf(queries.pool, guard),
    settings,
    databaseServer: () => guard.server,
    isReady: async () => true,
    logStream: new Writable({ write: (_line, _encoding, done) => done() }),
  })
  try {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const { statusCode, body } = await app.inject({ url, headers })
    if (statusCode >= 400) throw new ConfigurationError(`the response is ${statusCode}: ${body}`)
    return recorded
  } finally {
    await app.close()
    await close()
  }
}

/** Records each query of a pool that succeeds. Writes, such as the last use of a token, fail and are left out. */
function record(pool: pg.Pool, plans: RecordedQuery['plans'], recorded: RecordedQuery[]): void {
  pool.on('connect', (client) => void client.query('set default_transaction_read_only = on').catch(() => undefined))
  const query = pool.query.bind(pool) as (statement: pg.QueryConfig, values?: unknown[]) => Promise<pg.QueryResult>
  Object.assign(pool, {
    async query(statement: pg.QueryConfig, values?: unknown[]) {
      const result = await query(statement, values)
      recorded.push({ text: statement.text, values: values ?? statement.values ?? [], plans })
      return result
    },
  })
}

async function explainQuery(client: pg.Client, { text, values, plans }: RecordedQuery, timeoutMs: number) {
  const rows = await inSnapshot(client, { statementMs: timeoutMs }, async (query) => {
    await query(`set local plan_cache_mode = force_${plans}_plan`)
    return query<{ 'QUERY PLAN': string }>(`explain (analyze, buffers) ${text}`, values)
  })
  const parameters = values.map((value, index) => `-- $${index + 1} = ${toText(value)}\n`)
  const plan = rows.map((row) => `${row['QUERY PLAN']}\n`)
  return [`${text};\n`, ...parameters, ...plan].join('').split('\n').map(toPrintable).join('\n')
}

/** Bytes as PostgreSQL writes them. */
const toText = (value: unknown) => (Buffer.isBuffer(value) ? `'\\x${value.toString('hex')}'` : JSON.stringify(value))
