import pg from 'pg'
import { connectClient, describeFailure } from '../database/failures.ts'
import { Faults, ImportFaultsError } from './faults.ts'
import { mayNotImport, toImportFailure } from './import-failures.ts'
import { takeImportLock } from './import-lock.ts'
import { mergeStatements } from './merge.ts'
import { type RecordType, recordTypes } from './records.ts'
import { faultyReferencesSql } from './reference-checks.ts'
import { rollUpStatements } from './rollups.ts'
import type { ImportSource } from './sources.ts'
import { stageRecords } from './stage-records.ts'
import { createStagingSql, fromPlace } from './staging.ts'
import { summarizeWhitelist, type WhitelistSummary } from './whitelist-summary.ts'

export interface ImportSummary extends WhitelistSummary {
  /** Records read, by type. */
  records: Record<RecordType, number>
}

export interface ImportOptions {
  isDryRun?: boolean
  /** Told the number of records so far. */
  onProgress?: (records: number) => void
  /** Told what an operator should know and what is no failure: that the import waits, for example. */
  onNotice?: (text: string) => void
}

/** From this number of records on, statistics and the visibility map are brought up to date at once. */
const MANY_RECORDS = 5000

/** After so long without a word, each side asks whether the other is still there. */
const SILENCE_SECONDS = 30

const transactionSettings = [
  'client_min_messages = warning',
  "work_mem = '128MB'",
  'jit = off',
  `tcp_keepalives_idle = ${SILENCE_SECONDS}`,
  'tcp_keepalives_interval = 10',
  'tcp_keepalives_count = 3',
]

/**
 * Imports all sources in one transaction: everything or, after a fault, nothing. Reads, checks and sends as it goes, in
 * memory that does not grow with the input (about one megabyte a record type, and the longest line).
 * @throws ImportFaultsError with the first faults and the number of all.
 * @throws ImportFailedError where the database did not let it through, or was lost.
 */
export async function importRecords(
  url: string,
  sources: ImportSource[],
  options: ImportOptions = {},
): Promise<ImportSummary> {
  const { isDryRun = false, onNotice = () => undefined } = options
  const client = new pg.Client({
    connectionString: url,
    application_name: 'reward-campaigns import',
    keepAlive: true,
    keepAliveInitialDelayMillis: SILENCE_SECONDS * 1000,
  })
  const connection = { isLost: false, isCommitting: false }
  client.on('error', () => {
    connection.isLost = true
  })
  await connectClient(client)
  try {
    const summary = await importInTransaction(client, sources, { ...options, onNotice })
    connection.isCommitting = !isDryRun
    await client.query(isDryRun ? 'rollback' : 'commit')
    const total = Object.values(summary.records).reduce((sum, count) => sum + count, 0)
    if (!isDryRun && total >= MANY_RECORDS) await vacuum(client, onNotice)
    return summary
  } catch (error) {
    throw toImportFailure(error, connection)
  } finally {
    // Ending the connection ends the transaction too, whatever has happened.
    await client.end().catch(() => undefined)
  }
}

/** Everything up to the commit. */
async function importInTransaction(
  client: pg.Client,
  sources: ImportSource[],
  { onProgress, onNotice }: Required<Pick<ImportOptions, 'onNotice'>> & ImportOptions,
): Promise<ImportSummary> {
  await client.query('begin isolation level read committed')
  for (const setting of transactionSettings) await client.query(`set local ${setting}`)
  // Asked before anything is read: files may be large.
  const allowed = await client.query("select where has_table_privilege('campaigns', 'insert')")
  if (allowed.rows.length === 0) throw mayNotImport()
  for (const type of recordTypes) await client.query(createStagingSql(type))
  const records = await stageRecords(client, sources, onProgress)
  // Before references are checked: another import might just be bringing, or withdrawing, what they refer to.
  await takeImportLock(client, onNotice)
  await checkReferences(client, sources)
  // Before anything changes: what is counted from here on is counted up to now.
  await client.query('select advance_claim_windows()')
  for (const statement of [...mergeStatements, ...rollUpStatements]) await client.query(statement)
  return { records, ...(await summarizeWhitelist(client)) }
}

/** All is imported by now: a failure is told, and is none of the import. */
async function vacuum(client: pg.Client, onNotice: (text: string) => void) {
  try {
    await client.query('vacuum (analyze)')
  } catch (error) {
    onNotice(
      `all is imported, but not vacuumed (${describeFailure(error)}): queries may be slower until the database does it by itself`,
    )
  }
}

async function checkReferences(client: pg.Client, sources: ImportSource[]) {
  type Found = { place: string; pointer: string; message: string; total: string }
  const found = await client.query<Found>(faultyReferencesSql)
  if (found.rows.length === 0) return
  const faults = new Faults()
  for (const { place, pointer, message } of found.rows) {
    const { file, line } = fromPlace(Number(place))
    faults.add({ file: sources[file]?.name ?? '', line, pointer, message })
  }
  faults.count = Number(found.rows[0]?.total)
  throw new ImportFaultsError(faults)
}
