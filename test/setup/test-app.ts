import { join } from 'node:path'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { buildApp } from '../../src/app.ts'
import { readSettings } from '../../src/config.ts'
import { openServingDatabase, type ServingDatabase } from '../../src/database/connection/open-database.ts'
import { openSnapshotsOf } from '../../src/database/exported-records/export-snapshots.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { createServiceCounts, type ServiceCounts } from '../../src/observability/counters.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { createReusableDatabase, type ReusableDatabase } from './reusable-database.ts'
import { saveByImport } from './save-records.ts'

/** The real app, as tests use it that send requests and save records. */
export interface BorrowedTestApp extends AsyncDisposable {
  database: TestDatabase
  /** Lines of its log that report defects (level 50 and above). */
  defects: string[]
  /** Saves records in the database. */
  save: (...records: ImportRecord[]) => Promise<void>
  get: (url: string, headers?: Record<string, string>) => Promise<LightMyRequestResponse>
  inject: (request: InjectOptions) => Promise<LightMyRequestResponse>
  /** The moment of the next answers. */
  setNow: (now: Date) => void
}

/** One that no other test uses. */
export interface TestApp extends BorrowedTestApp {
  app: FastifyInstance
  /** The lanes on which it asks the database. */
  lanes: ServingDatabase
  /** What it has counted. */
  counts: ServiceCounts
  /** Messages of its log that warn (level 40). */
  warnings: string[]
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
  const service = await startService(given, database.url)
  const { app, lanes, counts, warnings } = service
  return {
    ...{ app: app as unknown as FastifyInstance, lanes, counts, warnings },
    ...toTestApp(service, database),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      if (shared === undefined) await database[Symbol.asyncDispose]()
      refuseLeaks(service)
    },
  }
}

/** An app that tests use one after the other, with its database. */
interface ReusableApp {
  settings: string
  service: Service
  database: ReusableDatabase
}

/** Those that wait for the next test of the process. */
const free: ReusableApp[] = []

/** More of them would take connections and memory of the server. */
const MAX_FREE = 3

/**
 * The same on a database with nothing stored, for a test that needs neither the app itself nor what it counts: both may
 * have served other tests, as building an app and warming its connections cost more than most tests do. To the app, the
 * emptied database is one that was restored from a backup: it serves nothing of what it has cached.
 */
export async function borrowTestApp(given: Record<string, string> = {}): Promise<BorrowedTestApp> {
  const used = await takeReusable(given)
  const { service } = used
  service.now = undefined
  service.defects = []
  let isLimited = false
  return {
    ...toTestApp(service, used.database, ({ statusCode }) => {
      isLimited ||= statusCode === 401 || statusCode === 429
    }),
    async [Symbol.asyncDispose]() {
      // Its limits count what was refused.
      if (isLimited || service.leaks.length > 0) await end(used)
      else if (free.push(used) > MAX_FREE) await end(free.shift() as ReusableApp)
      refuseLeaks(service)
    },
  }
}

async function takeReusable(given: Record<string, string>): Promise<ReusableApp> {
  const settings = JSON.stringify(given)
  const at = free.findIndex((app) => app.settings === settings)
  const [found] = at === -1 ? [] : free.splice(at, 1)
  if (found !== undefined) {
    if (await found.database.empty()) return found
    await end(found)
  }
  const database = await createReusableDatabase()
  return { settings, service: await startService(given, database.urlOfApp), database }
}

async function end({ service, database }: ReusableApp) {
  await service[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
}

interface Service extends AsyncDisposable {
  app: Awaited<ReturnType<typeof buildApp>>
  lanes: ServingDatabase
  counts: ServiceCounts
  leaks: string[]
  defects: string[]
  warnings: string[]
  now: Date | undefined
}

async function startService(given: Record<string, string>, url: string): Promise<Service> {
  const settings = readSettings({ LOG_LEVEL: 'trace', MAX_EVENT_LOOP_DELAY_MS: '0', DATABASE_URL: url, ...given })
  const lanes = openServingDatabase({
    url,
    // One client, which most tests are, gets four of them.
    poolSize: 16,
    connectionTimeoutMs: 10_000,
    maxExports: settings.MAX_EXPORTS,
    // Longer than the service has by itself, for the machine may be busy.
    statementTimeoutMs: Number(given.STATEMENT_TIMEOUT_MS ?? 30_000),
    onIdleError: () => undefined,
  })
  const counts = createServiceCounts()
  const app = await buildApp({
    database: lanes.queries.database,
    lookups: lanes.lookups.database,
    openSnapshot: openSnapshotsOf(lanes.exports.pool, lanes.guard),
    settings,
    databaseServer: () => lanes.guard.server,
    isReady: async () => (await lanes.lookups.database.execute('select 1')).rows.length === 1,
    explorerFolder: join(BUILD, 'explorer'),
    docsFolder: join(BUILD, 'docs'),
    loadMcp: () => import('reward-campaigns-mcp'),
    counts,
    now: () => service.now ?? new Date(),
    logStream: {
      write(line) {
        if (SECRET.test(line)) service.leaks.push(line)
        if (/"level":[5-9]\d/.test(line)) service.defects.push(line)
        if (line.includes('"level":40')) service.warnings.push(JSON.parse(line).msg)
      },
    },
  })
  const service: Service = {
    ...{ app, lanes, counts, leaks: [], defects: [], warnings: [], now: undefined },
    async [Symbol.asyncDispose]() {
      await app.close()
      await lanes.close()
    },
  }
  return service
}

function toTestApp(
  service: Service,
  database: TestDatabase,
  note: (response: LightMyRequestResponse) => void = () => {},
) {
  async function inject(request: InjectOptions) {
    const response = await service.app.inject(request)
    note(response)
    return response
  }
  return {
    database,
    inject,
    defects: service.defects,
    save: database.save ?? ((...records: ImportRecord[]) => saveByImport(database.url, records)),
    get: (url: string, headers: Record<string, string> = {}) => inject({ url, headers }),
    setNow(instant: Date) {
      service.now = instant
    },
  }
}

function refuseLeaks({ leaks }: Service) {
  if (leaks.length > 0) throw new Error(`a token was logged: ${leaks.join('')}`)
}
