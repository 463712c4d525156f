import { once } from 'node:events'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { connectForBatches, IMPORT_LOCK, mergeStaged } from './batches.ts'
import { Faults, ImportFaultsError } from './faults.ts'
import { LineTooLongError, readLines } from './lines.ts'
import { createRecordReader, type ReadRecord } from './record-reader.ts'
import { type ImportRecord, type RecordType, recordTypes } from './records.ts'
import { checkReferences } from './reference-checks.ts'
import { dropSupersededSql, stagingName, toCopyLine, toPlace } from './staging.ts'

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
  const client = await connectForBatches(url)
  try {
    await client.query('begin isolation level read committed')
    await client.query("set local work_mem = '128MB'")
    const records = await stage(client, sources, options.onProgress)
    // Before references are checked: another import might just be bringing, or withdrawing, what they refer to.
    await client.query('select pg_advisory_xact_lock($1)', [IMPORT_LOCK])
    await checkReferences(
      (sql) => client.query(sql),
      sources.map(({ name }) => name),
    )
    // Before anything changes: what is counted from here on is counted up to now.
    await client.query('select advance_claim_windows()')
    const ask = (sql: string) => client.query(sql)
    await mergeStaged(ask, new Set(recordTypes.filter((type) => records[type] > 0)), (table) => ask(`analyze ${table}`))
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
    await client.query(`analyze ${stagingName(type)}`)
    await client.query(dropSupersededSql(type))
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
