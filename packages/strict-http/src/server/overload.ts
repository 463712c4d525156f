import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { OverloadedError, TooManyConcurrentError } from '../request/errors/errors.ts'
import { RETRY_AFTER_SECONDS } from '../request/raw-responses.ts'
import { clientAddressOf } from '../security/client-addresses.ts'
import { isThisMachine } from './address-usage.ts'
import type { Connections } from './connections.ts'
import type { Exchange } from './exchanges.ts'
import { MAX_BYTES_PER_ADDRESS } from './response-buffers.ts'

const PROBES = new Set<string | undefined>(['/livez', '/readyz'])

/**
 * Refuses requests when too many responses are being made, for all clients or for one, or when the process is too busy.
 * Probes are not counted, because operators need them most at that time. A busy process does not refuse `/livez`
 * either: it is alive, and a restart would only add load.
 */
export function rejectWhileOverloaded(
  app: FastifyInstance,
  connections: Connections,
  limits: { maxConcurrent: number; maxConcurrentPerAddress: number; maxDelayMs: number; isBehindProxy: boolean },
) {
  const { exchanges } = connections
  const eventLoopDelay = limits.maxDelayMs === 0 ? () => 0 : measureEventLoopDelay(app)

  function findRejection({ raw }: FastifyRequest, exchange: Exchange | undefined) {
    if (exchanges.rendering > limits.maxConcurrent || connections.isForProbes(raw)) return new OverloadedError()
    if (exchange === undefined) return undefined
    const { network, rendering, bodyBytes } = exchange.client
    const isBeyondShare =
      (rendering > limits.maxConcurrentPerAddress && !isThisMachine(network)) || bodyBytes >= MAX_BYTES_PER_ADDRESS
    return isBeyondShare ? new TooManyConcurrentError() : undefined
  }

  app.addHook('onRequest', (request, reply, done) => {
    const { url } = request.routeOptions
    const exchange = connections.exchangeOf(request.raw)
    if (limits.isBehindProxy && exchange !== undefined) exchanges.assign(exchange, clientAddressOf(request))
    const isTooBusy = eventLoopDelay() > limits.maxDelayMs && url !== '/livez'
    const error = isTooBusy ? new OverloadedError() : PROBES.has(url) ? undefined : findRejection(request, exchange)
    if (connections.isForProbes(request.raw)) void reply.header('connection', 'close')
    if (error?.statusCode === 429) void reply.header('retry-after', RETRY_AFTER_SECONDS)
    done(error)
  })
}

/** The period over which the delay is measured before it counts. */
const POLL_INTERVAL_MS = 1000

/** The sampling interval; this much delay counts as none. */
const RESOLUTION_MS = 10

/**
 * Measures how late the event loop is, as the mean of the last second; returns a function that reads it in
 * milliseconds.
 */
function measureEventLoopDelay(app: FastifyInstance): () => number {
  let delayMs = 0
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  const timer = setInterval(() => {
    // Without a single sample in this period there is no mean.
    delayMs = histogram.count === 0 ? POLL_INTERVAL_MS : Math.max(0, histogram.mean / 1e6 - RESOLUTION_MS)
    histogram.reset()
  }, POLL_INTERVAL_MS).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    histogram.disable()
  })
  return () => delayMs
}
