/*
 * Measures the cost of the batch of one block with a million campaigns and ten million claims: 20 claims, 2 of them
 * of the most claimed campaigns, and new figures of the incentives, applied on a connection that stays open. `npm run bench:batches -- [campaigns] [claims]`
 */
import pg from 'pg'
import { openIngest } from '../src/ingest/batches.ts'
import { aBlock, CLAIMS_IN_A_BATCH } from './data/block-batches.ts'
import { generateFacts } from './data/generated-facts.ts'
import { findIncentives } from './data/popular-facts.ts'
import { percentile, print, timesOf, withServer } from './measuring/measure.ts'

const BATCHES = 300
const WARMING = 20

const [campaigns = 1_000_000, claims = 10_000_000] = process.argv.slice(2).map(Number)

/** What PostgreSQL counts: the statements of a batch, and those inside of functions. */
const counted = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
  'pg_stat_statements.track_planning': 'on',
}

/** Where the time goes: in the statements inside PostgreSQL; the rest is the commit, the way there and back, and Node.js. */
async function printBreakdown(client: pg.Client, medianMs: number) {
  const { rows } = await client.query<{ isOuter: boolean; ms: number; step: string }>(`
    select toplevel as "isOuter", (total_plan_time + total_exec_time) / ${BATCHES} as ms,
      left(regexp_replace(query, '\\s+', ' ', 'g'), 80) as step
    from pg_stat_statements where calls >= ${BATCHES} and query !~ 'pg_stat' order by ms desc`)
  const insideMs = rows.reduce((sum, { isOuter, ms }) => (isOuter ? sum + ms : sum), 0)
  print('  inside PostgreSQL, on average', `${insideMs.toFixed(2)} ms`)
  print('  commit, way there and back, Node.js', `${(medianMs - insideMs).toFixed(2)} ms`)
  for (const { ms, step } of rows.filter(({ isOuter }) => isOuter).slice(0, 16))
    print(`    ${step}`, `${ms.toFixed(2)} ms`)
}

await withServer(counted, async (databaseUrl) => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const idsOf = async (sql: string) => (await client.query<{ id: string }>(sql)).rows.map(({ id }) => id)
  await generateFacts(client, campaigns, claims)
  const max = await idsOf(
    `select id from campaign_claim_totals join campaigns on key = campaign_key
    where window_seconds = 0 order by claim_count desc limit 10`,
  )
  const others = await idsOf(
    `select id from campaigns where key in (select 1 + floor(random() * ${campaigns})::bigint from generate_series(1, 5000))`,
  )
  const incentives = await findIncentives(databaseUrl, [...max, ...others])
  const ingest = await openIngest(databaseUrl)
  const apply = () => ingest.apply(aBlock(max, others, incentives))
  const [firstMs = 0] = await timesOf(1, apply)
  await timesOf(WARMING, apply)
  await client.query('create extension if not exists pg_stat_statements; select pg_stat_statements_reset()')
  const times = await timesOf(BATCHES, apply)
  print(
    `a batch of ${CLAIMS_IN_A_BATCH} claims, ${campaigns} campaigns, ${claims} claims`,
    `p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms, the first on a connection ${firstMs.toFixed(1)} ms`,
  )
  await printBreakdown(client, percentile(times, 0.5))
  await ingest.close()
  await client.end()
})
