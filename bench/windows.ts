/*
 * Measures the operations that read stored totals of claims, trending and explored contracts, against the same query on
 * the claims themselves. Compare within one run: absolute figures depend on the machine and its
 * neighbours. `npm run bench:windows -- [campaigns] [claims]`
 */
import { readFileSync } from 'node:fs'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { buildApp } from '../src/app.ts'
import { readSettings } from '../src/config.ts'
import { generateFacts } from './data/generated-facts.ts'
import {
  load,
  median,
  openPool,
  percentile,
  print,
  request,
  seconds,
  timesOf,
  withApp,
  withServer,
} from './measuring/measure.ts'

interface Query {
  path: string
  /** The same query on the claims, for windows that end at an instant; without the last tie-breaker and the names. */
  raw?: (now: number) => string
}

const TRENDING = '/reward-kit/trending'
const EXPLORE = '/explore/contracts'
/** Statements that are compared run in one process each, compiled by none. */
const ALONE = 'set jit = off; set max_parallel_workers_per_gather = 0'
const WIDTHS = { '1h': 3600, '6h': 21_600, '24h': 86_400, '7d': 604_800 } as const

function queriesAbout({ creators, user }: { creators: string[]; user: string }): Query[] {
  const accounts = creators.map((address) => [`owner=${address}`, `owner = '${address}'`] as const)
  const trending = (['1h', '24h'] as const).flatMap((period) => [
    { path: `${TRENDING}?period=${period}`, raw: rawTrending(WIDTHS[period], 'true') },
    ...accounts.map(([filter, condition]) => ({
      path: `${TRENDING}?period=${period}&${filter}`,
      raw: rawTrending(WIDTHS[period], condition),
    })),
    { path: `${TRENDING}?period=${period}&user=${user}` },
  ])
  const explore = (['6h', '24h', '7d', undefined] as const).flatMap((range) => {
    const path = range === undefined ? `${EXPLORE}?` : `${EXPLORE}?timeRange=${range}&`
    const width = range && WIDTHS[range]
    return [
      { path: `${path}sortBy=most-completions`, raw: rawContracts(width, 'claim_count', 'true') },
      { path: `${path}sortBy=total-spend`, raw: rawContracts(width, 'amount_usd', 'true') },
      ...creators.map((creator) => ({
        path: `${path}creator=${creator}`,
        raw: rawContracts(width, 'claim_count', `creator = '${creator}'`),
      })),
    ]
  })
  return [...trending, ...explore]
}

const within = (width: number, now: number) =>
  `claims.block_timestamp > ${now - width} and claims.block_timestamp <= ${now}`

const rawTrending = (width: number, condition: string) => (now: number) =>
  `
  select campaign_key, count(*) as claim_count, sum(amount_usd) as amount_usd
  from claims join campaigns on key = campaign_key
  where ${within(width, now)} and ${condition} and has_whitelisted_rewards and not is_exhausted
    and coalesce(start_at <= now(), true) and coalesce(end_at > now(), true)
  group by campaign_key order by amount_usd desc nulls last, claim_count desc limit 100`

const rawContracts = (width: number | undefined, figure: string, condition: string) => (now: number) =>
  `
  select target.chain_id, target.value, count(*) as claim_count, sum(amount_usd) as amount_usd
  from claims join campaign_facets target on target.campaign_key = claims.campaign_key and target.kind = 'target'
    ${condition === 'true' ? '' : 'join campaigns on key = claims.campaign_key'}
  where ${width === undefined ? 'true' : within(width, now)} and ${condition}
  group by target.chain_id, target.value order by ${figure} desc nulls last limit 10`

async function measureQuery(databaseUrl: string, client: pg.Client, { path, raw }: Query) {
  // As the running service does now and then.
  await client.query('select advance_claim_windows()')
  const cold = await withApp(databaseUrl, 0, async (url) => {
    await timesOf(20, () => request(url + path))
    return timesOf(200, () => request(url + path))
  })
  const { warm, rate } = await withApp(databaseUrl, 64, async (url) => {
    await timesOf(20, () => request(url + path))
    return { warm: await timesOf(200, () => request(url + path)), rate: await load(url + path) }
  })
  const own = await timesOfStatement(databaseUrl, path, 50)
  print(
    path,
    `cold ${figures(cold)}, warm ${figures(warm)}, ${Math.round(rate)} requests/s, statement ${own.ms.toFixed(2)} ms (${own.cpuMs.toFixed(2)} ms CPU)`,
  )
  if (raw === undefined) return
  const now = Math.floor(Date.now() / 1000)
  const slow = await timesOnBackend(client, 5, () => client.query(raw(now)))
  print(
    '  of the claims themselves',
    `${slow.ms.toFixed(1)} ms (${slow.cpuMs.toFixed(1)} ms CPU), ${(slow.ms / median(cold)).toFixed(1)} × our cold answer, ${(slow.ms / own.ms).toFixed(1)} × our statement (${(slow.cpuMs / own.cpuMs).toFixed(1)} × CPU)`,
  )
}

const figures = (times: number[]) => `${median(times).toFixed(2)}/${percentile(times, 0.99).toFixed(2)} ms`

