import { devNull } from 'node:os'
import { openDatabase } from '../database/client.ts'
import { createDataFigureReader } from '../database/data-figures.ts'
import { DatabaseAwayError, describeFailure } from '../database/failures.ts'
import { openLog } from '../http/logging.ts'
import { createRegister, serveFigures } from '../http/metrics.ts'
import { createClientCounts } from '../http/rate-limits.ts'
import { measureData } from '../http/service-figures.ts'
import type { Settings } from '../settings.ts'
import { createDatabaseAccess } from './database-access.ts'
import { closeAll, closeAtEnd, endInOrder, ending, SHARE_OF_REQUESTS } from './ending.ts'
import { findPort, listenOn, toLocalUrl } from './listening.ts'
import { advanceFromTimeToTime, prepareDatabase } from './service-database.ts'
import type { StartNews } from './service-start.ts'
import { SUPERVISING_CONNECTIONS } from './serving-connections.ts'
import { tellReady } from './welcome.ts'
import { createWorkerFigures } from './worker-figures.ts'
import { superviseProcesses } from './worker-processes.ts'

/**
 * `serve` with several workers: they serve, and this process does what is to be done once. It sees to the database and
 * tells the workers of it, keeps the counts of the limits that they share, shows the figures of all, and ends them.
 */
export async function superviseWorkers(settings: Settings) {
  let tell = (error: unknown) => console.error(error)
  endInOrder({
    timeoutMs: settings.SHUTDOWN_TIMEOUT_SECONDS * 1000 * SHARE_OF_REQUESTS,
    toExitCode: () => 0,
    onError: (error) => tell(error),
  })
  const log = await openLog(settings.LOG_LEVEL)
  tell = (err) => log.fatal({ err }, 'the service ends because of an error')
  const access = createDatabaseAccess(settings, (what) => log.info(what))
  let news: StartNews = { state: 'under way', url: settings.DATABASE_URL }
  const { database, close } = openDatabase({
    url() {
      if (news.url === undefined) throw new DatabaseAwayError('the database is still being created')
      return news.url
    },
    poolSize: SUPERVISING_CONNECTIONS,
    connectionTimeoutMs: settings.CONNECTION_TIMEOUT_MS,
    statementTimeoutMs: settings.STATEMENT_TIMEOUT_MS,
    onIdleError: (error) => log.warn({ reason: describeFailure(error) }, 'a database connection was lost'),
  })
  closeAtEnd(close)
  const register = createRegister()
  const figures = createWorkerFigures(register)
  const refresh = measureData(
    register,
    createDataFigureReader(database, () => new Date()),
  )
  const metrics = settings.METRICS_PORT === undefined ? undefined : serveFigures(figures, refresh)
  closeAtEnd(async () => metrics?.close())

  try {
    if (metrics !== undefined) await listenOn(metrics, settings, 'METRICS_PORT')
    const port = await findPort(settings)
    const workers = superviseWorkersOn(port)
    await workers.start()
    await prepareDatabase({ settings, access, database, log, onNews: workers.note })
    if (news.state === 'done') tellReady(log, toLocalUrl(settings.HOST, port), settings)
    await advanceFromTimeToTime(database, log)
  } catch (error) {
    // What is cut off by the end has not failed.
    if (ending.aborted) return
    await closeAll()
    throw error
  }

  function superviseWorkersOn(port: number) {
    const countClient = createClientCounts(() => new Date())
    const workers = superviseProcesses({
      count: settings.WORKERS,
      // One port for all, where any is meant; and the settings are those of this process, whenever a worker is replaced.
      environment: { PORT: String(port), ENV_FILE: devNull },
      log,
      onMessage(worker, message) {
        if (message.kind === 'hello') {
          figures.open(worker.id, (request) => workers.tell(worker, request))
          workers.tell(worker, { kind: 'news', news })
        }
        if (message.kind === 'figures') figures.note(message.id, message.figures)
        if (message.kind === 'clients') {
          const rates = message.clients.map((client) => countClient(...client))
          workers.tell(worker, { kind: 'rates', id: message.id, rates })
        }
      },
      onEnd: (worker) => void figures.close(worker.id),
    })
    closeAtEnd(workers.kill, { isNeededInHaste: true })
    closeAtEnd(workers.close)
    return {
      start: workers.start,
      note(next: StartNews) {
        news = next
        workers.tellAll({ kind: 'news', news })
      },
    }
  }
}
