import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from '../database/connection/client.ts'
import { explainFailure, isDatabaseUnreachable } from '../database/connection/database-errors.ts'
import { migrateDatabase, requireCurrentSchema } from '../database/migrations.ts'
import { type EmbeddedServer, openEmbeddedServer } from '../embedded/embedded-postgres.ts'
import { findBinaries } from '../embedded/embedded-programs.ts'
import type { Settings } from '../settings.ts'
import { createDataFolder } from './data-folder.ts'
import { ending, onShutdown } from './shutdown.ts'

export interface DatabaseAccess {
  url: string
  isEmbedded: boolean
  /** Releases an embedded server; the last process to release it stops it. */
  close: () => Promise<void>
}

/**
 * Access to the configured external database, or else to the embedded server: the running one, or one that is started
 * for the moment. Creating one takes seconds, so that is announced. It is released however the process ends, even in
 * the middle of a start.
 */
export function createDatabaseAccess(settings: Settings, log: (what: string) => void = printOnTerminal) {
  let opening: Promise<EmbeddedServer> | undefined
  const close = onShutdown(
    async () =>
      opening?.then(
        (server) => server.close(),
        () => undefined,
      ),
    { closesWhenForced: true },
  )
  return {
    async open(): Promise<DatabaseAccess> {
      if (settings.DATABASE_URL !== undefined) return { url: settings.DATABASE_URL, isEmbedded: false, close }
      // If none can run, as in the image, its folder does not matter.
      await findBinaries()
      const folder = await createDataFolder(settings.DATA_DIR)
      ending.throwIfAborted()
      opening = openEmbeddedServer(folder, {
        leaving: ending,
        onCreate: () => log(`creating the database in ${folder}`),
        onRestart: () => log('database process exited, restarted it'),
      })
      const { url } = await opening
      ending.throwIfAborted()
      return { url, isEmbedded: true, close }
    },
  }
}

const printOnTerminal = (what: string) => void (process.stderr.isTTY && process.stderr.write(`${what}\n`))

export const openDatabaseAccess = (settings: Settings) => createDatabaseAccess(settings).open()

/** When a database that is away is tried again. */
const AWAY_MS = 2000

/** Some work on the database, and what it gives. */
export type Attempt = <T>(work: () => Promise<T>) => Promise<T>

/** Retries the work while the database is unreachable, and logs it, until the process ends. */
export const retryWhileAway: Attempt = async (work) => {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (ending.aborted || !isDatabaseUnreachable(error)) throw error
      process.stderr.write(`${explainFailure(error)}, retrying\n`)
      await sleep(AWAY_MS, undefined, { signal: ending })
    }
  }
}

/**
 * Works on a database whose schema is current: an embedded one is migrated first.
 * @param attempt how it is reached: once, or as often as it takes.
 * @throws SchemaBehindError if an external one is behind.
 */
export async function withCurrentSchema<T>(
  settings: Settings,
  use: (url: string, database: Database) => Promise<T>,
  attempt: Attempt = (work) => work(),
) {
  const access = await openDatabaseAccess(settings)
  const { database, close } = openDatabase({
    url: access.url,
    poolSize: 1,
    connectionTimeoutMs: 10_000,
    statementTimeoutMs: 10_000,
    onIdleError: () => undefined,
  })
  try {
    if (access.isEmbedded) await migrateDatabase(access.url)
    else await attempt(() => requireCurrentSchema(database))
    return await use(access.url, database)
  } finally {
    await close()
    await access.close()
  }
}
