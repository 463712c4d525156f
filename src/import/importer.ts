import { once } from 'node:events'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { connectClient } from '../database/failures.ts'
import { Faults, ImportFaultsError } from './faults.ts'
import { LineTooLongError, readLines } from './lines.ts'
import { mergeStatements } from './merge.ts'
import { createRecordReader, type ReadRecord } from './record-reader.ts'
import { type ImportRecord, type RecordType, recordTypes } from './records.ts'
import { faultyReferencesSql } from './reference-checks.ts'
import { rollUpStatements } from './rollups.ts'
import { createStagingSql, fromPlace, settleStagedSql, stagingName, toCopyLine, toPlace } from './staging.ts'

/** Something that records are read from: NDJSON as bytes. */
export interface ImportSource {
  name: string
  bytes: AsyncIterable<Buffer>
}

export interface ImportSummary {
  /** Records read, by type. */
  records: Record<RecordType, number>
  /** Campaigns in the database that the default `tokenWhitelist` hides. */
  hiddenCampaigns: number
  /** Tokens that would have to be known and whitelisted for that, those of the most campaigns first; at most 20. */
  missingTokens: { token: string; campaigns: number }[]
}

/** Imports wait for each other: two that touch the same campaigns would otherwise block one another. */
const IMPORT_LOCK = 7_201_001

/** Bytes of one record type that are collected before they are sent. */
const COPY_BYTES = 1024 * 1024

/** From this number of records on, statistics and the visibility map are brought up to date at once. */
const MANY_RECORDS = 5000

/**
 * Imports all sources in one transaction: everything or, after a fault, nothing. Reads, checks and sends as it goes, in
 * memory that does not grow with the input (about one megabyte a record type, and the longest line).
 * @throws ImportFaultsError with the first faults and the number of all.
 */
export async function importRecords(
  url: string,
  sources: ImportSource[],
  options: { isDryRun?: boolean; onProgress?: (records: number) => void } = {},
): Promise<ImportSummary> {
  const client = new pg.Client({ connectionString: url, application_name: 'reward-campaigns import' })
  await connectClient(client)
  try {
    await client.query('begin isolation level read committed')
    await client.query("set local client_min_messages = warning; set local work_mem = '128MB'; set local jit = off")
    for (const type of recordTypes) await client.query(createStagingSql(type))
    const records = await stage(client, sources, options.onProgress)
    // Before references are checked: another import might just be bringing, or withdrawing, what they refer to.
    await client.query('select pg_advisory_xact_lock($1)', [IMPORT_LOCK])
    await checkReferences(client, sources)
    // Before anything changes: what is counted from here on is counted up to now.
    await client.query('select advance_claim_windows()')
    for (const statement of [...mergeStatements, ...rollUpStatements]) await client.query(statement)
    const summary = { records, ...(await summarizeWhitelist(client)) }
    await client.query(options.isDryRun ? 'rollback' : 'commit')
    const total = Object.values(records).reduce((sum, count) => sum + count, 0)
    if (!options.isDryRun && total >= MANY_RECORDS) await client.query('vacuum (analyze)')
    return summary
  } finally {
    // Ending the connection ends the transaction too, whatever has happened.
    await client.end()
  }
}

/** Sends every record to the staging table of its type; after the first fault the rest is only checked. */
async function stage(client: pg.Client, sources: ImportSource[], onProgress?: (records: number) => void) {
  const read = createRecordReader()
  const copy = createCopyBuffers(client)
  const faults = new Faults()
  const counts = Object.fromEntries(recordTypes.map((type) => [type, 0])) as Record<RecordType, number>
  let total = 0
  for (const [file, source] of sources.entries()) {
    try {
      for await (const lines of readLines(source.bytes)) {
        for (const { number, bytes } of lines) {
          const result: ReadRecord | undefined = read(bytes)
          if (result === undefined) continue
          if ('problems' in result) {
            for (const problem of result.problems) faults.add({ file: source.name, line: number, ...problem })
            continue
          }
          counts[result.record.type] += 1
          total += 1
          if (faults.count === 0) await copy.add(result.record, toPlace(file, number))
        }
        onProgress?.(total)
      }
    } catch (error) {
      if (!(error instanceof LineTooLongError)) throw error
      faults.add({ file: source.name, line: error.line, pointer: '', message: error.message })
    }
  }
  if (faults.count > 0) throw new ImportFaultsError(faults)
  await copy.finish()
  for (const type of recordTypes) {
    for (const statement of settleStagedSql(type)) await client.query(statement)
  }
  return counts
}

/** Collects lines of COPY by record type; one piece is on its way while the next is collected. */
function createCopyBuffers(client: pg.Client) {
  const pieces = new Map<RecordType, { text: string[]; bytes: number }>()
  let underWay = Promise.resolve()

  async function send(type: RecordType, text: string[]) {
    await underWay
    const stream = client.query(copyFrom(`copy ${stagingName(type)} from stdin`))
    underWay = once(stream, 'finish').then(() => undefined)
    // Whoever waits next sees the error; until then it must not count as unhandled.
    underWay.catch(() => undefined)
    stream.end(text.join(''))
  }

  return {
    async add(record: ImportRecord, place: number) {
      const piece = pieces.get(record.type) ?? { text: [], bytes: 0 }
      const line = toCopyLine(record.type, record, place)
      piece.text.push(line)
      piece.bytes += line.length
      pieces.set(record.type, piece)
      if (piece.bytes < COPY_BYTES) return
      pieces.delete(record.type)
      await send(record.type, piece.text)
    },
    async finish() {
      for (const [type, { text }] of pieces) await send(type, text)
      await underWay
    },
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

async function summarizeWhitelist(client: pg.Client) {
  const hidden = await client.query<{ count: string }>(
    'select count(*) from campaigns where not has_whitelisted_rewards',
  )
  const missing = await client.query<{ token: string; campaigns: string }>(
    `select incentives.chain_id || ':' || asset as token, count(distinct campaign_key) as campaigns
    from incentives
    join campaigns on campaigns.key = campaign_key and not has_whitelisted_rewards
    left join tokens on tokens.chain_id = incentives.chain_id and tokens.address = asset
    where asset is not null and is_whitelisted is not true
    group by 1 order by 2 desc, 1 limit 20`,
  )
  return {
    hiddenCampaigns: Number(hidden.rows[0]?.count),
    missingTokens: missing.rows.map(({ token, campaigns }) => ({ token, campaigns: Number(campaigns) })),
  }
}
