import { setFlagsFromString } from 'node:v8'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../database/connection/client.ts'
import { explainFailure, isOutOfSpace } from '../../database/connection/database-errors.ts'
import { migrateDatabase, requireCurrentSchema } from '../../database/migrations.ts'
import { createRegister, serveMetrics } from '../../observability/metrics-server.ts'
import { measureService } from '../../observability/service-metrics.ts'
import { createDatabaseAccess, retryWhileAway } from '../../process/database-access.ts'
import { createHttpService, type StartupProgress } from '../../process/http-service.ts'
import { addressOf, listenOn, logReady } from '../../process/listen.ts'
import { closeAll, ending, handleSignals, onShutdown, SHARE_OF_REQUESTS } from '../../process/shutdown.ts'
import { createDataMetricsReader } from '../../read-models/data-version/read.ts'
import type { Settings } from '../../settings.ts'
import { fillWithSample } from '../sample.ts'
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
  const { app, start, queries, lookups, guard, counts } = await createHttpService(settings, {
    loadMcp: () => import('reward-campaigns-mcp'),
  })
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
    await prepareDatabase({ settings, access, database, log: app.log, onProgress: start.record })
    if (start.isDone) logReady(app.log, addressOf(app), settings)
    const changesKeepHours = settings.CHANGES_KEEP_HOURS
    await runPeriodicMaintenance({ database, log: app.log, changesKeepHours, signal: ending })
  } catch (error) {
    // Work that the shutdown interrupts has not failed.
    if (ending.aborted) return
    await closeAll()
    throw error
  }
}

interface Preparation {
  settings: Settings
  access: ReturnType<typeof createDatabaseAccess>
  /** Queries the database once its address is known. */
  database: Database
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Called with the progress of the start. */
  onProgress: (news: StartupProgress) => void
}

/**
 * Makes sure that the database of a service exists and is current, as long as that takes, or until the process ends: an
 * unreachable one is tried again and again.
 * @throws errors that only an operator can resolve, such as an outdated schema.
 */
async function prepareDatabase({ settings, access, database, log, onProgress }: Preparation) {
  const { url, isEmbedded } = await access.open()
  onProgress({ state: 'under way', url })
  let known: string | undefined
  await retryWhileAway(prepare, (error) => {
    // A full disk of this machine is up to its owner.
    if (isEmbedded && isOutOfSpace(error)) throw error
    onProgress({ state: 'failing', url })
    const reason = explainFailure(error)
    if (reason !== known) log.warn({ reason }, 'database not ready, retrying')
    known = reason
  })
  onProgress({ state: 'done', url })

  async function prepare() {
    if (isEmbedded || settings.MIGRATE_ON_START) {
      const applied = await migrateDatabase(url, {
        onWait: () => log.info('another process migrates the database, waiting'),
        onBlocked: (reason) => log.warn({ reason }, 'migration blocked by other transactions, waiting'),
      })
      if (applied > 0) log.info({ migrations: applied }, 'database migrated')
    }
    await requireCurrentSchema(database)
    if (isEmbedded && settings.SAMPLE_DATA) await fillWithSample(url, database, (what) => log.info(what))
  }
}
