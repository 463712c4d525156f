import type { Registry } from 'prom-client'
import { createChainMetrics } from '../../../src/observability/chains/chain-metrics.ts'
import { createServiceCounts } from '../../../src/observability/counters.ts'
import { createRegister } from '../../../src/observability/metrics-server.ts'
import { measureService } from '../../../src/observability/service-metrics.ts'
import type { TestApp } from '../test-app.ts'

/** A metric as a process exposes it. */
export interface ExposedMetric {
  name: string
  help: string
  type: string
  labels: string[]
}

/** The metrics of `serve`, made for an app, and those of `index`, with those of Node.js. */
export function exposedMetrics({ app }: Pick<TestApp, 'app'>) {
  const [serve, index] = [createRegister(), createRegister()]
  const readData = async () => ({ revision: 1, chains: [] })
  measureService(serve, { app, pools: {}, guard: { closedConnections: 0 }, counts: createServiceCounts(), readData })
  createChainMetrics({
    register: index,
    countUnknown: async () => [],
    countSkipped: async () => [],
    listFeedAges: async () => [],
    listProofs: async () => [],
    listEndpoints: () => [],
  })
  return { serve: metricsOf(serve), index: metricsOf(index) }
}

const metricsOf = (register: Registry): ExposedMetric[] =>
  register.getMetricsAsArray().map(({ name, help, type, ...rest }) => {
    const labels: unknown = 'labelNames' in rest ? rest.labelNames : []
    return { name, help, type: String(type), labels: Array.isArray(labels) ? labels.map(String) : [] }
  })
