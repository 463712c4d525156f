import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../database/connection/client.ts'
import { explainFailure, isDatabaseUnreachable, isOutOfSpace } from '../../database/connection/database-errors.ts'
import { migrateDatabase, requireCurrentSchema } from '../../database/migrations.ts'
import type { createDatabaseAccess, DatabaseAccess } from '../../process/database-access.ts'
import { ending } from '../../process/shutdown.ts'
import type { StartupProgress } from '../../process/startup-state.ts'
import type { Settings } from '../../settings.ts'
import { fillWithSample } from '../sample.ts'

const RETRY_MS = 2000

type Log = Pick<FastifyBaseLogger, 'info' | 'warn'>

export interface Preparation {
  settings: Settings
  access: ReturnType<typeof createDatabaseAccess>
  /** Queries the database once its address is known. */
  database: Database
  log: Log
  /** Called with the progress of the start. */
  onProgress: (news: StartupProgress) => void
}

/**
 * Makes sure that the database of a service exists and is current, as long as that takes, or until the process ends: an
 * unreachable one is tried again and again.
 * @throws errors that only an operator can resolve, such as an outdated schema.
 */
export async function prepareDatabase({ settings, access, database, log, onProgress }: Preparation) {
  const opened = await access.open()
  const { url } = opened
  onProgress({ state: 'under way', url })
  let known: string | undefined
  while (!ending.aborted) {
    try {
      await prepare(opened)
      onProgress({ state: 'done', url })
      return
    } catch (error) {
      // Our own server is not unreachable, and a full disk of this machine is up to its owner.
      if (!isDatabaseUnreachable(error) || (opened.isEmbedded && isOutOfSpace(error))) throw error
      onProgress({ state: 'failing', url })
      const reason = explainFailure(error)
      if (reason !== known) log.warn({ reason }, 'database not ready, retrying')
      known = reason
    }
    await pause(RETRY_MS)
  }

  async function prepare({ url, isEmbedded }: DatabaseAccess) {
    if (isEmbedded || settings.MIGRATE_ON_START) {
      const applied = await migrateDatabase(url, {
        onWait: () => log.info('another process migrates the database, waiting'),
        onBlocked: (reason) => log.warn({ reason }, 'migration blocked by other transactions, waiting'),
      })
      if (applied > 0) log.info({ migrations: applied }, 'database migrated')
    }
    await requireCurrentSchema(database)
    if (isEmbedded && settings.SAMPLE_DATA) await fillWithSample(url, database, (what) => log.info(what))
  }
}

const pause = (ms: number) => sleep(ms, undefined, { signal: ending }).catch(() => undefined)
