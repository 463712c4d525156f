import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'

/** The period over which the delay is measured before it counts. */
const POLL_INTERVAL_MS = 1000

/** The sampling interval; this much delay counts as none. */
const RESOLUTION_MS = 10

/**
 * Measures how late the event loop is, as the mean of the last second; returns a function that reads it in
 * milliseconds.
 */
export function measureEventLoopDelay(app: FastifyInstance): () => number {
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
