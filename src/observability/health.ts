import type { FastifyInstance, LogLevel } from 'fastify'
import { ServiceNotReadyError } from 'reward-campaigns-strict-http/request/errors/errors'

const QUIETER_THAN_WARN: LogLevel[] = ['error', 'fatal', 'silent']

/** Probes come every few seconds: only failures are logged, and not more often than for other requests. */
const hiddenIn = (app: FastifyInstance) => ({
  schema: { hide: true },
  logLevel: QUIETER_THAN_WARN.find((level) => level === app.log.level) ?? ('warn' satisfies LogLevel),
})

/** `/livez`: the process responds. */
export function addLivenessRoute(app: FastifyInstance) {
  app.get('/livez', hiddenIn(app), async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  )
}

/** `/livez`, and `/readyz`: the process can do its work; 503 with the reason if not. */
export function addHealthRoutes(app: FastifyInstance, isReady: () => Promise<boolean>) {
  addLivenessRoute(app)
  app.get('/readyz', hiddenIn(app), async (_request, reply) => {
    if (!(await isReady())) throw new ServiceNotReadyError()
    return reply.header('cache-control', 'no-store').send({ status: 'ready' })
  })
}
