import { join } from 'node:path'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { buildApp } from '../../src/app.ts'
import { readSettings } from '../../src/config.ts'
import { openServingDatabase, type ServingDatabase } from '../../src/database/connection/open-database.ts'
import { openSnapshotsOf } from '../../src/database/records/export-snapshots.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { createServiceCounts, type ServiceCounts } from '../../src/observability/counters.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { saveByImport } from './save-records.ts'

export interface TestApp extends AsyncDisposable {
  app: FastifyInstance
  database: TestDatabase
  /** The lanes on which it asks the database. */
  lanes: ServingDatabase
  /** What it has counted. */
  counts: ServiceCounts
  /** Lines of its log that report defects (level 50 and above). */
  defects: string[]
  /** Saves records in the database. */
  save: (...records: ImportRecord[]) => Promise<void>
  get: (url: string, headers?: Record<string, string>) => Promise<LightMyRequestResponse>
  /** The moment of the next answers. */
  setNow: (now: Date) => void
}

/** Where the set-up of the tests has made what is served. */
export const BUILD = join(import.meta.dirname, '../../.test-build')

/** A token, not in the form in which it may be logged. */
const SECRET = /rcs_[A-Za-z0-9_-]{20,}/

/**
 * The real app on a database of its own, or on one that it shares with others and leaves to them. `settings` are
 * environment variables. Everything is logged into memory; at its end the app throws where a token is in the log.
 */
export async function startTestApp(given: Record<string, string> = {}, shared?: TestDatabase): Promise<TestApp> {
  const database = shared ?? (await createTestDatabase())
  const settings = readSettings({
    LOG_LEVEL: 'trace',
    MAX_EVENT_LOOP_DELAY_MS: '0',
    DATABASE_URL: database.url,
    ...given,
  })
  const opened = openServingDatabase({
    url: database.url,
    // One client, which most tests are, gets four of them.
    poolSize: 16,
    connectionTimeoutMs: 10_000,
    // Longer than the service has by itself, for the machine may be busy.
    statementTimeoutMs: Number(given.STATEMENT_TIMEOUT_MS ?? 30_000),
    onIdleError: () => undefined,
  })
  const counts = createServiceCounts()
  const leaks: string[] = []
  const defects: string[] = []
  let now: Date | undefined
  const app = await buildApp({
    database: opened.queries.database,
    lookups: opened.lookups.database,
    openSnapshot: openSnapshotsOf(opened.exports.pool, opened.guard),
    settings,
    databaseServer: () => opened.guard.server,
    isReady: async () => (await opened.lookups.database.execute('select 1')).rows.length === 1,
    explorerFolder: join(BUILD, 'explorer'),
    docsFolder: join(BUILD, 'docs'),
    loadMcp: () => import('reward-campaigns-mcp'),
    counts,
    now: () => now ?? new Date(),
    logStream: {
      write(line) {
        if (SECRET.test(line)) leaks.push(line)
        if (/"level":[5-9]\d/.test(line)) defects.push(line)
      },
    },
  })
  return {
    app: app as unknown as FastifyInstance,
    database,
    lanes: opened,
    counts,
    defects,
    save: database.save ?? ((...records) => saveByImport(database.url, records)),
    get: (url, headers = {}) => app.inject({ url, headers }),
    setNow(instant) {
      now = instant
    },
    async [Symbol.asyncDispose]() {
      await app.close()
      await opened.close()
      if (shared === undefined) await database[Symbol.asyncDispose]()
      if (leaks.length > 0) throw new Error(`a token was logged: ${leaks.join('')}`)
    },
  }
}
