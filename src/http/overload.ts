import type { FastifyInstance, FastifyRequest } from 'fastify'
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
  app.addHook('onRequest', (request, _reply, done) => {
    const isOverloaded = connections.underWay > mostUnderWay || eventLoopDelay() > mostDelayMs
    done(isOverloaded && request.routeOptions.url !== '/livez' ? new OverloadedError() : undefined)
  })
}

/** Ends what the handlers of a scope ask of the database when the client has gone. */
export function abandonWithClient(
  scope: FastifyInstance,
  signalOf: (request: FastifyRequest) => AbortSignal | undefined,
) {
  scope.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      return askUntil(signalOf(request), async () => handler.call(this, request, reply))
    }
  })
}
