import { setTimeout as sleep } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import { sql } from 'drizzle-orm'
import { buildApp } from '../app.ts'
import type { Settings } from '../config.ts'
import { advanceWindows } from '../database/claim-windows.ts'
import { openDatabase } from '../database/client.ts'
import {
  DatabaseAwayError,
  describeFailure,
  explainFailure,
  isDatabaseAway,
  isOutOfSpace,
} from '../database/failures.ts'
import { migrateDatabase, requireCurrentSchema } from '../database/migrations.ts'
import { isTerminal } from '../http/logging.ts'
import { createMetricsServer } from '../http/metrics.ts'
import { type DatabaseAccess, openDatabaseAccess } from './database-access.ts'
import { listenOn } from './listening.ts'
import { fillWithSample } from './sample.ts'
import { welcome } from './welcome.ts'

const RETRY_MS = 2000

/** How often it is looked whether the kept totals of windows should be moved on. */
const ADVANCE_MS = 10_000

/**
 * `serve`: the HTTP service, until SIGTERM or SIGINT. It listens first, so that it can say how it is: until the database
 * is there and in order, answers are 503. One that is away is tried again and again; a schema that is behind ends it.
 */
export async function serve(settings: Settings) {
  let url = settings.DATABASE_URL
  let access: Promise<DatabaseAccess> | undefined
  const { database, pool, close } = openDatabase({
    url() {
      if (url === undefined) throw new DatabaseAwayError('the database is still being created')
      return url
    },
    poolSize: settings.DATABASE_POOL_SIZE,
    connectionTimeoutMs: settings.CONNECTION_TIMEOUT_MS,
    statementTimeoutMs: settings.STATEMENT_TIMEOUT_MS,
    onIdleError: (error) => app.log.warn({ reason: describeFailure(error) }, 'a database connection was lost'),
  })

  let isStarted = false
  const stopping = new AbortController()
  const app = await buildApp({
    database,
    settings,
    isReady: async () => {
      if (!isStarted || stopping.signal.aborted) return false
      await database.execute(sql`select 1`)
      return true
    },
    isStarted: () => isStarted,
  })
  const metrics = settings.METRICS_PORT === undefined ? undefined : createMetricsServer(app, pool)

  async function closeAll() {
    stopping.abort()
    await app.close()
    await metrics?.close()
    await close()
    await access?.then(
      (opened) => opened.close(),
      () => undefined,
    )
  }

  /** Sees to it that the database is there and in order, for as long as that takes. */
  async function start() {
    access = openDatabaseAccess(settings, (what) => app.log.info(what))
    const opened = await access
    url = opened.url
    let known: string | undefined
    while (!stopping.signal.aborted) {
      try {
        await prepare(opened)
        isStarted = true
        app.log.info(isTerminal ? welcome(app, settings) : 'ready')
        return
      } catch (error) {
        // What we run ourselves is not away, and a full disk of this machine is for its owner to mend.
        if (!isDatabaseAway(error) || (opened.isEmbedded && isOutOfSpace(error))) throw error
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
    while (!stopping.signal.aborted) {
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

  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined)

  closeWithGrace({ delay: settings.SHUTDOWN_TIMEOUT_SECONDS * 1000, logger: false }, async ({ err }) => {
    if (err !== undefined) app.log.fatal({ err }, 'the service ends because of an error')
    await closeAll()
  })

  try {
    if (metrics !== undefined) await listenOn(metrics, settings, 'METRICS_PORT')
    await listenOn(app, settings, 'PORT')
    await start()
    await advanceFromTimeToTime()
  } catch (error) {
    // What is cut off by the end has not failed.
    if (stopping.signal.aborted) return
    await closeAll()
    throw error
  }
}
