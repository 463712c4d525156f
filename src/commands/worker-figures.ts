import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry, type Registry } from 'prom-client'
import type { Figures, ToWorker } from './worker-messages.ts'

/** How long a worker may take to say what it has measured; then what it said before stands. */
const PATIENCE_MS = 1000

interface Measured {
  latest: Figures
  ask: (message: ToWorker) => void
}

/**
 * The figures of a service that is several processes, as those of one: counters and histograms are summed, also those of
 * workers that have ended, as they were when they were last read; gauges are summed where nothing else is said of them.
 */
export function createWorkerFigures(register: Registry) {
  const workers = new Map<number, Measured>()
  const answers = new Map<number, (figures: Figures) => void>()
  let ended: Figures = []
  let lastId = 0

  async function read(worker: Measured) {
    lastId += 1
    const id = lastId
    const answered = new Promise<void>((resolve) => {
      answers.set(id, (figures) => {
        worker.latest = figures
        resolve()
      })
    })
    worker.ask({ kind: 'figures', id })
    await Promise.race([answered, sleep(PATIENCE_MS)])
    answers.delete(id)
  }

  return {
    contentType: register.contentType,

    open(worker: number, ask: Measured['ask']) {
      workers.set(worker, { latest: [], ask })
    },

    note(id: number, figures: Figures) {
      answers.get(id)?.(figures)
    },

    async close(worker: number) {
      const { latest = [] } = workers.get(worker) ?? {}
      workers.delete(worker)
      const counted = latest.filter(({ type }) => isCounted(String(type)))
      ended = await sum([ended, counted]).getMetricsAsJSON()
    },

    async metrics() {
      const [own] = await Promise.all([register.getMetricsAsJSON(), ...[...workers.values()].map(read)])
      return sum([own, ended, ...[...workers.values()].map(({ latest }) => latest)]).metrics()
    },
  }
}

/** What never goes down. The types say that these are numbers; they are words. */
const isCounted = (type: string) => type === 'counter' || type === 'histogram'

const sum = (all: Figures[]) => AggregatorRegistry.aggregate(all.map((figures) => figures.map(withAggregator)))

/** Of what Node.js measures, one is best told in another way than the library does. */
function withAggregator(metric: Figures[number]): Figures[number] {
  // When the service was started.
  if (metric.name === 'process_start_time_seconds') return { ...metric, aggregator: 'min' }
  // A worker that is late is late, whatever the others do.
  if (/^nodejs_eventloop_lag_(?!min)/.test(metric.name)) return { ...metric, aggregator: 'max' }
  return metric
}
