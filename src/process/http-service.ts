import { EventEmitter, once } from 'node:events'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { withDeadline } from '../abort-signals.ts'
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
  const traces = areTracesWanted() ? (await import('../observability/traces.ts')).openTraces(version) : undefined
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

/** How long a request waits for the embedded server and its sample data, which are made as fast as possible. */
const EMBEDDED_START_MS = 60_000

/** The startup of a service with its database, and the address of that once it is known. */
export interface StartupProgress {
  state: 'under way' | 'failing' | 'done'
  url: string | undefined
}

/** Whether the service has started: requests wait for a start that succeeds, and a failing one is reported at once. */
function createStart({ DATABASE_URL: url, DATABASE_ACQUIRE_TIMEOUT_MS }: Settings) {
  const maxWaitMs = url === undefined ? EMBEDDED_START_MS : DATABASE_ACQUIRE_TIMEOUT_MS
  let news: StartupProgress = { state: 'under way', url }
  const changed = new EventEmitter().setMaxListeners(0)
  return {
    get isDone() {
      return news.state === 'done'
    },
    get url() {
      return news.url
    },
    record(next: StartupProgress) {
      news = next
      changed.emit('change')
    },
    async wait() {
      await withDeadline(maxWaitMs, ending, async (enough) => {
        while (news.state === 'under way' && !enough.aborted) {
          await once(changed, 'change', { signal: enough }).catch(() => undefined)
        }
      })
      return news.state === 'done'
    },
  }
}
