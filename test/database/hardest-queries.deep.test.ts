import type { LightMyRequestResponse } from 'fastify'
import pg from 'pg'
import { generateSample } from 'reward-campaigns-sample-data'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { readSettings } from '../../src/config.ts'
import { type OpenPool, openPool } from '../../src/database/connection/pool.ts'
import { openSnapshotsOf } from '../../src/database/exported-records/export-snapshots.ts'
import type { ListActivityResponse } from '../../src/features/activity/activity-schemas.ts'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { rebuild } from '../../src/ingest/rebuild.ts'
import { storeTotalsOf } from '../setup/data/stored-totals.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { findHardestQueries, type HardQuery, pagesAmong } from '../setup/requests/hardest-queries.ts'

/*
 * The dearest questions that are accepted, searched for among all filters at their limits. Times say little here, so what is
 * counted is the rows that all steps of all plans pass on, functions included: about a microsecond each. What a kind of question
 * may take follows from what it has to look at. `npm run bench -- --only hardest` measures the same questions by the time that
 * they take of PostgreSQL, among a million campaigns and ten million claims.
 */

const CAMPAIGNS = 5000
/** What a question may pass on besides what it is looked for by: a few times the campaigns. */
const MORE = 20_000
const CONTRACTS = 20_000
/** A few that hold most of the claims, which come evenly. */
const POPULAR = 5
const CLAIMS_OF_HOUR = 30
const HOURS = 60 * 24
const NOW = new Date('2026-01-01T00:00:00.000Z')

let database: TestDatabase
let opened: OpenPool
let app: Awaited<ReturnType<typeof buildApp>>
let queries: Record<'campaigns' | 'contracts' | 'activity' | 'trending', HardQuery[]>
let explaining: pg.Client
let passedOn = 0

beforeAll(async () => {
  database = await createTestDatabase()
  const sample = generateSample({ campaigns: CAMPAIGNS, claims: 20_000, seed: 1, now: NOW })
  await importRecords(database.url, [toRecordSource('sample', sample)])
  await database.query(
    `insert into claims (chain_id, tx_hash, log_index, campaign_key, incentive_position, claimant, amount, amount_usd,
      block_timestamp)
    select 1, sha256((key || ' ' || number)::bytea), 0, key, 0, '0x' || lpad(to_hex(number), 40, '0'), 1, number % 9,
      $3::bigint - number * 3600 / $2::integer
    from (select campaign_key as key from incentives where position = 0 order by 1 limit $1::integer) popular,
      generate_series(0, $2::integer * $4::integer - 1) number`,
    [POPULAR, CLAIMS_OF_HOUR, NOW.getTime() / 1000, HOURS],
  )
  await rebuild(database.url, { isOwnSchema: true, log: () => undefined })
  // Many contracts, of which a page may be deep.
  await database.query(
    `insert into contract_claim_totals (window_seconds, chain_id, address, campaign_count,
      newest_block_timestamp, claim_count, amount_usd)
    select window_seconds, 1, '0x' || lpad(to_hex(number), 40, '0'), 1, number, number % 50, number % 7
    from claim_windows, generate_series(1, $1::integer) number`,
    [CONTRACTS],
  )
  await database.query(
    `insert into contract_counts (chain_id, contract_count) values (1, $1)
    on conflict (chain_id) do update set contract_count = contract_counts.contract_count + $1`,
    [CONTRACTS],
  )
  await storeTotalsOf(database, NOW.getTime() / 1000)
  await database.query('vacuum analyze')
  opened = openPool({
    url: database.url,
    poolSize: 4,
    connectionTimeoutMs: 10_000,
    statementTimeoutMs: 30_000,
    onIdleError: () => undefined,
  })
  app = await buildApp({
    database: opened.database,
    openSnapshot: openSnapshotsOf(opened.pool),
    settings: readSettings({ LOG_LEVEL: 'silent', RESPONSE_CACHE_MB: '0', MAX_EVENT_LOOP_DELAY_MS: '0' }),
    isReady: async () => true,
    now: () => NOW,
  })
  queries = await findHardestQueries((sql) => database.query(sql) as Promise<{ value: string }[]>, NOW.getTime())
  explaining = new pg.Client({ connectionString: database.url, options: '-c plan_cache_mode=force_custom_plan' })
  await explaining.connect()
  await explaining.query(`load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_format = json;
    set auto_explain.log_analyze = on; set auto_explain.log_timing = off; set auto_explain.log_nested_statements = on;
    set auto_explain.log_level = notice; set jit = off`)
  explaining.on('notice', ({ message }) => {
    const json = message?.match(/plan:\s*(\{.*\})/s)?.[1]
    if (json !== undefined) passedOn += rowsOf(JSON.parse(json).Plan)
  })
}, 600_000)

