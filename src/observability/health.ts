import type { FastifyInstance, LogLevel } from 'fastify'
import { ServiceNotReadyError } from '../http/request/errors/errors.ts'

const QUIETER_THAN_WARN: LogLevel[] = ['error', 'fatal', 'silent']

/** `/livez`: the process responds. `/readyz`: it can do its work; 503 with the reason if not. */
export function addHealthRoutes(app: FastifyInstance, isReady: () => Promise<boolean>) {
  // Probes come every few seconds: only failures are logged, and not more often than for other requests.
  const logLevel: LogLevel = QUIETER_THAN_WARN.find((level) => level === app.log.level) ?? 'warn'
  const hidden = { schema: { hide: true }, logLevel }
  app.get('/livez', hidden, async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))
  app.get('/readyz', hidden, async (_request, reply) => {
    if (!(await isReady())) throw new ServiceNotReadyError()
    return reply.header('cache-control', 'no-store').send({ status: 'ready' })
  })
}
