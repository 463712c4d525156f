import { compareSchema } from '../database/schema-version.ts'
import { rebuild } from '../ingest/rebuild.ts'
import { withCurrentSchema } from '../process/database-access.ts'
import type { Settings } from '../settings.ts'

/** `rebuild`: recomputes all derived data from the facts. */
export const rebuildDatabase = (settings: Settings) =>
  withCurrentSchema(settings, async (url, database) => {
    const isOwnSchema = (await compareSchema(database)) === 'current'
    await rebuild(url, { isOwnSchema, log: (what) => process.stderr.write(`${what}\n`) })
    process.stdout.write('all derived data recomputed\n')
  })
