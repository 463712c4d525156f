import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { buildApp } from '../app.ts'
import { areTracesWanted } from '../config.ts'
import { openServingDatabase } from '../database/client.ts'
import { DatabaseAwayError, describeFailure, isDatabaseAway } from '../database/failures.ts'
import { requireCurrentSchema } from '../database/migrations.ts'
import { measureInTime } from '../database/replica-measurements.ts'
import { version } from '../http/openapi.ts'
import type { CountClient } from '../http/rate-limits.ts'
import { createServiceCounts } from '../http/service-counts.ts'
import type { Settings } from '../settings.ts'
import { closeAtEnd, ending } from './ending.ts'
import { createStart } from './service-start.ts'
import { areEnough, openServingReplicas, toLaneOptions } from './serving-replicas.ts'

/** How much of the time to end the last traces may take. */
const SHARE_OF_TRACES = 0.05

/**
 * The HTTP service of a process, not yet listening, with its connections to the database. Until it is told that the start
 * is done, requests wait a while for that, and then answers are 503.
 */
export async function createHttpService(settings: Settings, countClient?: CountClient) {
  const start = createStart(settings)
  const { questions, lookups, close } = openServingDatabase({
    ...toLaneOptions(settings),
    url() {
      if (start.url === undefined) throw new DatabaseAwayError('the database is still being created')
      return start.url
    },
    onIdleError: (error) => app.log.warn({ reason: describeFailure(error) }, 'a database connection was lost'),
  })
  closeAtEnd(close)
  const primary = { name: 'primary', database: questions.database, lookups: lookups.database }
  const replicas = openServingReplicas(settings, primary, () => app.log)
  closeAtEnd(async () => replicas?.close())
  const traces = areTracesWanted() ? (await import('../tracing/traces.ts')).openTraces(version) : undefined
  closeAtEnd(async () => traces?.close(settings.SHUTDOWN_TIMEOUT_SECONDS * 1000 * SHARE_OF_TRACES))

  async function askPrimary() {
    // Also later: an older backup may have been restored under a service that runs.
    await requireCurrentSchema(lookups.database)
    // What every request asks: rights that are missing are noticed before any comes.
    await lookups.database.execute(sql`select from data_revisions, followed_chains limit 0`)
  }
  // One that is silent holds nobody up who needs not wait for it: probes are given up after a few seconds.
  const askPrimaryInTime = measureInTime(askPrimary)

  const counts = createServiceCounts()
  const app = await buildApp({
    database: questions.database,
    lookups: lookups.database,
    replicas,
    settings,
    isReady: async () => {
      if (ending.aborted) return false
      if (!start.isDone) return areEnough(replicas, settings)
      try {
        await (areEnough(replicas, settings) ? askPrimaryInTime() : askPrimary())
        return true
      } catch (error) {
        if (!isDatabaseAway(error) || !areEnough(replicas, settings)) throw error
        return true
      }
    },
    isStarted: async () => areEnough(replicas, settings) || start.wait(),
    trace: traces?.follow,
    countClient,
    counts,
    // Made together with the commands.
    explorerFolder: join(import.meta.dirname, '../explorer'),
  })
  replicas?.start()
  const pools = { questions: questions.pool, lookups: lookups.pool, ...replicas?.pools }
  return { app, questions, lookups, counts, start, pools, replicas: replicas?.all ?? [] }
}
