import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Asker, askAs } from '../database/abandonment.ts'
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

/** Charges what the handlers of a scope ask of the database to the client, and ends it when that has gone. */
export function abandonWithClient(scope: FastifyInstance, askerOf: (request: FastifyRequest) => Asker) {
  scope.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      return askAs(askerOf(request), async () => handler.call(this, request, reply))
    }
  })
}
