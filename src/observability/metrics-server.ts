import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { fastify } from 'fastify'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { version } from '../schemas/version.ts'
import { addLivenessRoute } from './health.ts'

/** The metrics of a process: at first those of Node.js, and the version of the service. */
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

/** Few clients read metrics, and the process needs its file descriptors for others. */
const MAX_CONNECTIONS = 16

/** Closes the connection that has been idle longest if there are too many: idle clients do not lock others out. */
function boundConnections(server: Server) {
  const longestIdleFirst = new Set<Socket>()
  server.on('connection', (socket) => {
    const [longestIdle] = longestIdleFirst
    if (longestIdle !== undefined && longestIdleFirst.size >= MAX_CONNECTIONS) {
      longestIdleFirst.delete(longestIdle)
      longestIdle.destroy()
    }
    longestIdleFirst.add(socket)
    socket.once('close', () => longestIdleFirst.delete(socket))
  })
  server.on('request', ({ socket }) => {
    longestIdleFirst.delete(socket)
    longestIdleFirst.add(socket)
  })
}

/**
 * A server for `/metrics`, on a listener of its own, so that metrics are never public by accident. `refresh` updates
 * what has to be read from elsewhere, once for each scrape. `/livez` is here too: Node accepts one connection of a
 * listener in each turn of its loop, so a probe on the port of clients waits behind all who connect at that moment.
 */
export function serveMetrics(register: Pick<Registry, 'contentType' | 'metrics'>, refresh = async () => {}) {
  const server = fastify({ logger: false })
  boundConnections(server.server)
  addLivenessRoute(server)
  server.get('/metrics', async (_request, reply) => {
    await refresh()
    return reply.type(register.contentType).send(await register.metrics())
  })
  return server
}
