import { once } from 'node:events'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { describeFailure, withTimeout } from '../database/connection/database-errors.ts'
import { connectForBatches, type Query } from '../ingest/batch-connection.ts'
import { runBatchSteps } from '../ingest/batch-steps.ts'
import { toStored, toStoredRemoval } from '../ingest/claim-proofs.ts'
import { takeImportLock } from '../ingest/ingest-lock.ts'
import { mayRevalue, revalueClaims } from '../ingest/merge/revalue-claims.ts'
import { type LineType, lineTypes, type StagedType, stagedTypes } from '../ingest/records.ts'
import { checkReferences, removeReferred } from '../ingest/staging/reference-checks.ts'
import {
  settleStagedSql,
  stagingName,
  toCopyLine,
  toLineId,
  toRemovalLine,
  withdrawRemoved,
} from '../ingest/staging/staging.ts'
import { createTempTables } from '../ingest/staging/temp-tables.ts'
import { listWrittenTables, vacuum } from '../ingest/vacuum.ts'
import { ImportFaultsError, ValidationErrors } from '../ingest/validation-errors.ts'
import { type StagedKind, withRestaged } from '../read-models/steps.ts'
import { mayNotImport, toImportFailure } from './import-failures.ts'
import { createMemoryPressure, readLines, UnreadableLineError } from './lines.ts'
import { type ReadRecord, readRecord } from './record-reader.ts'
import type { ImportSource } from './sources.ts'
import { summarizeWhitelist, type WhitelistSummary } from './whitelist-summary.ts'

/** Records read, by type. */
type RecordCounts = Record<LineType, number>

export interface ImportSummary extends WhitelistSummary {
  records: RecordCounts
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
  const { counts: records, stagedKinds } = await stageRecords(client, sources, onProgress)
  // Before references are checked: another import might just be bringing, or withdrawing, what they refer to.
  await takeImportLock(client, onNotice)
  const files = sources.map(({ name }) => name)
  await checkReferences(query, stagedKinds, files)
  // Before anything changes: what is counted from here on is counted up to now.
  await query('select advance_claim_windows()')
  await runBatchSteps(query, stagedKinds, (table) => query(`analyze ${table}`))
  await removeReferred(query, stagedKinds, files)
  // Of the campaigns of the call: values of claims touch others.
  const whitelist = await summarizeWhitelist(client)
  if (mayRevalue(stagedKinds)) await revalueClaims(query)
  return { records, ...whitelist }
}

/** Bytes of one record type that are collected before they are sent. */
const COPY_BYTES = 1024 * 1024

/** Some megabytes of gzip can contain billions of empty lines, which would take minutes. */
const MAX_EMPTY_LINES = 1_000_000

/**
 * Sends every record to the staging table of its type; after the first fault the rest is only checked.
 * @returns how many there are, and what they change.
 */
async function stageRecords(client: pg.Client, sources: ImportSource[], onProgress?: (records: number) => void) {
  const copy = createCopyBuffers(client)
  const faults = new ValidationErrors()
  const garbage = createMemoryPressure()
  const counts = Object.fromEntries(lineTypes.map((type) => [type, 0])) as RecordCounts
  const staged = new Set<StagedType>()
  const removed = new Set<StagedType>()
  let total = 0
  for (const [file, source] of sources.entries()) {
    let emptyLines = 0
    try {
      for await (const lines of readLines(source.bytes)) {
        for (const { number, bytes } of lines) {
          garbage.freeMemoryFor(bytes)
          const result: ReadRecord | undefined = readRecord(bytes)
          emptyLines = result === undefined ? emptyLines + 1 : 0
          if (emptyLines > MAX_EMPTY_LINES) {
            throw new UnreadableLineError(number, `more than ${MAX_EMPTY_LINES} lines in a row are empty`)
          }
          if (result === undefined) continue
          if ('problems' in result) {
            for (const problem of result.problems) faults.add({ file: source.name, line: number, ...problem })
            continue
          }
          counts['removal' in result ? 'removal' : result.record.type] += 1
          const stored = 'removal' in result ? toStoredRemoval(result.removal) : toStored(result.record)
          const type = stored.type === 'removal' ? stored.of : stored.type
          staged.add(type)
          if (stored.type === 'removal') removed.add(type)
          total += 1
          if (faults.count > 0) continue
          const lineId = toLineId(file, number)
          await copy.add(
            type,
            stored.type === 'removal' ? toRemovalLine(stored, lineId) : toCopyLine(stored.type, stored, lineId),
          )
        }
        onProgress?.(total)
      }
    } catch (error) {
      if (!(error instanceof UnreadableLineError)) throw error
      faults.add({ file: source.name, line: error.line, pointer: '', message: error.message })
    }
  }
  if (faults.count > 0) throw new ImportFaultsError(faults)
  await copy.finish()
  const stagedKinds = withRestaged(staged)
  for (const type of stagedTypes.filter((type) => stagedKinds.has(type))) {
    for (const statement of settleStagedSql(type)) await client.query(statement)
  }
  for (const { of, kind, sql } of withdrawRemoved) {
    if (!removed.has(of)) continue
    await client.query(sql)
    stagedKinds.add(kind)
  }
  return { counts, stagedKinds: stagedKinds as ReadonlySet<StagedKind> }
}

/** Collects lines of COPY by record type; one chunk is sent while the next is collected. */
function createCopyBuffers(client: pg.Client) {
  const pieces = new Map<StagedType, { text: string[]; bytes: number }>()
  let underWay = Promise.resolve()

  async function send(type: StagedType, text: string[]) {
    await underWay
    const stream = client.query(copyFrom(`copy ${stagingName(type)} from stdin`))
    underWay = once(stream, 'finish').then(() => undefined)
    // The next caller that waits gets the error; until then it must not count as unhandled.
    underWay.catch(() => undefined)
    stream.end(text.join(''))
  }

  return {
    async add(type: StagedType, line: string) {
      const piece = pieces.get(type) ?? { text: [], bytes: 0 }
      piece.text.push(line)
      piece.bytes += line.length
      pieces.set(type, piece)
      if (piece.bytes < COPY_BYTES) return
      pieces.delete(type)
      await send(type, piece.text)
      // A long record is gone before the next one is read.
      if (piece.bytes > 2 * COPY_BYTES) await underWay
    },
    async finish() {
      for (const [type, { text }] of pieces) await send(type, text)
      await underWay
    },
  }
}

/** All is imported by then: this is no failure of the import. */
const toNotVacuumed = (error: unknown) =>
  `all is imported, but not vacuumed (${describeFailure(error)}): queries may be slower until the database does it by itself`
