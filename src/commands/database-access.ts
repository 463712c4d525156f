import type { Settings } from '../config.ts'
import { type Database, openDatabase } from '../database/client.ts'
import { EmbeddedServerError, openEmbeddedServer } from '../database/embedded.ts'
import { lastWords } from '../database/last-words.ts'
import { migrateDatabase, requireCurrentSchema } from '../database/migrations.ts'
import { createDataFolder } from './data-folder.ts'

export interface DatabaseAccess {
  url: string
  isEmbedded: boolean
  /** Leaves an embedded server; the last process to leave stops it. */
  close: () => Promise<void>
}

/**
 * The external database that is set, else the embedded server: the running one, or one that is started for now. That a
 * new one is made takes seconds, so it is said.
 */
export async function openDatabaseAccess(
  settings: Settings,
  say: (what: string) => void = sayOnTerminal,
): Promise<DatabaseAccess> {
  if (settings.DATABASE_URL !== undefined) {
    return { url: settings.DATABASE_URL, isEmbedded: false, close: async () => undefined }
  }
  const folder = await createDataFolder(settings.DATA_DIR)
  const onCreate = () => say(`creating the database in ${folder}`)
  const server = await openEmbeddedServer(folder, {}, onCreate).catch((error) => {
    throw explainProgram(error, folder)
  })
  return { url: server.url, isEmbedded: true, close: server.close }
}

const sayOnTerminal = (what: string) => void (process.stderr.isTTY && process.stderr.write(`${what}\n`))

/** One of PostgreSQL's own programs has failed: its last words say more than the command line. */
function explainProgram(error: unknown, folder: string) {
  if (!(error instanceof Error && 'stderr' in error && typeof error.stderr === 'string')) return error
  return new EmbeddedServerError(`the embedded PostgreSQL in ${folder} failed: ${lastWords(error.stderr)}`, {
    cause: error,
  })
}

/**
 * Works on a database whose schema is current: an embedded one is migrated first.
 * @throws SchemaBehindError where an external one is behind.
 */
export async function withCurrentSchema<T>(settings: Settings, use: (url: string, database: Database) => Promise<T>) {
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
    else await requireCurrentSchema(database)
    return await use(access.url, database)
  } finally {
    await close()
    await access.close()
  }
}
