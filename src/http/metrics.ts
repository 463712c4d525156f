import { fastify } from 'fastify'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { version } from './openapi.ts'

/** The figures of a process: at first those of Node.js, and which version of the service runs. */
export function createRegister() {
  const register = new Registry()
  collectDefaultMetrics({ register })
  new Gauge({
    name: 'reward_campaigns_build_info',
    help: 'Version of the service, always 1',
    labelNames: ['version'] as const,
    registers: [register],
  }).set({ version }, 1)
  return register
}

/**
 * A server that shows figures at `/metrics`: on a listener of its own, so that they are never public by accident. What has
 * to be asked for is asked for by `refresh`, once for each reading.
 */
export function serveFigures(register: Pick<Registry, 'contentType' | 'metrics'>, refresh = async () => {}) {
  const server = fastify({ logger: false })
  // Who reads them are few, and the descriptors of the process are for others.
  server.server.maxConnections = 16
  server.get('/metrics', async (_request, reply) => {
    await refresh()
    return reply.type(register.contentType).send(await register.metrics())
  })
  return server
}