afterAll(async () => {
  await explaining.end()
  await app.close()
  await opened.close()
  await database[Symbol.asyncDispose]()
})

interface Plan {
  'Actual Rows': number
  'Actual Loops': number
  Plans?: Plan[]
}

const rowsOf = (plan: Plan): number =>
  plan['Actual Rows'] * plan['Actual Loops'] + (plan.Plans ?? []).reduce((sum, part) => sum + rowsOf(part), 0)

/** The response to a question, and the rows that were passed on for it. */
async function measure(path: string) {
  const query = vi.spyOn(opened.pool, 'query')
  const response = await app.inject(path)
  const calls = query.mock.calls as unknown as [{ text: string }, unknown[]][]
  query.mockRestore()
  expect(response.statusCode, path).toBe(200)
  passedOn = 0
  for (const [{ text }, values] of calls) await explaining.query(text, values)
  return { response, calls, rows: passedOn }
}

/** A question of a kind for each of its pages that are hardest to find. */
async function* pagesOf(list: HardQuery[], totalOf: (response: LightMyRequestResponse) => number) {
  for (const { name, path } of list) {
    const first = await measure(path)
    yield { name, ...first }
    for (const page of pagesAmong(totalOf(first.response)).slice(1)) {
      yield { name: `${name}, page ${page}`, ...(await measure(`${path}&page=${page}`)) }
    }
  }
}

test('no page of campaigns looks at more than its own campaigns, and those that have a word', {
  timeout: 600_000,
}, async () => {
  const [stored] = await database.query('select count(*)::integer as campaigns from campaigns')
  for await (const { name, rows } of pagesOf(queries.campaigns, ({ body }) => JSON.parse(body).totalCampaigns)) {
    const worded = name.includes('search') ? 3 * Number(stored?.campaigns) : 0
    expect(rows, name).toBeLessThan(worded + MORE)
  }
})

test('no page of contracts does more than pass what is before it', { timeout: 600_000 }, async () => {
  for await (const { name, rows } of pagesOf(queries.contracts, ({ headers }) => Number(headers['x-total-count']))) {
    expect(rows, name).toBeLessThan(3 * CONTRACTS + 10_000)
  }
})

test('activity reads the claims of a range and of the one before it, a few times each', async () => {
  for (const { name, path } of queries.activity) {
    const { response, rows } = await measure(path)
    const { intervalSeconds, campaigns } = response.json<ListActivityResponse>()
    const counted = campaigns.map(({ totalClaims, previous }) => totalClaims + previous.totalClaims)
    if (path.includes('timeRange=') && campaigns.length > 1) {
      const seconds = (campaigns[0]?.claims.length ?? 0) * intervalSeconds
      expect(Math.max(...counted), name).toBeGreaterThanOrEqual((2 * seconds * CLAIMS_OF_HOUR) / 3600)
    }
    expect(rows, name).toBeLessThan(4 * counted.reduce((sum, count) => sum + count, 0) + 10_000)
  }
})
