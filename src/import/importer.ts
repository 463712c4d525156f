import type pg from 'pg'
import { describeFailure, withTimeout } from '../database/connection/database-errors.ts'
import { connectForBatches, type Query } from '../ingest/batch-connection.ts'
import { runBatchSteps } from '../ingest/batch-steps.ts'
import { takeImportLock } from '../ingest/ingest-lock.ts'
import { mayRevalue, revalueClaims } from '../ingest/merge/revalue-claims.ts'
import { checkReferences, removeReferred } from '../ingest/staging/reference-checks.ts'
import { createTempTables } from '../ingest/staging/temp-tables.ts'
import { listWrittenTables, vacuum } from '../ingest/vacuum.ts'
import { mayNotImport, toImportFailure } from './import-failures.ts'
import type { ImportSource } from './sources.ts'
import { type RecordCounts, stageRecords } from './stage-records.ts'

export interface ImportSummary {
  records: RecordCounts
  /** Of the campaigns that the import concerns, how many the default `tokenWhitelist` hides. */
  hiddenCampaigns: number
  /** Tokens that would have to be known and whitelisted for that, those of the most campaigns first; at most 20. */
  missingTokens: { token: string; campaigns: number }[]
}

export interface ImportOptions {
  isDryRun?: boolean
  /** Called with the number of records so far. */
  onProgress?: (records: number) => void
  /** Called with messages that are no failures: that the import waits, for example. */
  onNotice?: (text: string) => void
  /** How long the commit may take: all is written by then, so a server that takes longer counts as lost. */
  commitMs?: number
}

/** A commit waits for the disk, and for synchronous standbys. */
const COMMIT_MS = 60_000

/** After at least this number of records, statistics and the visibility map are updated at once. */
const MANY_RECORDS = 5000

/**
 * Imports all sources in one transaction: everything or, after a fault, nothing. Reads, checks and sends as a stream,
 * in memory that does not grow with the input (about one megabyte for each record type, and the longest line).
 * @throws ImportFaultsError with the first faults and the number of all.
 * @throws ImportFailedError if the database refused it, or was lost.
 */
export async function importRecords(
  url: string,
  sources: ImportSource[],
  options: ImportOptions = {},
): Promise<ImportSummary> {
  const { isDryRun = false, onNotice = () => undefined, commitMs = COMMIT_MS } = options
  const client = await connectForBatches(url, 'reward-campaigns import', { pipeline: false })
  const connection = { isLost: false, isCommitting: false }
  client.on('error', () => {
    connection.isLost = true
  })
  try {
    const summary = await importInTransaction(client, sources, { ...options, onNotice })
    const total = Object.values(summary.records).reduce((sum, count) => sum + count, 0)
    const written = !isDryRun && total >= MANY_RECORDS ? await listWrittenTables(client) : []
    connection.isCommitting = !isDryRun
    const ended = client.query(isDryRun ? 'rollback' : 'commit')
    await withTimeout(ended, commitMs, `no response for ${commitMs / 1000} seconds`)
    await vacuum(client, written).catch((error) => onNotice(toNotVacuumed(error)))
    return summary
  } catch (error) {
    throw toImportFailure(error, connection)
  } finally {
    // Closing the connection always ends the transaction; a connection with a query under way is cut.
    await client.end().catch(() => undefined)
  }
}

/** Everything up to the commit. */
async function importInTransaction(
  client: pg.Client,
  sources: ImportSource[],
  { onProgress, onNotice }: Required<Pick<ImportOptions, 'onNotice'>> & ImportOptions,
): Promise<ImportSummary> {
  // Checked before anything is read: files may be large.
  const allowed = await client.query("select where has_table_privilege('campaigns', 'insert')")
  if (allowed.rows.length === 0) throw mayNotImport()
  await createTempTables(client)
  const query: Query = (sql, values) => client.query(sql, values)
  await query("begin isolation level read committed; set local work_mem = '128MB'")
  const { counts: records, changes } = await stageRecords(client, sources, onProgress)
  // Before references are checked: another import might just be bringing, or withdrawing, what they refer to.
  await takeImportLock(client, onNotice)
  const files = sources.map(({ name }) => name)
  await checkReferences(query, changes, files)
  // Before anything changes: what is counted from here on is counted up to now.
  await query('select advance_claim_windows()')
  await runBatchSteps(query, changes, (table) => query(`analyze ${table}`))
  await removeReferred(query, changes, files)
  if (mayRevalue(changes)) await revalueClaims(query)
  return { records, ...(await summarizeWhitelist(client)) }
}

/** All is imported by then: this is no failure of the import. */
const toNotVacuumed = (error: unknown) =>
  `all is imported, but not vacuumed (${describeFailure(error)}): queries may be slower until the database does it by itself`

/*
 * The import concerns the campaigns of its records and those that its claims and tokens change; others, possibly a
 * million, are not counted.
 */

export const hiddenCampaignsSql = `
  select count(*) from touched_campaigns join campaigns using (key) where not has_whitelisted_rewards`

export const missingTokensSql = `
  select incentives.chain_id || ':' || asset as token, count(distinct key) as campaigns
  from touched_campaigns
  join campaigns using (key)
  join incentives on campaign_key = key
  left join tokens on tokens.chain_id = incentives.chain_id and tokens.address = asset
  where not has_whitelisted_rewards and asset is not null and is_whitelisted is not true
  group by 1 order by 2 desc, 1 limit 20`

/** Runs at the end of an import's transaction, after the derived columns are computed. */
async function summarizeWhitelist(client: pg.Client): Promise<Omit<ImportSummary, 'records'>> {
  const hidden = await client.query<{ count: string }>(hiddenCampaignsSql)
  const missing = await client.query<{ token: string; campaigns: string }>(missingTokensSql)
  return {
    hiddenCampaigns: Number(hidden.rows[0]?.count),
    missingTokens: missing.rows.map(({ token, campaigns }) => ({ token, campaigns: Number(campaigns) })),
  }
}
