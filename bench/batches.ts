/*
 * Measures what a batch of a block costs while there are a million campaigns and ten million claims: 20 claims, 2 of them
 * of the most claimed campaigns, applied on a connection that stays open. `npm run bench:batches -- [campaigns] [claims]`
 */
import pg from 'pg'
import { openIngest } from '../src/ingest/batches.ts'
import { CLAIMS_IN_A_BATCH, claimsOfABlock } from './block-batches.ts'
import { generateFacts } from './generated-facts.ts'
import { percentile, print, timesOf, withServer } from './measure.ts'

const BATCHES = 300

const [campaigns = 1_000_000, claims = 10_000_000] = process.argv.slice(2).map(Number)

await withServer({}, async (databaseUrl) => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const idsOf = async (sql: string) => (await client.query<{ id: string }>(sql)).rows.map(({ id }) => id)
  await generateFacts(client, campaigns, claims)
  const most = await idsOf(
    `select id from campaign_claim_totals join campaigns on key = campaign_key
    where window_seconds = 0 order by claim_count desc limit 10`,
  )
  const others = await idsOf(
    `select id from campaigns where key in (select 1 + floor(random() * ${campaigns})::bigint from generate_series(1, 5000))`,
  )
  const ingest = await openIngest(databaseUrl)
  const apply = () => ingest.apply({ records: claimsOfABlock(most, others) })
  const [firstMs = 0] = await timesOf(1, apply)
  const times = await timesOf(BATCHES, apply)
  print(
    `a batch of ${CLAIMS_IN_A_BATCH} claims, ${campaigns} campaigns, ${claims} claims`,
    `p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms, the first on a connection ${firstMs.toFixed(1)} ms`,
  )
  await ingest.close()
  await client.end()
})
