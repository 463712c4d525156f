import { setFlagsFromString } from 'node:v8'
import { createRegister, serveFigures } from '../observability/metrics-server.ts'
import { measureService } from '../observability/service-metrics.ts'
import { createDatabaseAccess } from '../process/database-access.ts'
import { createHttpService } from '../process/http-service.ts'
import { addressOf, listenOn } from '../process/listen.ts'
import { tellReady } from '../process/ready-message.ts'
import { closeAll, closeAtEnd, endInOrder, ending, SHARE_OF_REQUESTS } from '../process/shutdown.ts'
import { createDataFigureReader } from '../read-models/data-version/read.ts'
import type { Settings } from '../settings.ts'
import { advanceFromTimeToTime, prepareDatabase } from './service-database.ts'

/**
 * How much the heap may grow beyond what was in use before garbage is collected. By itself Node.js lets it grow to several
 * times that: under load to a gigabyte of which a tenth is needed. Costs about one percent of the processor.
 */
const HEAP_GROWTH_PERCENT = 40

/**
 * `serve`: the HTTP service, until SIGTERM or SIGINT. It listens first, so that it can say how it is, and then sees to its
 * database. One that is away is tried again and again; a schema that is behind ends it.
 */
export async function serve(settings: Settings) {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`)
  let tell = (error: unknown) => console.error(error)
  endInOrder({
    timeoutMs: settings.SHUTDOWN_TIMEOUT_SECONDS * 1000 * SHARE_OF_REQUESTS,
    toExitCode: () => 0,
    onError: (error) => tell(error),
  })
  const access = createDatabaseAccess(settings, (what) => app.log.info(what))
  const { app, start, questions, lookups, guard, counts } = await createHttpService(settings)
  tell = (err) => app.log.fatal({ err }, 'fatal error, shutting down')
  const metrics = settings.METRICS_PORT === undefined ? undefined : createMetricsServer()
  closeAtEnd(async () => metrics?.close())
  closeAtEnd(() => app.close())

  function createMetricsServer() {
    const register = createRegister()
    const readData = createDataFigureReader(lookups.database, () => new Date())
    const pools = { queries: questions.pool, lookups: lookups.pool }
    return serveFigures(register, measureService(register, { app, pools, guard, counts, readData }))
  }

  try {
    if (metrics !== undefined) await listenOn(metrics, settings, 'METRICS_PORT')
    await listenOn(app, settings, 'PORT')
    const { database } = questions
    await prepareDatabase({ settings, access, database, log: app.log, onNews: start.note })
    if (start.isDone) tellReady(app.log, addressOf(app), settings)
    await advanceFromTimeToTime(database, app.log)
  } catch (error) {
    // What is cut off by the end has not failed.
    if (ending.aborted) return
    await closeAll()
    throw error
  }
}
