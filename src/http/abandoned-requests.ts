import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Caller, runAs } from '../abort-context.ts'

/** Charges the database queries of a scope's handlers to the client, and cancels them when the client disconnects. */
export function abandonWithClient(scope: FastifyInstance, callerOf: (request: FastifyRequest) => Caller) {
  scope.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      return runAs(callerOf(request), async () => handler.call(this, request, reply))
    }
  })
}
