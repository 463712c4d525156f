import { setFlagsFromString } from 'node:v8'
import { createRegister, serveMetrics } from '../../observability/metrics-server.ts'
import { measureService } from '../../observability/service-metrics.ts'
import { createDatabaseAccess } from '../../process/database-access.ts'
import { createHttpService } from '../../process/http-service.ts'
import { addressOf, listenOn } from '../../process/listen.ts'
import { logReady } from '../../process/ready-message.ts'
import { closeAll, ending, handleSignals, onShutdown, SHARE_OF_REQUESTS } from '../../process/shutdown.ts'
import { createDataMetricsReader } from '../../read-models/data-version/read.ts'
import type { Settings } from '../../settings.ts'
import { runPeriodicMaintenance } from './periodic-maintenance.ts'
import { prepareDatabase } from './service-database.ts'

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
