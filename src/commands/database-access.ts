import type { Settings } from '../config.ts'
import { openEmbeddedServer } from '../database/embedded.ts'

export interface DatabaseAccess {
  url: string
  isEmbedded: boolean
  /** Leaves an embedded server; the last process to leave stops it. */
  close: () => Promise<void>
}

/** The external database that is set, else the embedded server: the running one, or one that is started for now. */
export async function openDatabaseAccess(settings: Settings): Promise<DatabaseAccess> {
  if (settings.DATABASE_URL !== undefined) {
    return { url: settings.DATABASE_URL, isEmbedded: false, close: async () => undefined }
  }
  const server = await openEmbeddedServer(settings.DATA_DIR)
  return { url: server.url, isEmbedded: true, close: server.close }
}
