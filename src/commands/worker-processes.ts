import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { toUrl } from './listening.ts'
import { ALIVE_MS, type FromWorker, type ToWorker } from './worker-messages.ts'

/** Who dies sooner than this after its start may do so each time. */
const YOUNG_MS = 10_000

/** Deaths of young workers in a row, before any has listened, after which there is no use in going on. */
const MOST_DEATHS_AT_START = 5

/** How long it is waited before the next worker, where young ones die in a row; twice as long each time. */
const PAUSE_MS = { first: 100, longest: 5000 }

/** How often in a row a worker may fail to say that it is alive before it is killed: half a minute. */
const MOST_SILENCES = 6

/** Workers do not come to serve. */
export class WorkersError extends Error {
  override readonly name = 'WorkersError'
}

export interface WorkersOptions {
  count: number
  /** What their environment has beyond that of this process. */
  environment: Record<string, string>
  log: Logger
  onMessage: (worker: Worker, message: FromWorker) => void
  onEnd: (worker: Worker) => void
}

/** Runs so many workers, puts another one in the place of each that ends, and ends them all. */
export function superviseProcesses({ count, environment, log, onMessage, onEnd }: WorkersOptions) {
  /** How often each has failed to say that it is alive. */
  const running = new Map<Worker, number>()
  const listening = new Set<Worker>()
  const urls = new Set<string>()
  let youngDeaths = 0
  let hasListened = false
  let isClosing = false
  let allEnded = () => {}
  let allListen = () => {}
  let fail = (_error: Error) => {}

  function start() {
    if (isClosing) return
    const startedAt = performance.now()
    const worker = cluster.fork(environment)
    running.set(worker, 0)
    worker.on('message', (message: FromWorker) => {
      // What it said last may come after its end.
      if (!running.has(worker)) return
      running.set(worker, 0)
      onMessage(worker, message)
    })
    worker.on('listening', ({ address, port }) => {
      const url = toUrl(address, port)
      if (!urls.has(url)) log.info(`Server listening at ${url}`)
      urls.add(url)
      hasListened = true
      listening.add(worker)
      if (listening.size === count) allListen()
    })
    // It may have ended just when it was to be told something.
    worker.on('error', () => undefined)
    worker.once('exit', (code, signal) => void replace(worker, { code, signal, ageMs: performance.now() - startedAt }))
  }

  async function replace(worker: Worker, { code, signal, ageMs }: { code: number; signal: string; ageMs: number }) {
    const wasListening = listening.delete(worker)
    running.delete(worker)
    onEnd(worker)
    if (isClosing) {
      // Who has not come to listen yet does not understand signals yet.
      if (code !== 0 && wasListening) process.exitCode = 1
      if (running.size === 0) allEnded()
      return
    }
    const outcome = { worker: worker.process.pid, code, signal }
    if (code === 0) log.info(outcome, 'a worker has ended, and is replaced')
    else log.error(outcome, 'a worker has died, and is replaced')
    youngDeaths = ageMs < YOUNG_MS ? youngDeaths + 1 : 0
    if (!hasListened && youngDeaths >= MOST_DEATHS_AT_START) {
      fail(new WorkersError(`${youngDeaths} workers have ended one after the other before they could serve`))
      return
    }
    if (youngDeaths > 1) await sleep(Math.min(PAUSE_MS.first * 2 ** (youngDeaths - 2), PAUSE_MS.longest))
    start()
  }

  const watching = setInterval(() => {
    for (const [worker, silences] of running) {
      running.set(worker, silences + 1)
      if (silences < MOST_SILENCES) continue
      log.error({ worker: worker.process.pid }, 'a worker does nothing any more, and is killed')
      worker.process.kill('SIGKILL')
    }
  }, ALIVE_MS)

  const tell = (worker: Worker, message: ToWorker) => void worker.send(message, () => undefined)

  return {
    tell,

    tellAll(message: ToWorker) {
      for (const worker of running.keys()) tell(worker, message)
    },

    /** Starts them. @returns when all listen. @throws WorkersError where they end again and again instead. */
    start: () =>
      new Promise<void>((resolve, reject) => {
        allListen = resolve
        fail = reject
        // Who has time takes the next connection, without another process in between.
        cluster.schedulingPolicy = cluster.SCHED_NONE
        for (let started = 0; started < count; started += 1) start()
      }),

    /** Asks them to end in order. @returns when they have. */
    async close() {
      isClosing = true
      clearInterval(watching)
      if (running.size === 0) return
      const ended = new Promise<void>((resolve) => {
        allEnded = resolve
      })
      for (const worker of running.keys()) worker.process.kill('SIGTERM')
      await ended
    },

    async kill() {
      for (const worker of running.keys()) worker.process.kill('SIGKILL')
    },
  }
}
