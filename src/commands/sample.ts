import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { SingleBar } from 'cli-progress'
import { sql } from 'drizzle-orm'
import { generateSample, PROJECT_IMAGES, type SampleOptions } from 'reward-campaigns-sample-data'
import { DatabaseUnreachableError, isConnectionFailure } from '../database/connection/database-errors.ts'
import type { Database } from '../database/connection/open-database.ts'
import { actionTemplates, campaigns } from '../database/tables/campaigns.ts'
import { followedChains } from '../database/tables/followed-chains.ts'
import { ImportFailedError } from '../import/import-failures.ts'
import { importRecords } from '../import/importer.ts'
import { toNdjson, toRecordSource } from '../import/sources.ts'

export type SampleCommandOptions = Omit<SampleOptions, 'now'> & Partial<Pick<SampleOptions, 'now'>>

const TEN_MINUTES_MS = 600_000

/**
 * `sample`: prints NDJSON, the same for the same arguments. Without `now` that lasts ten minutes: so the data is recent
 * enough for the shortest windows of time.
 */
export async function sample(options: SampleCommandOptions) {
  const now = new Date(Math.floor(Date.now() / TEN_MINUTES_MS) * TEN_MINUTES_MS)
  const records = Readable.from(toNdjson(generateSample({ now, ...options })))
  await pipeline(records, process.stdout).catch((error: NodeJS.ErrnoException) => {
    // The reader has closed the pipe, as `head` does.
    if (error.code !== 'EPIPE') throw error
  })
}

/** The content of a fresh embedded database. */
const STARTER = { campaigns: 1000, claims: 20_000, seed: 1 }

/**
 * Fills a database that has no campaign yet, and is not for followed chains, with enough data to try every operation.
 * It takes seconds, so a terminal gets a bar.
 */
export async function fillWithSample(url: string, database: Database, log: (what: string) => void) {
  const { rows } = await database.execute(
    sql`(select from ${campaigns} limit 1) union all (select from ${followedChains} limit 1)`,
  )
  if (rows.length > 0) return
  log('filling the database with sample data')
  const records = [...generateSample({ ...STARTER, now: new Date() })]
  const bar = new SingleBar({
    format: '{bar} {value} of {total} records{rest}',
    noTTYOutput: false,
    stream: process.stdout,
  })
  const onProgress = (count: number) =>
    bar.update(count, { rest: count < records.length ? '' : ', now derived figures' })
  bar.start(records.length, 0, { rest: '' })
  try {
    await importRecords(url, [toRecordSource('sample data', records)], { onProgress }).catch(rethrowAsUnreachable)
  } finally {
    bar.stop()
  }
}

/** Whether a database has sample data, however that came into it. */
export async function holdsSample(database: Database) {
  const { rows } = await database.execute(
    sql`select from ${actionTemplates} where starts_with(${actionTemplates.projectImage}, ${PROJECT_IMAGES}) limit 1`,
  )
  return rows.length > 0
}

/** A database that becomes unreachable meanwhile may come back, and be filled then. */
function rethrowAsUnreachable(error: unknown): never {
  if (error instanceof ImportFailedError && isConnectionFailure(error.cause)) {
    throw new DatabaseUnreachableError(error.message, { cause: error.cause })
  }
  throw error
}
