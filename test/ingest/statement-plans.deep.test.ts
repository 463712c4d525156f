import { once } from 'node:events'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { generateSample } from 'reward-campaigns-sample-data'
import { describe, expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { readRecord } from '../../src/import/record-reader.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { hiddenCampaignsSql, missingTokensSql } from '../../src/import/whitelist-summary.ts'
import { connectForBatches } from '../../src/ingest/batch-connection.ts'
import { batchSteps } from '../../src/ingest/batch-steps.ts'
import { toStored } from '../../src/ingest/claim-proofs.ts'
import { type ImportRecord, stagedTypes } from '../../src/ingest/records.ts'
import { firstFaultsSql } from '../../src/ingest/staging/reference-checks.ts'
import { settleStagedSql, stagingName, toCopyLine } from '../../src/ingest/staging/staging.ts'
import { createTempTables } from '../../src/ingest/staging/temp-tables.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { anErc20Incentive } from '../setup/records.ts'

/*
 * The real planner runs every statement of an import on several mixes of what is stored and what is new. Counted are
 * the rows that a statement looks at: all there are, some times over, and never each with each.
 */

/** How often a statement may look at all rows: at claims, say, once for each of the five windows. */
const MAX_SCANS = 12
/** An import below this size leaves the statistics as they are. */
const PART = 4000

/** A record as it is staged: its addresses are lower-case. */
function asRead(record: ImportRecord): ImportRecord {
  const result = readRecord(Buffer.from(JSON.stringify(record)))
  if (result === undefined || !('record' in result)) throw new Error('not a record')
  return result.record
}

const sample = [...generateSample({ campaigns: 1000, claims: 20_000, seed: 3, now: new Date('2026-01-01') })].map(
  asRead,
)
const claims = sample.filter(({ type }) => type === 'claim')
const others = sample.filter(({ type }) => type !== 'claim')
const firstClaims = claims.filter((_, index) => index % 3 === 0)
const laterClaims = claims.filter((_, index) => index % 3 !== 0)

/** All campaigns, with so many incentives, and all claims, which go to the last of these. */
const withIncentives = (count: number) =>
  sample
    .filter(({ type }) => type !== 'claimSignature' && type !== 'claimProof')
    .map((record): ImportRecord => {
      if (record.type === 'claim') return { ...record, incentiveIndex: count - 1 }
      if (record.type !== 'campaign') return record
      return { ...record, incentives: Array.from({ length: count }, () => anErc20Incentive(record.owner)) }
    })

/** What is stored, and what comes then. */
const mixes: { title: string; stored: ImportRecord[]; staged: Record<string, ImportRecord[]> }[] = [
  {
    title: 'nothing is stored',
    stored: [],
    staged: { 'all is new': sample, 'each record comes twice': [...sample, ...sample] },
  },
  {
    title: 'all is stored but a claim',
    stored: sample.slice(0, -1),
    staged: { 'it is new': sample.slice(-1), 'all that is stored comes again': sample },
  },
  {
    title: 'a third of the claims is stored',
    stored: [...others, ...firstClaims],
    staged: { 'only claims are new': laterClaims, 'campaigns come again with new claims': [...others, ...laterClaims] },
  },
  {
    title: 'all campaigns are stored with more incentives',
    stored: withIncentives(3),
    staged: { 'they lose them, and claims move': withIncentives(1) },
  },
]

interface Plan {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** The most rows that a node of the plan has looked at. */
const rowsLookedAt = (plan: Plan) =>
  Math.max(
    ...nodesOf(plan).map(
      (node) =>
        node['Actual Loops'] *
        (node['Actual Rows'] +
          (node['Rows Removed by Filter'] ?? 0) +
          (node['Rows Removed by Join Filter'] ?? 0) +
          (node['Rows Removed by Index Recheck'] ?? 0)),
    ),
  )

/** Runs the statements of an import, and returns those that look at more than so many rows. */
async function statementsThatLookAtMore(url: string, records: ImportRecord[], max: number) {
  const client = await connectForBatches(url, 'reward-campaigns test', { pipeline: false })
  try {
    await createTempTables(client)
    await client.query("begin; set local work_mem = '128MB'; set local statement_timeout = '50s'")
    for (const type of stagedTypes) {
      const stream = client.query(copyFrom(`copy ${stagingName(type)} from stdin`))
      const lines = records.map((record, place) => (record.type === type ? toCopyLine(type, record, place) : ''))
      stream.end(lines.join(''))
      await once(stream, 'finish')
    }
    const present = new Set(records.map(toStored).map(({ type }) => type))
    const excessive: { rows: number; statement: string }[] = []
    for (const statement of [
      ...stagedTypes.filter((type) => present.has(type)).flatMap(settleStagedSql),
      ...[firstFaultsSql(present)].filter((sql) => sql !== undefined),
      'select advance_claim_windows()',
      ...batchSteps.flatMap(({ sql, populates }) => (populates === undefined ? [sql] : [sql, `analyze ${populates}`])),
      hiddenCampaignsSql,
      missingTokensSql,
    ]) {
      const isExplainable = !/^(analyze|create unique index)/.test(statement)
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        isExplainable ? `explain (analyze, timing off, format json) ${statement}` : statement,
      )
      if (!isExplainable) continue
      const plan = rows[0]?.['QUERY PLAN'][0].Plan
      if (plan === undefined) throw new Error(`no plan of ${statement}`)
      if (rowsLookedAt(plan) > max) excessive.push({ rows: rowsLookedAt(plan), statement })
    }
    return excessive
  } finally {
    await client.end()
  }
}

/** Stores records so that statistics are as the import leaves them, or as they were when almost nothing was stored. */
async function store(database: TestDatabase, records: ImportRecord[], isStale: boolean) {
  if (!isStale) {
    await importRecords(database.url, [toRecordSource('stored', records)])
    await database.query('analyze')
    return
  }
  const tables = await database.query(
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
  )
  for (const { name } of tables) await database.query(`alter table ${name} set (autovacuum_enabled = off)`)
  const inOrder = stagedTypes.flatMap((type) => records.filter((record) => record.type === type))
  for (let start = 0; start < inOrder.length; start += PART) {
    await importRecords(database.url, [toRecordSource('stored', inOrder.slice(start, start + PART))])
    if (start === 0) await database.query('analyze')
  }
}

describe('no statement of an import looks at each row for each other', () => {
  for (const { title, stored, staged } of mixes) {
    for (const isStale of stored.length > 0 ? [false, true] : [false]) {
      const state = `${title}, with ${isStale ? 'old' : 'fresh'} statistics`
      test(`when ${state}, and ${Object.keys(staged).join(', or ')}`, { timeout: 600_000 }, async () => {
        await using database = await createTestDatabase()
        await store(database, stored, isStale)
        for (const [coming, records] of Object.entries(staged)) {
          await using copy = await createTestDatabase(database)
          const rows = (stored.length + records.length) * MAX_SCANS
          expect(await statementsThatLookAtMore(copy.url, records, rows), coming).toEqual([])
        }
      })
    }
  }

  test('and one that does is noticed', async () => {
    await using database = await createTestDatabase()
    await database.query(
      'create view pairs as select from generate_series(1, 500) a, generate_series(1, 500) b where a < b',
    )
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query('explain (analyze, timing off, format json) select from pairs')
    await client.end()
    expect(rowsLookedAt(rows[0]['QUERY PLAN'][0].Plan)).toBe(250_000)
  })
})
