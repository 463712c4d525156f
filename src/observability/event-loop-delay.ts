import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'

/** How long the delay is looked at before it is judged. */
const POLL_INTERVAL_MS = 1000

/** How often it is measured: as much delay is none. */
const RESOLUTION_MS = 10

/** Measures by how much the event loop is late, as the mean of the last second; returns what it is now, in milliseconds. */
export function measureEventLoopDelay(app: FastifyInstance): () => number {
  let delayMs = 0
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  const timer = setInterval(() => {
    // Where not even one measurement came about in all this time, there is no mean.
    delayMs = histogram.count === 0 ? POLL_INTERVAL_MS : Math.max(0, histogram.mean / 1e6 - RESOLUTION_MS)
    histogram.reset()
  }, POLL_INTERVAL_MS).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    histogram.disable()
  })
  return () => delayMs
}
