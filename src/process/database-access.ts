import { constants } from 'node:fs'
import { access, mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EmbeddedServer } from 'reward-campaigns-embedded-postgres'
import { ConfigurationError } from '../config.ts'
import { explainFailure, isDatabaseUnreachable } from '../database/connection/database-errors.ts'
import type { Database } from '../database/connection/open-database.ts'
import { openPool } from '../database/connection/pool.ts'
import { describeDatabase } from '../database/describe-database.ts'
import { migrateDatabase } from '../database/migrate-database.ts'
import { requireCurrentSchema } from '../database/schema-version.ts'
import type { Settings } from '../settings.ts'
import { openEmbeddedDatabase, requireEmbedded } from './embedded-database.ts'
import { toPrintable } from './print-rows.ts'
import { ending, onShutdown } from './shutdown.ts'

export interface DatabaseAccess {
  url: string
  isEmbedded: boolean
  /** What it is, for an operator: without a host or a secret. */
  describe: (database: Database) => Promise<string>
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
      if (settings.DATABASE_URL !== undefined)
        return { url: settings.DATABASE_URL, isEmbedded: false, describe: describeServer, close }
      // If none can run, as in the image, its folder does not matter.
      await requireEmbedded()
      const folder = await createDataFolder(settings.DATA_DIR)
      ending.throwIfAborted()
      opening = openEmbeddedDatabase(folder, {
        leaving: ending,
        onCreate: () => log(`creating the database in ${folder}`),
        onRestart: () => log('database process exited, restarted it'),
      })
      const { url } = await opening
      ending.throwIfAborted()
      return { url, isEmbedded: true, describe: async () => `embedded in ${folder}`, close }
    },
  }
}

const describeServer = async (database: Database) => toPrintable(await describeDatabase(database))

const printOnTerminal = (what: string) => void (process.stderr.isTTY && process.stderr.write(`${what}\n`))

export const openDatabaseAccess = (settings: Settings) => createDatabaseAccess(settings).open()

/** When a database that is away is tried again. */
const AWAY_MS = 2000

/** Some work on the database, and what it gives. */
export type Attempt = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Retries the work while the database is unreachable, until the process ends.
 * @param onAway is called with each such failure, and ends the retries by throwing one.
 */
export async function retryWhileAway<T>(work: () => Promise<T>, onAway = logAway): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (ending.aborted || !isDatabaseUnreachable(error)) throw error
      onAway(error)
      await sleep(AWAY_MS, undefined, { signal: ending })
    }
  }
}

const logAway = (error: unknown) => void process.stderr.write(`${explainFailure(error)}, retrying\n`)

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
  const { database, close } = openPool({
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

const reasons: Record<string, string> = {
  EEXIST: 'there is a file in its place',
  ENOTDIR: 'there is a file in its place, or above it',
  ENOENT: 'no folder can be made there',
  EACCES: 'this account may not write there',
  EPERM: 'this account may not write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'there is no space left on its disk',
}

/**
 * Creates the folder of the embedded server if there is none.
 * @throws ConfigurationError if it is not a writable folder.
 */
export async function createDataFolder(name: string) {
  const folder = resolve(name)
  try {
    await makeFolder(folder)
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const reason = ('code' in error ? reasons[String(error.code)] : undefined) ?? error.message
    throw new ConfigurationError(`DATA_DIR ${folder} cannot be used: ${reason}`, { cause: error })
  }
  return folder
}

const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/**
 * Not `recursive`: if a file system answers ENOENT for lack of a better code, as /proc does, Node.js never stops
 * trying.
 */
async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return
  if (dirname(path) !== path) await makeFolder(dirname(path))
  await mkdir(path, { mode: 0o700 }).catch(async (error: unknown) => {
    // Another process may have been faster.
    if (!(await isFolder(path))) throw error
  })
}
