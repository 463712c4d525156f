import { once } from 'node:events'
import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { withAbort } from '../abort-context.ts'
import type { DataMetrics } from '../read-models/data-version/read.ts'
import type { ServiceCounts } from './counters.ts'
import { patternOf } from './logging.ts'

interface PoolMetrics {
  totalCount: number
  idleCount: number
  waitingCount: number
}

export interface MeasuredService {
  app: FastifyInstance
  pools: Record<string, PoolMetrics>
  /** Reports connections to replaced primaries. */
  guard: { readonly closedConnections: number }
  counts: ServiceCounts
  readData: () => Promise<DataMetrics>
}

/**
 * How long a scrape waits for the database: Prometheus gives up after some seconds, and would then get nothing at all.
 */
const TIMEOUT_MS = 1000

/**
 * Measures a service: requests by route and status, response times, limits, connections, and the state of the data.
 * Labels are route patterns, names of ours and IDs of followed chains, never anything a client has sent.
 * @returns a function that reads the metrics of the database; call it before each scrape.
 */
export function measureService(register: Registry, { app, pools, guard, counts, readData }: MeasuredService) {
  measureRequests(register, app)
  measurePools(register, pools)
  const countParts = (name: string, help: string, label: string, read: () => Readonly<Record<string, number>>) =>
    new Counter({
      ...{ name, help, labelNames: [label], registers: [register] },
      collect() {
        this.reset()
        for (const [part, count] of Object.entries(read())) this.inc({ [label]: part }, count)
      },
    })
  const count = (name: string, help: string, read: () => number) =>
    new Counter({
      ...{ name, help, registers: [register] },
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      ...{ name, help, registers: [register] },
      collect() {
        this.set(read())
      },
    })
  countParts(
    'reward_campaigns_cache_requests_total',
    'Public responses by cache result',
    'result',
    () => counts.cacheResults,
  )
  countParts(
    'reward_campaigns_rate_limited_requests_total',
    'Requests rejected with 429, by limit',
    'limit',
    () => counts.beyondLimit,
  )
  count('reward_campaigns_failed_auth_total', 'Requests with an invalid token', () => counts.failedTokens)
  gauge('reward_campaigns_change_streams', 'Clients that follow the changes', () => counts.streams())
  count(
    'reward_campaigns_slow_change_streams_total',
    'Streams of changes cut off because their clients did not keep up',
    () => counts.slowStreams,
  )
  gauge('reward_campaigns_exports_running', 'Exports being read', () => counts.exports.running)
  count(
    'reward_campaigns_refused_exports_total',
    'Exports refused with 503 because as many were running as there may be',
    () => counts.exports.refused,
  )
  count(
    'reward_campaigns_database_older_timeline_total',
    'Connections closed because the server is a replaced primary',
    () => guard.closedConnections,
  )
  return measureData(register, readData)
}

function measureRequests(register: Registry, app: FastifyInstance) {
  const durations = new Histogram({
    name: 'reward_campaigns_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [register],
  })
  const defects = new Counter({
    name: 'reward_campaigns_unhandled_errors_total',
    help: 'Requests that failed with 500 because of an unhandled error',
    registers: [register],
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (reply.statusCode === 500) defects.inc()
    const labels = { method: request.method, route: patternOf(request) ?? 'unknown', status: reply.statusCode }
    durations.observe(labels, reply.elapsedTime / 1000)
    done()
  })
}

function measurePools(register: Registry, pools: Record<string, PoolMetrics>) {
  new Gauge({
    name: 'reward_campaigns_database_connections',
    help: 'Connections of each pool, and queries waiting for one',
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
}

/** Measures the state of the data. @returns a function that reads it from the database. */
function measureData(register: Registry, readData: () => Promise<DataMetrics>) {
  const registers = [register]
  const up = new Gauge({
    name: 'reward_campaigns_database_up',
    help: 'Whether the database responds, 1 or 0',
    registers,
  })
  const revision = new Gauge({ name: 'reward_campaigns_data_version', help: 'Newest data version', registers })
  const changedAt = new Gauge({
    name: 'reward_campaigns_data_version_observed_timestamp_seconds',
    help: 'When this process first saw the newest data version, as Unix time',
    registers,
  })
  const lag = new Gauge({
    name: 'reward_campaigns_chain_lag_seconds',
    help: 'Time since the newest stored block',
    labelNames: ['chain_id'] as const,
    registers,
  })
  let known: number | null = null
  let reading: Promise<DataMetrics> | undefined

  /** A connection that was lost silently blocks its query for longer: there is at most one such query. */
  async function readSoon() {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    reading ??= withAbort(signal, readData).finally(() => {
      reading = undefined
    })
    return Promise.race([reading, once(signal, 'abort').then(() => undefined)])
  }

  return async () => {
    lag.reset()
    const status = await readSoon().catch(() => undefined)
    // The last known revision stays: that the database is unreachable is a metric of its own.
    up.set(status === undefined ? 0 : 1)
    if (status === undefined) return
    if (status.revision !== known) changedAt.setToCurrentTime()
    known = status.revision
    if (known !== null) revision.set(known)
    for (const { chainId, lagSeconds } of status.chains) {
      if (lagSeconds !== null) lag.set({ chain_id: chainId }, lagSeconds)
    }
  }
}
