import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { type AppOptions, buildApp } from '../app.ts'
import { areTracesWanted } from '../config.ts'
import { openServingDatabase } from '../database/connection/client.ts'
import { DatabaseUnreachableError, describeFailure } from '../database/connection/database-errors.ts'
import { requireCurrentSchema } from '../database/migrations.ts'
import { openSnapshotsOf } from '../database/records/snapshots.ts'
import { version } from '../http/version.ts'
import { createServiceCounts } from '../observability/counters.ts'
import type { Settings } from '../settings.ts'
import { ending, onShutdown } from './shutdown.ts'
import { createStart } from './startup-state.ts'

/** The part of the shutdown time that the last traces may take. */
const SHARE_OF_TRACES = 0.05

/**
 * The HTTP service of a process, not yet listening, with its database pools. Until it is told that the start is
 * complete, requests wait briefly for that, and then get 503.
 */
export async function createHttpService(settings: Settings, { loadMcp }: Pick<AppOptions, 'loadMcp'>) {
  const start = createStart(settings)
  const { queries, lookups, exports, guard, close } = openServingDatabase({
    poolSize: settings.DATABASE_POOL_SIZE,
    maxExports: settings.MAX_EXPORTS,
    queueSize: settings.DATABASE_MAX_PENDING_QUERIES,
    connectionTimeoutMs: settings.DATABASE_ACQUIRE_TIMEOUT_MS,
    statementTimeoutMs: settings.STATEMENT_TIMEOUT_MS,
    url() {
      if (start.url === undefined) throw new DatabaseUnreachableError('the database is still being created')
      return start.url
    },
    onIdleError: (error) => app.log.warn({ reason: describeFailure(error) }, 'database connection lost'),
    onOlderTimeline: ({ address, timeline }, newest) =>
      app.log.error({ server: address, timeline, newest }, 'old primary is back, closing its connections: fence it'),
  })
  onShutdown(close)
  const traces = areTracesWanted()
    ? (await import('../observability/tracing/traces.ts')).openTraces(version)
    : undefined
  onShutdown(async () => traces?.close(settings.SHUTDOWN_TIMEOUT_SECONDS * 1000 * SHARE_OF_TRACES))

  const counts = createServiceCounts()
  const app = await buildApp({
    database: queries.database,
    lookups: lookups.database,
    openSnapshot: openSnapshotsOf(exports.pool, guard),
    settings,
    isReady: async () => {
      if (!start.isDone || ending.aborted) return false
      // Also checked later: an older backup may have been restored under a running service.
      await requireCurrentSchema(lookups.database)
      // What every request reads: missing rights are noticed before the first request.
      await lookups.database.execute(sql`select from data_versions, followed_chains limit 0`)
      return true
    },
    isStarted: start.wait,
    databaseServer: () => guard.server,
    trace: traces?.follow,
    loadMcp,
    counts,
    // Built together with the commands.
    explorerFolder: join(import.meta.dirname, '../explorer'),
    docsFolder: join(import.meta.dirname, '../docs'),
  })
  return { app, queries, lookups, guard, counts, start }
}
