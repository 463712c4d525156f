import { EventEmitter, once } from 'node:events'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { withDeadline } from '../../abort-signals.ts'
import { buildApp } from '../../app.ts'
import { areTracesWanted } from '../../config.ts'
import {
  DatabaseUnreachableError,
  describeFailure,
  explainFailure,
  isOutOfSpace,
} from '../../database/connection/database-errors.ts'
import { type Database, openServingDatabase } from '../../database/connection/open-database.ts'
import { openSnapshotsOf } from '../../database/exported-records/export-snapshots.ts'
import { migrateDatabase } from '../../database/migrate-database.ts'
import { requireCurrentSchema } from '../../database/schema-version.ts'
import { createServiceCounts } from '../../observability/counters.ts'
import { createRegister, serveMetrics } from '../../observability/metrics-server.ts'
import { measureService } from '../../observability/service-metrics.ts'
import { createDatabaseAccess, retryWhileAway } from '../../process/database-access.ts'
import { addressOf, listenOn, logReady, type ServedData } from '../../process/listen.ts'
import { closeAll, ending, handleSignals, onShutdown, SHARE_OF_REQUESTS } from '../../process/shutdown.ts'
import { followCampaigns } from '../../read-models/campaign-index/read.ts'
import { createDataMetricsReader } from '../../read-models/data-version/read.ts'
import { version } from '../../schemas/version.ts'
import type { Settings } from '../../settings.ts'
import { fillWithSample, holdsSample } from '../sample.ts'
import { runPeriodicMaintenance } from './periodic-maintenance.ts'

/**
 * How much the heap may grow beyond the memory in use before garbage is collected. By default Node.js lets it grow to
 * several times that: under load to a gigabyte, a tenth of which is needed. Costs about one percent of CPU.
 */
const HEAP_GROWTH_PERCENT = 40

/**
 * `serve`: the HTTP service, until SIGTERM or SIGINT. It listens first, so that probes work, and then prepares its
 * database. An unreachable one is tried again and again; an outdated schema ends it.
 */
