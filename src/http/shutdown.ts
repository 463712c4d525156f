import type { FastifyInstance } from 'fastify'
import { ShuttingDownError } from './errors.ts'

/** From the moment the app begins to close, what still arrives on open connections is refused. */
export function refuseWhileClosing(app: FastifyInstance) {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  // A connection that is kept alive would keep the process alive too.
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) void reply.header('connection', 'close')
  })
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id)
    if (isClosing && request.routeOptions.url !== '/livez') throw new ShuttingDownError()
  })
}
