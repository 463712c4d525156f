import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { buildApp } from '../app.ts'
import type { Settings } from '../config.ts'
import { advanceWindows } from '../database/claim-windows.ts'
import { openDatabase } from '../database/client.ts'
import { describeFailure, isDatabaseAway } from '../database/failures.ts'
import { migrateDatabase, requireCurrentSchema } from '../database/migrations.ts'
import { createMetricsServer } from '../http/metrics.ts'
import { openDatabaseAccess } from './database-access.ts'
import { closeAll, closeAtEnd, endInOrder, ending } from './ending.ts'
import { fillWithSample } from './sample.ts'

const RETRY_MS = 2000

/** How often it is looked whether the kept totals of windows should be moved on. */
const ADVANCE_MS = 10_000

/** How much of the time to end requests and the pool may take; the rest is for the embedded server. */
const SHARE_OF_REQUESTS = 0.9

/**
 * `serve`: the HTTP service, until SIGTERM or SIGINT. Where the database is away it listens all the same, answers 503
 * and goes on trying; a schema that is behind ends it.
 */
export async function serve(settings: Settings) {
  let tell = (error: unknown) => console.error(error)
  endInOrder({
    timeoutMs: settings.SHUTDOWN_TIMEOUT_SECONDS * 1000 * SHARE_OF_REQUESTS,
    toExitCode: () => 0,
    onError: (error) => tell(error),
  })
  const access = await openDatabaseAccess(settings)
  const { database, pool, close } = openDatabase({
    url: access.url,
    poolSize: settings.DATABASE_POOL_SIZE,
    connectionTimeoutMs: settings.CONNECTION_TIMEOUT_MS,
    statementTimeoutMs: settings.STATEMENT_TIMEOUT_MS,
    onIdleError: (error) => app.log.warn({ err: error }, 'a database connection was lost'),
  })
  closeAtEnd(close)

  let isSchemaReady = false
  const app = await buildApp({
    database,
    settings,
    isReady: async () => {
      if (!isSchemaReady || ending.aborted) return false
      await database.execute(sql`select 1`)
      return true
    },
  })
  tell = (err) => app.log.fatal({ err }, 'the service ends because of an error')
  const metrics = settings.METRICS_PORT === undefined ? undefined : createMetricsServer(app, pool)
  closeAtEnd(async () => metrics?.close())
  closeAtEnd(() => app.close())

  async function prepareSchema() {
    try {
      if (access.isEmbedded || settings.MIGRATE_ON_START) await migrateDatabase(access.url)
      await requireCurrentSchema(database)
      isSchemaReady = true
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      app.log.warn({ reason: describeFailure(error) }, 'the database cannot be reached, trying again')
    }
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
    await prepareSchema()
    if (access.isEmbedded && settings.SAMPLE_DATA) await fillWithSample(access.url, database)
    if (metrics !== undefined) await metrics.listen({ host: settings.HOST, port: settings.METRICS_PORT ?? 0 })
    await app.listen({ host: settings.HOST, port: settings.PORT })
    while (!isSchemaReady && !ending.aborted) {
      await pause(RETRY_MS)
      if (!ending.aborted) await prepareSchema()
    }
    await advanceFromTimeToTime()
  } catch (error) {
    await closeAll()
    throw error
  }
}
