import type { FastifyInstance } from 'fastify'
import { ShuttingDownError } from './errors.ts'

/** How often it is looked whether the last request has been answered. */
const LOOK_MS = 20

/**
 * From the moment the app begins to close, what still arrives on open connections is refused; and once no request is
 * under way, or `mostMs` later at the latest, connections are cut, whatever their clients have not finished sending.
 */
export function refuseWhileClosing(app: FastifyInstance, mostMs: number) {
  let isClosing = false
  let underWay = 0
  let looking: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    isClosing = true
    const deadline = Date.now() + mostMs
    looking = setInterval(() => {
      // Also those that have never sent a request, for which Node would wait for ever.
      if (underWay === 0 || Date.now() >= deadline) app.server.closeAllConnections()
    }, LOOK_MS)
  })
  app.addHook('onClose', async () => clearInterval(looking))
  // A connection that is kept alive would keep the process alive too.
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) void reply.header('connection', 'close')
  })
  app.addHook('onRequest', async (request, reply) => {
    underWay += 1
    reply.raw.once('close', () => {
      underWay -= 1
    })
    void reply.header('x-request-id', request.id)
    if (isClosing && request.routeOptions.url !== '/livez') throw new ShuttingDownError()
  })
}
