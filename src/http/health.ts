import type { FastifyInstance } from 'fastify'
import { ServiceNotReadyError } from './errors.ts'

/** `/livez`: the process answers. `/readyz`: it can do its work; 503 with the reason where it cannot. */
export function addHealthRoutes(app: FastifyInstance, isReady: () => Promise<boolean>) {
  const hidden = { schema: { hide: true }, logLevel: 'warn' } as const
  app.get('/livez', hidden, async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))
  app.get('/readyz', hidden, async (_request, reply) => {
    if (!(await isReady())) throw new ServiceNotReadyError()
    return reply.header('cache-control', 'no-store').send({ status: 'ready' })
  })
}