/** Times the statement alone, as the service sends it: prepared, with its values, its rows read by the driver. */
async function timesOfStatement(databaseUrl: string, path: string, turns: number) {
  const opened = openPool(databaseUrl)
  const sent: { text: string; values: unknown[] }[] = []
  const logger = { logQuery: (text: string, values: unknown[]) => void sent.push({ text, values }) }
  const app = await buildApp({
    database: drizzle(opened.pool, { casing: 'snake_case', logger }),
    settings: readSettings({ LOG_LEVEL: 'silent' }),
    isReady: async () => true,
  })
  const client = await opened.pool.connect()
  try {
    await app.inject(path)
    // After the data version and the instant of the stored totals.
    const statement = { name: 'measured', text: '', ...sent.at(-1) }
    await client.query(ALONE)
    await timesOf(10, () => client.query(statement))
    return await timesOnBackend(client, turns, () => client.query(statement))
  } finally {
    client.release()
    await app.close()
    await opened.close()
  }
}

/** Median time, and CPU time of the connection's server process: neighbours on the machine disturb only the first. */
async function timesOnBackend(client: pg.ClientBase, turns: number, act: () => Promise<unknown>) {
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const spentMs = () => Number(readFileSync(`/proc/${rows[0]?.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  const before = spentMs()
  const ms = median(await timesOf(turns, act))
  return { ms, cpuMs: (spentMs() - before) / turns }
}

/**
 * Stored totals of some age: the function that advances the windows moves them back to an earlier instant. That
 * is exact, so what is measured then is what would be after as long a time without it: claims have come and gone.
 */
async function measureAges(databaseUrl: string, client: pg.Client) {
  await createRewind(client)
  for (const [age, name] of [
    [0, 'no time'],
    [60, 'a minute'],
    [600, '10 minutes'],
    [3600, 'an hour'],
    [21_600, '6 hours'],
  ] as const) {
    await client.query('select rewind_claim_windows($1)', [age])
    await client.query('vacuum (analyze) campaign_claim_totals, contract_claim_totals')
    for (const path of [`${TRENDING}?period=24h`, `${EXPLORE}?timeRange=7d`]) {
      const cold = await withApp(databaseUrl, 0, async (url) => {
        await timesOf(5, () => request(url + path))
        return timesOf(50, () => request(url + path))
      })
      const own = await timesOfStatement(databaseUrl, path, 20)
      print(
        `${path}, kept totals are ${name} old`,
        `cold ${figures(cold)}, statement ${own.ms.toFixed(2)} ms (${own.cpuMs.toFixed(2)} ms CPU)`,
      )
    }
    const { ms, cpuMs } = await timesOnBackend(client, 1, () => client.query('select advance_claim_windows()'))
    print(`advance_claim_windows() after ${name}`, `${ms.toFixed(1)} ms (${cpuMs.toFixed(1)} ms CPU)`)
  }
  const [rebuildMs = 0] = await timesOf(1, () => client.query('select rebuild_claim_totals()'))
  print('rebuild_claim_totals()', `${seconds(rebuildMs)} s`)
}

async function createRewind(client: pg.Client) {
  const { rows } = await client.query(`select pg_get_functiondef('advance_claim_windows'::regproc) as definition`)
  const definition = String(rows[0]?.definition)
  const changed = definition
    .replace('advance_claim_windows(', 'rewind_claim_windows(age integer, ')
    .replace('from clock_timestamp())', 'from clock_timestamp()) - age')
  if (!changed.includes('- age') || !changed.includes('rewind')) throw new Error('advance_claim_windows() has changed')
  await client.query(changed)
}

/** The largest creator and one with a usual number of campaigns, both with claims; and a user who has claimed. */
async function findAccounts(client: pg.Client) {
  const ranked = await client.query(`
    select creator from campaigns join campaign_claim_totals on campaign_key = key and window_seconds = 86400
    group by creator order by count(*) desc, creator`)
  const creators = [ranked.rows[0], ranked.rows[Math.floor(ranked.rows.length / 2)]].map((row) => String(row?.creator))
  const claimant = await client.query('select claimant from claims limit 1')
  return { creators, user: String(claimant.rows[0]?.claimant) }
}

const [campaigns = 1_000_000, claims = 10_000_000] = process.argv.slice(2).map(Number)

/** Large enough that queries on the claims read from memory too; nothing has to survive a crash. */
const serverSettings = {
  shared_buffers: '4GB',
  work_mem: '64MB',
  max_wal_size: '32GB',
  fsync: 'off',
  full_page_writes: 'off',
}

await withServer(serverSettings, async (databaseUrl) => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const [loadMs = 0] = await timesOf(1, () => generateFacts(client, campaigns, claims))
    print(
      `${campaigns} campaigns and ${claims} claims`,
      `made in ${seconds(loadMs)} s; p50/p99, load of 50 connections`,
    )
    await client.query(`reset all; ${ALONE}`)
    for (const query of queriesAbout(await findAccounts(client))) {
      await measureQuery(databaseUrl, client, query)
    }
    await measureAges(databaseUrl, client)
  } finally {
    await client.end()
  }
})
