import type { FastifyInstance } from 'fastify'
import { askUntil } from '../database/abandonment.ts'
import type { Connections } from './connections.ts'
import { OverloadedError } from './errors.ts'
import { measureEventLoopDelay } from './event-loop-delay.ts'

/**
 * Refuses requests while there are too many of them, or the process is too busy. Not `/livez`: a busy process is alive,
 * and whoever restarts it would only add to the load.
 */
export function refuseWhileOverloaded(
  app: FastifyInstance,
  connections: Connections,
  { mostUnderWay, mostDelayMs }: { mostUnderWay: number; mostDelayMs: number },
) {
  const eventLoopDelay = mostDelayMs === 0 ? () => 0 : measureEventLoopDelay(app)
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.url === '/livez') return
    if (connections.underWay > mostUnderWay || eventLoopDelay() > mostDelayMs) throw new OverloadedError()
  })
}

/** Ends what a request asks of the database when its client has gone. */
export function abandonWithClient(app: FastifyInstance, connections: Connections) {
  app.addHook('onRequest', (request, _reply, done) => {
    const signal = connections.signalOf(request.raw)
    if (signal === undefined) done()
    else askUntil(signal, done)
  })
}
