import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { eitherSignal } from '../../abort-signals.ts'
import { readEnvironment } from '../../config.ts'
import type { Database } from '../../database/connection/open-database.ts'
import { ChainFileError, type ChainSettings, parseChainFile } from '../../indexer/chain-config.ts'
import { type ChainEvent, FollowingError } from '../../indexer/chain-progress.ts'
import { ChainWorker } from '../../indexer/chain-worker.ts'
import { ChainLog } from '../../observability/chains/chain-log.ts'
import { createChainMetrics } from '../../observability/chains/chain-metrics.ts'
import { openLog } from '../../observability/logging.ts'
import { createRegister, serveMetrics } from '../../observability/metrics-server.ts'
import { NotTextError, toOperatorText } from '../../operator-text.ts'
import { withCurrentSchema } from '../../process/database-access.ts'
import { listenOn } from '../../process/listen.ts'
import { ending, handleSignals, onShutdown } from '../../process/shutdown.ts'
import type { Settings } from '../../settings.ts'
import { countSkipped, countUnknown, listFeedAges, listProofs } from './index-status.ts'
import { runPeriodicMaintenance } from './periodic-maintenance.ts'

/** How often the log says how far each chain is. */
const PROGRESS_MS = 60_000

export interface IndexOptions {
  /** The chain file. */
  chains: string
  /** Whether to exit when each chain has reached its head of the start. */
  once: boolean
}

/** `index`: follows the chains of a file until SIGTERM, or once. */
export async function indexChains(settings: Settings, { chains: file, once: isOnce }: IndexOptions) {
  const chains = await readChainFile(file)
  const log = await openLog(settings.LOG_LEVEL)
  handleSignals({
    timeoutMs: settings.SHUTDOWN_TIMEOUT_SECONDS * 1000,
    toExitCode: (signalCode) => (isOnce ? signalCode : 0),
    onError: (err) => log.fatal({ err }, 'fatal error, shutting down'),
  })
  await withCurrentSchema(settings, (url, database) => followAll({ settings, url, database, chains, isOnce, log }))
}

interface Work {
  settings: Settings
  url: string
  database: Database
  chains: ChainSettings[]
  isOnce: boolean
  log: Logger
}

/** Follows each chain separately: a failure of one does not delay the others. */
async function followAll({ settings, url, database, chains, isOnce, log }: Work) {
  const stop = new AbortController()
  const signal = eitherSignal(ending, stop.signal)
  const register = createRegister()
  const measure = createChainMetrics({
    register,
    countUnknown: () => countUnknown(database),
    countSkipped: () => countSkipped(database),
    listFeedAges: () => listFeedAges(database, chains),
    listProofs: () =>
      listProofs(
        database,
        chains.filter(({ prove }) => prove !== false),
      ),
    listEndpoints: () => followed.map(({ worker }) => ({ chainId: worker.chainId, endpoints: worker.health() })),
  })
  const followed = chains.map((chain) => {
    const journal = new ChainLog(log, chain)
    const recordMetrics = measure(chain.chainId)
    const onEvent = (event: ChainEvent) => {
      journal.record(event)
      recordMetrics(event)
    }
    const proof = chain.prove === false ? undefined : toIntervals(settings)
    return { journal, worker: new ChainWorker({ url, chain, isOnce, onEvent, proof, signal }) }
  })
  const metrics = settings.METRICS_PORT === undefined ? undefined : serveMetrics(register)
  const workers = followed.map(({ worker }) => worker)
  const close = onShutdown(async () => {
    await Promise.all([metrics?.close(), ...workers.map((worker) => worker.close())])
  })
  const progress = setInterval(() => {
    for (const { journal, worker } of followed) journal.logProgress(worker.health())
  }, PROGRESS_MS)
  // The processes that serve may all be on standbys, which cannot write.
  const changesKeepHours = settings.CHANGES_KEEP_HOURS
  const maintenance = runPeriodicMaintenance({ database, log, changesKeepHours, signal })
  try {
    if (metrics !== undefined) await listenOn(metrics, settings, 'METRICS_PORT')
    await settleAll(workers.map((worker) => worker.admit()))
    await settleAll(workers.map((worker) => worker.follow()))
  } finally {
    clearInterval(progress)
    stop.abort()
    await Promise.all([close(), maintenance])
  }
}

const toIntervals = ({ PROVE_RECENT_SECONDS, PROVE_ALL_HOURS }: Settings) => ({
  recentMs: PROVE_RECENT_SECONDS * 1000,
  allMs: PROVE_ALL_HOURS * 3_600_000,
})

/** Waits for all, whichever of them fail. @throws FollowingError with a line for each that has failed. */
async function settleAll(tasks: Promise<void>[]) {
  const failures = (await Promise.allSettled(tasks)).flatMap((work) =>
    work.status === 'rejected' ? [work.reason] : [],
  )
  const unexpected = failures.find((failure) => !(failure instanceof FollowingError))
  if (unexpected !== undefined) throw unexpected
  if (failures.length > 0) throw new FollowingError(failures.map(({ message }) => message).join('\n'))
}

/** @throws FollowingError with a line for each fault of the file. */
export async function readChainFile(file: string) {
  const bytes = await readFile(file).catch((error: Error) => {
    throw new FollowingError(`the chain file cannot be read: ${error.message}`, { cause: error })
  })
  try {
    return parseChainFile(file, toOperatorText(bytes), readEnvironment())
  } catch (error) {
    if (error instanceof NotTextError)
      throw new FollowingError(`the chain file ${file} cannot be read: ${error.message}`)
    throw error instanceof ChainFileError ? new FollowingError(error.message) : error
  }
}
