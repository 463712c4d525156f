import { EventEmitter, once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { sql } from 'drizzle-orm'
import { buildApp } from '../app.ts'
import { areTracesWanted, type Settings } from '../config.ts'
import { advanceWindows } from '../database/claim-windows.ts'
import { openServingDatabase } from '../database/client.ts'
import { createDataFigureReader } from '../database/data-figures.ts'
import {
  DatabaseAwayError,
  describeFailure,
  explainFailure,
  isDatabaseAway,
  isOutOfSpace,
} from '../database/failures.ts'
import { migrateDatabase, requireCurrentSchema } from '../database/migrations.ts'
import { isTerminal } from '../http/logging.ts'
import { createRegister, serveFigures } from '../http/metrics.ts'
import { version } from '../http/openapi.ts'
import { createServiceCounts } from '../http/service-counts.ts'
import { measureService } from '../http/service-figures.ts'
import { createDatabaseAccess, type DatabaseAccess } from './database-access.ts'
import { closeAll, closeAtEnd, endInOrder, ending } from './ending.ts'
import { listenOn } from './listening.ts'
import { fillWithSample } from './sample.ts'
import { welcome } from './welcome.ts'

const RETRY_MS = 2000

/** How often it is looked whether the kept totals of windows should be moved on. */
const ADVANCE_MS = 10_000

/** How much of the time to end requests and the pool may take; the rest is for the embedded server. */
const SHARE_OF_REQUESTS = 0.9

/** How much of it the last traces may take. */
const SHARE_OF_TRACES = 0.05

/**
 * How much the heap may grow beyond what was in use before garbage is collected. By itself Node.js lets it grow to several
 * times that: under load to a gigabyte of which a tenth is needed. Costs about one percent of the processor.
 */
const HEAP_GROWTH_PERCENT = 40

/** How long a request waits for the embedded server and its sample data, which are made as soon as can be. */
const EMBEDDED_START_MS = 60_000

/**
 * `serve`: the HTTP service, until SIGTERM or SIGINT. It listens first, so that it can say how it is: until the database
 * is there and in order, requests wait a while for that, and then answers are 503. One that is away is tried again and again; a schema that is behind ends it.
 */
export async function serve(settings: Settings) {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`)
  let tell = (error: unknown) => console.error(error)
  endInOrder({
    timeoutMs: settings.SHUTDOWN_TIMEOUT_SECONDS * 1000 * SHARE_OF_REQUESTS,
    toExitCode: () => 0,
    onError: (error) => tell(error),
  })
  let url = settings.DATABASE_URL
  const access = createDatabaseAccess(settings, (what) => app.log.info(what))
  const { questions, lookups, close } = openServingDatabase({
    url() {
      if (url === undefined) throw new DatabaseAwayError('the database is still being created')
      return url
    },
    poolSize: settings.DATABASE_POOL_SIZE,
    queueSize: settings.DATABASE_QUEUE_SIZE,
    connectionTimeoutMs: settings.CONNECTION_TIMEOUT_MS,
    statementTimeoutMs: settings.STATEMENT_TIMEOUT_MS,
    onIdleError: (error) => app.log.warn({ reason: describeFailure(error) }, 'a database connection was lost'),
  })
  const { database } = questions
  closeAtEnd(close)
  const traces = areTracesWanted() ? (await import('../tracing/traces.ts')).openTraces(version) : undefined
  closeAtEnd(async () => traces?.close(settings.SHUTDOWN_TIMEOUT_SECONDS * 1000 * SHARE_OF_TRACES))

  const start = createStart(url === undefined ? EMBEDDED_START_MS : settings.CONNECTION_TIMEOUT_MS)
  const counts = createServiceCounts()
  const app = await buildApp({
    database,
    lookups: lookups.database,
    settings,
    isReady: async () => {
      if (!start.isDone || ending.aborted) return false
      // Also later: an older backup may have been restored under a service that runs.
      await requireCurrentSchema(lookups.database)
      // What every request asks: rights that are missing are noticed before any comes.
      await lookups.database.execute(sql`select from data_revisions, followed_chains limit 0`)
      return true
    },
    isStarted: start.wait,
    trace: traces?.follow,
    counts,
    // Made together with this command.
    explorerFolder: join(import.meta.dirname, '../explorer'),
  })
  tell = (err) => app.log.fatal({ err }, 'the service ends because of an error')
  const metrics = settings.METRICS_PORT === undefined ? undefined : createMetricsServer()
  closeAtEnd(async () => metrics?.close())
  closeAtEnd(() => app.close())

  function createMetricsServer() {
    const register = createRegister()
    const refresh = measureService(register, {
      app,
      pools: { questions: questions.pool, lookups: lookups.pool },
      counts,
      readData: createDataFigureReader(lookups.database, () => new Date()),
    })
    return serveFigures(register, refresh)
  }

  /** Sees to it that the database is there and in order, for as long as that takes. */
  async function prepareDatabase() {
    const opened = await access.open()
    url = opened.url
    let known: string | undefined
    while (!ending.aborted) {
      try {
        await prepare(opened)
        start.succeed()
        app.log.info(isTerminal ? welcome(app, settings) : 'ready')
        return
      } catch (error) {
        // What we run ourselves is not away, and a full disk of this machine is for its owner to mend.
        if (!isDatabaseAway(error) || (opened.isEmbedded && isOutOfSpace(error))) throw error
        start.fail()
        const reason = explainFailure(error)
        if (reason !== known) app.log.warn({ reason }, 'the database is not ready, trying again')
        known = reason
      }
      await pause(RETRY_MS)
    }
  }

  async function prepare({ url, isEmbedded }: DatabaseAccess) {
    if (isEmbedded || settings.MIGRATE_ON_START) {
      const applied = await migrateDatabase(url, () =>
        app.log.info('another process is migrating the database, waiting for it'),
      )
      if (applied > 0) app.log.info({ migrations: applied }, 'the schema was brought up to date')
    }
    await requireCurrentSchema(database)
    if (isEmbedded && settings.SAMPLE_DATA) await fillWithSample(url, database, (what) => app.log.info(what))
  }

  /** Keeps the totals near the present; without it answers are the same, and slower the longer the last import is ago. */
  async function advanceFromTimeToTime() {
    let known: string | undefined
    while (!ending.aborted) {
      try {
        if (await advanceWindows(database)) continue
        known = undefined
      } catch (error) {
        // It may last (a replica, a missing right): said once, and tried again all the same.
        const reason = describeFailure(error)
        if (reason !== known) app.log.warn({ reason }, 'the kept totals of windows could not be moved on')
        known = reason
      }
      await pause(ADVANCE_MS)
    }
  }

  const pause = (ms: number) => sleep(ms, undefined, { signal: ending }).catch(() => undefined)

  try {
    if (metrics !== undefined) await listenOn(metrics, settings, 'METRICS_PORT')
    await listenOn(app, settings, 'PORT')
    await prepareDatabase()
    await advanceFromTimeToTime()
  } catch (error) {
    // What is cut off by the end has not failed.
    if (ending.aborted) return
    await closeAll()
    throw error
  }
}

/** Whether the service has started: a start that goes well is worth waiting for, a failing one is told at once. */
function createStart(patienceMs: number) {
  let state: 'under way' | 'failing' | 'done' = 'under way'
  const changed = new EventEmitter().setMaxListeners(0)
  const become = (next: typeof state) => {
    state = next
    changed.emit('change')
  }
  return {
    get isDone() {
      return state === 'done'
    },
    succeed: () => become('done'),
    fail: () => become('failing'),
    async wait() {
      if (state === 'under way') {
        const enough = AbortSignal.any([AbortSignal.timeout(patienceMs), ending])
        await once(changed, 'change', { signal: enough }).catch(() => undefined)
      }
      return state === 'done'
    },
  }
}