export async function serve(settings: Settings) {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`)
  let report = (error: unknown) => console.error(error)
  handleSignals({
    timeoutMs: settings.SHUTDOWN_TIMEOUT_SECONDS * 1000 * SHARE_OF_REQUESTS,
    toExitCode: () => 0,
    onError: (error) => report(error),
  })
  const access = createDatabaseAccess(settings, (what) => app.log.info(what))
  const { app, start, queries, lookups, guard, counts, campaignIndex } = await createHttpService(settings)
  report = (err) => app.log.fatal({ err }, 'fatal error, shutting down')
  const metrics = settings.METRICS_PORT === undefined ? undefined : createMetricsServer()
  onShutdown(async () => metrics?.close())
  onShutdown(() => app.close())

  function createMetricsServer() {
    const register = createRegister()
    const readData = createDataMetricsReader(lookups.database, () => new Date())
    const pools = { queries: queries.pool, lookups: lookups.pool }
    return serveMetrics(register, measureService(register, { app, pools, guard, counts, readData }))
  }

  try {
    if (metrics !== undefined) await listenOn(metrics, settings, 'METRICS_PORT')
    await listenOn(app, settings, 'PORT')
    const { database } = queries
    const served = await prepareDatabase({ settings, access, database, log: app.log, onProgress: start.record })
    // Requests wait for it, and load it again where it fails.
    if (settings.SURFACES.includes('public')) void campaignIndex.start().catch(() => undefined)
    logReady(app.log, addressOf(app), settings, served)
    const changesKeepHours = settings.CHANGES_KEEP_HOURS
    await runPeriodicMaintenance({ database, log: app.log, changesKeepHours, signal: ending })
  } catch (error) {
    // Work that the shutdown interrupts has not failed.
    if (ending.aborted) return
    await closeAll()
    throw error
  }
}

/** The part of the shutdown time that the last traces may take. */
const SHARE_OF_TRACES = 0.05

/**
 * The HTTP service of a process, not yet listening, with its database pools. Until the start is
 * complete, requests wait briefly for that, and then get 503.
 */
async function createHttpService(settings: Settings) {
  const start = createStart(settings)
  const { queries, lookups, exports, guard, close } = openServingDatabase({
    poolSize: settings.DATABASE_POOL_SIZE,
    maxExports: settings.MAX_EXPORTS,
    queueSize: settings.DATABASE_MAX_PENDING_QUERIES,
    connectionTimeoutMs: settings.DATABASE_ACQUIRE_TIMEOUT_MS,
    statementTimeoutMs: settings.STATEMENT_TIMEOUT_MS,
    url() {
      if (start.url === undefined) throw new DatabaseUnreachableError('the database is still being created')
      return start.url
    },
    onIdleError: (error) => app.log.warn({ reason: describeFailure(error) }, 'database connection lost'),
    onOlderTimeline: ({ address, timeline }, newest) =>
      app.log.error({ server: address, timeline, newest }, 'old primary is back, closing its connections: fence it'),
  })
  onShutdown(close)
  const traces = areTracesWanted() ? (await import('../../observability/traces.ts')).openTraces(version) : undefined
  onShutdown(async () => traces?.close(settings.SHUTDOWN_TIMEOUT_SECONDS * 1000 * SHARE_OF_TRACES))

  const counts = createServiceCounts()
  const openSnapshot = openSnapshotsOf(exports.pool, guard)
  const campaignIndex = followCampaigns(lookups.database, openSnapshot)
  const app = await buildApp({
    database: queries.database,
    lookups: lookups.database,
    openSnapshot,
    campaignIndex,
    settings,
    isReady: async () => {
      if (!start.isDone || ending.aborted) return false
      // Also checked later: an older backup may have been restored under a running service.
      await requireCurrentSchema(lookups.database)
      // What every request reads: missing rights are noticed before the first request.
      await lookups.database.execute(sql`select from data_versions, followed_chains limit 0`)
      return true
    },
    isStarted: start.wait,
    databaseServer: () => guard.server,
    trace: traces?.follow,
    loadMcp: () => import('reward-campaigns-mcp'),
    counts,
    // Built together with the commands.
    explorerFolder: join(import.meta.dirname, '../explorer'),
    docsFolder: join(import.meta.dirname, '../docs'),
  })
  return { app, queries, lookups, guard, counts, start, campaignIndex }
}

/** How long a request waits for the embedded server and its sample data, which are made as fast as possible. */
const EMBEDDED_START_MS = 60_000

/** The startup of a service with its database, and the address of that once it is known. */
interface StartupProgress {
  state: 'under way' | 'failing' | 'done'
  url: string | undefined
}

/** Whether the service has started: requests wait for a start that succeeds, and a failing one is reported at once. */
function createStart({ DATABASE_URL: url, DATABASE_ACQUIRE_TIMEOUT_MS }: Settings) {
  const maxWaitMs = url === undefined ? EMBEDDED_START_MS : DATABASE_ACQUIRE_TIMEOUT_MS
  let progress: StartupProgress = { state: 'under way', url }
  const changed = new EventEmitter().setMaxListeners(0)
  return {
    get isDone() {
      return progress.state === 'done'
    },
    get url() {
      return progress.url
    },
    record(next: StartupProgress) {
      progress = next
      changed.emit('change')
    },
    async wait() {
      await withDeadline(maxWaitMs, ending, async (enough) => {
        while (progress.state === 'under way' && !enough.aborted) {
          await once(changed, 'change', { signal: enough }).catch(() => undefined)
        }
      })
      return progress.state === 'done'
    },
  }
}

interface Preparation {
  settings: Settings
  access: ReturnType<typeof createDatabaseAccess>
  /** Queries the database once its address is known. */
  database: Database
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Called with the progress of the start. */
  onProgress: (progress: StartupProgress) => void
}

/**
 * Makes sure that the database of a service exists and is current, as long as that takes, or until the process ends: an
 * unreachable one is tried again and again.
 * @returns what it is.
 * @throws errors that only an operator can resolve, such as an outdated schema.
 */
async function prepareDatabase({ settings, access, database, log, onProgress }: Preparation): Promise<ServedData> {
  const { url, isEmbedded, describe } = await access.open()
  onProgress({ state: 'under way', url })
  let known: string | undefined
  const served = await retryWhileAway(prepare, (error) => {
    // A full disk of this machine is up to its owner.
    if (isEmbedded && isOutOfSpace(error)) throw error
    onProgress({ state: 'failing', url })
    const reason = explainFailure(error)
    if (reason !== known) log.warn({ reason }, 'database not ready, retrying')
    known = reason
  })
  onProgress({ state: 'done', url })
  return served

  async function prepare() {
    if (isEmbedded || settings.MIGRATE_ON_START) {
      const applied = await migrateDatabase(url, {
        onWait: () => log.info('another process migrates the database, waiting'),
        onBlocked: (reason) => log.warn({ reason }, 'migration blocked by other transactions, waiting'),
      })
      if (applied.migrations + applied.objects.length > 0) log.info('database migrated')
    }
    await requireCurrentSchema(database)
    if (isEmbedded && settings.SAMPLE_DATA) await fillWithSample(url, database, (what) => log.info(what))
    return { database: await describe(database), hasSampleData: await holdsSample(database) }
  }
}
