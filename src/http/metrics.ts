import type { FastifyInstance } from 'fastify'
import { fastify } from 'fastify'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

interface PoolFigures {
  totalCount: number
  idleCount: number
  waitingCount: number
}

/**
 * Measures every request of `app` by route and status, and the pools of database connections. Returns the server that shows the figures
 * at `/metrics`: on a listener of its own, so that they are never public by accident.
 */
export function createMetricsServer(app: FastifyInstance, pools: Record<string, PoolFigures>) {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [register],
  })
  new Gauge({
    name: 'database_connections',
    help: 'Connections of each pool, and queries that wait for one',
    labelNames: ['pool', 'state'] as const,
    registers: [register],
    collect() {
      for (const [name, { totalCount, idleCount, waitingCount }] of Object.entries(pools)) {
        this.set({ pool: name, state: 'idle' }, idleCount)
        this.set({ pool: name, state: 'busy' }, totalCount - idleCount)
        this.set({ pool: name, state: 'waiting' }, waitingCount)
      }
    },
  })
  app.addHook('onResponse', async (request, reply) => {
    const labels = { method: request.method, route: request.routeOptions.url ?? 'unknown', status: reply.statusCode }
    durations.observe(labels, reply.elapsedTime / 1000)
  })
  return serveFigures(register)
}

/** A server that shows figures at `/metrics`. */
export function serveFigures(register: Registry) {
  const server = fastify({ logger: false })
  // Who reads them are few, and the descriptors of the process are for others.
  server.server.maxConnections = 16
  server.get('/metrics', async (_request, reply) => reply.type(register.contentType).send(await register.metrics()))
  return server
}
