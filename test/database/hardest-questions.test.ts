import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { readSettings } from '../../src/config.ts'
import { type OpenDatabase, openDatabase } from '../../src/database/client.ts'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { generateSample } from '../../src/sample/generate-sample.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { findHardestQuestions, type HardQuestion, pagesAmong } from '../setup/hardest-questions.ts'

/*
 * The dearest questions that are accepted, searched for among all filters at their limits. Times say little here, so what is
 * counted is the rows that all steps of all plans pass on, functions included: about a microsecond each. What each kind of
 * question may take follows from what there is; for a million campaigns, 40,000 contracts and ten million claims, all of
 * these are below 250,000 rows. `npm run bench -- --only hardest` measures the same questions at that size.
 */

const CAMPAIGNS = 5000
const CONTRACTS = 20_000
const NOW = new Date('2026-01-01T00:00:00.000Z')

let database: TestDatabase
let opened: OpenDatabase
let app: Awaited<ReturnType<typeof buildApp>>
let questions: Record<'campaigns' | 'contracts' | 'activity', HardQuestion[]>
let explaining: pg.Client
let passedOn = 0

beforeAll(async () => {
  database = await createTestDatabase()
  const sample = generateSample({ campaigns: CAMPAIGNS, claims: 20_000, seed: 1, now: NOW })
  await importRecords(database.url, [toRecordSource('sample', sample)])
  // Many contracts, of which a page may be deep.
  await database.query(
    `insert into contract_claim_totals (creator, window_seconds, chain_id, address, campaign_count,
      newest_block_timestamp, claim_count, amount_usd)
    select '', window_seconds, 1, '0x' || lpad(to_hex(number), 40, '0'), 1, number, number % 50, number % 7
    from claim_windows, generate_series(1, $1::integer) number`,
    [CONTRACTS],
  )
  await database.query(
    `insert into contract_counts (creator, chain_id, contract_count) values ('', 1, $1)
    on conflict (creator, chain_id) do update set contract_count = contract_counts.contract_count + $1`,
    [CONTRACTS],
  )
  await database.query('vacuum analyze')
  opened = openDatabase({
    url: database.url,
    poolSize: 4,
    connectionTimeoutMs: 10_000,
    statementTimeoutMs: 30_000,
    onIdleError: () => undefined,
  })
  app = await buildApp({
    database: opened.database,
    settings: readSettings({ LOG_LEVEL: 'silent', ANSWER_CACHE_MEGABYTES: '0', MAX_EVENT_LOOP_DELAY_MS: '0' }),
    isReady: async () => true,
    now: () => NOW,
  })
  questions = await findHardestQuestions((sql) => database.query(sql) as Promise<{ value: string }[]>)
  explaining = new pg.Client({ connectionString: database.url, options: '-c plan_cache_mode=force_custom_plan' })
  await explaining.connect()
  await explaining.query(`load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_format = json;
    set auto_explain.log_analyze = on; set auto_explain.log_timing = off; set auto_explain.log_nested_statements = on;
    set auto_explain.log_level = notice; set jit = off`)
  explaining.on('notice', ({ message }) => {
    const json = message?.match(/plan:\s*(\{.*\})/s)?.[1]
    if (json !== undefined) passedOn += rowsOf(JSON.parse(json).Plan)
  })
}, 240_000)

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

/** The answer to a question, and the rows that were passed on for it. */
async function measure(path: string) {
  const query = vi.spyOn(opened.pool, 'query')
  const response = await app.inject(path)
  const calls = query.mock.calls as unknown as [{ text: string }, unknown[]][]
  query.mockRestore()
  expect(response.statusCode, path).toBe(200)
  passedOn = 0
  for (const [{ text }, values] of calls) await explaining.query(text, values)
  return { response, rows: passedOn }
}

/** The most rows among all questions of a kind, each for the pages that are hardest to find. */
async function findWorst(
  list: HardQuestion[],
  totalOf: (response: Awaited<ReturnType<typeof measure>>['response']) => number,
) {
  let worst = { name: '', rows: 0 }
  for (const { name, path } of list) {
    const first = await measure(path)
    const pages = [{ name, rows: first.rows }]
    for (const page of pagesAmong(totalOf(first.response)).slice(1)) {
      pages.push({ name: `${name}, page ${page}`, rows: (await measure(`${path}&page=${page}`)).rows })
    }
    for (const page of pages) if (page.rows > worst.rows) worst = page
  }
  return worst
}

test('no page of campaigns looks at more than its maps and the few that have none', { timeout: 240_000 }, async () => {
  const [facts] = await database.query('select count(*)::integer as spans from campaign_spans')
  const entries = Math.max(...questions.campaigns.map(({ path }) => path.split(',').length))
  const worst = await findWorst(questions.campaigns, ({ body }) => JSON.parse(body).totalCampaigns)
  const found = await findHidden()
  expect(worst, JSON.stringify({ worst, facts, entries, found })).toMatchObject({ rows: 0 })
})

test('no page of contracts passes more than twice what is before it', { timeout: 240_000 }, async () => {
  const worst = await findWorst(questions.contracts, ({ headers }) => Number(headers['x-total-count']))
  expect(worst.rows, worst.name).toBeLessThan(3 * CONTRACTS + 10_000)
})

test('activity reads each claim that it counts once', async () => {
  for (const { name, path } of questions.activity) {
    const { response, rows } = await measure(path)
    const counted = response
      .json<{ campaigns: { totalClaims: number; before: { totalClaims: number } }[] }>()
      .campaigns.reduce((sum, { totalClaims, before }) => sum + totalClaims + before.totalClaims, 0)
    expect(rows, name).toBeLessThan(counted + 10_000)
  }
})
async function findHidden() {
  return database.query('select kind, count(*) from popular_facets group by 1')
}
