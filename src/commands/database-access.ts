import type { Settings } from '../config.ts'
import { type Database, openDatabase } from '../database/client.ts'
import { openEmbeddedServer } from '../database/embedded.ts'
import { migrateDatabase, requireCurrentSchema } from '../database/migrations.ts'
import { closeAtEnd, ending } from './ending.ts'

export interface DatabaseAccess {
  url: string
  isEmbedded: boolean
  /** Leaves an embedded server; the last process to leave stops it. */
  close: () => Promise<void>
}

/**
 * The external database that is set, else the embedded server: the running one, or one that is started for now. It is
 * left however the process ends, even when that is in the middle of a start.
 */
export async function openDatabaseAccess(settings: Settings): Promise<DatabaseAccess> {
  if (settings.DATABASE_URL !== undefined) {
    return { url: settings.DATABASE_URL, isEmbedded: false, close: async () => undefined }
  }
  const opening = openEmbeddedServer(settings.DATA_DIR, { leaving: ending })
  const close = closeAtEnd(
    () =>
      opening.then(
        ({ close }) => close(),
        () => undefined,
      ),
    { isNeededInHaste: true },
  )
  const { url } = await opening
  ending.throwIfAborted()
  return { url, isEmbedded: true, close }
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
