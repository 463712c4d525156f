import cluster from 'node:cluster'
import type { FastifyInstance } from 'fastify'
import { createRegister } from '../http/metrics.ts'
import { measureWork } from '../http/service-figures.ts'
import type { Settings } from '../settings.ts'
import { closeAll, closeAtEnd, endInOrder, ending, SHARE_OF_REQUESTS } from './ending.ts'
import { createHttpService } from './http-service.ts'
import { listenOn } from './listening.ts'
import { createSharedCounts } from './worker-limits.ts'
import { ALIVE_MS, type FromWorker, type ToWorker } from './worker-messages.ts'

/**
 * One of several processes that serve on one port. It listens first; how the database is, it is told by the process that
 * supervises it, whose end is its end too.
 */
export async function serveAsWorker(settings: Settings) {
  let tell = (error: unknown) => console.error(error)
  const end = endInOrder({
    timeoutMs: settings.SHUTDOWN_TIMEOUT_SECONDS * 1000 * SHARE_OF_REQUESTS,
    toExitCode: () => 0,
    // A terminal signals every process, and npm one of them: which wish is serious can be told in one place only.
    isLed: true,
    onError: (error) => tell(error),
  })
  const limits = createSharedCounts(say)
  process.once('disconnect', () => {
    limits.leave()
    end()
  })
  // Otherwise it would end with the other process on the spot, whatever is under way.
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true

  const { app, start, counts, pools, replicas } = await createHttpService(settings, limits.countClient)
  tell = (err) => app.log.fatal({ err }, 'a worker ends because of an error')
  const register = settings.METRICS_PORT === undefined ? undefined : createRegister()
  if (register !== undefined) measureWork(register, { app, pools, replicas, counts })
  process.on('message', async (message: ToWorker) => {
    if (message.kind === 'news') start.note(message.news)
    if (message.kind === 'rates') limits.note(message.id, message.rates)
    if (message.kind === 'figures' && register !== undefined)
      say({ kind: 'figures', id: message.id, figures: await register.getMetricsAsJSON() })
  })
  say({ kind: 'hello' })
  closeAtEnd(() => app.close())
  setInterval(() => say({ kind: 'alive' }), ALIVE_MS).unref()

  try {
    await listenSilently(app, settings)
  } catch (error) {
    if (ending.aborted) return
    await closeAll()
    process.channel?.unref()
    throw error
  }
}

/** Where the service listens is said once, not by each worker. */
async function listenSilently(app: FastifyInstance, settings: Settings) {
  const { level } = app.log
  app.log.level = 'silent'
  await listenOn(app, settings, 'PORT')
  app.log.level = level
}

/** The other process may have ended at any moment. */
function say(message: FromWorker) {
  process.send?.(message, undefined, {}, () => undefined)
}
