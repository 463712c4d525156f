import pg from 'pg'
import { generateSample } from 'reward-campaigns-sample-data'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type OpenPool, openPool } from '../../src/database/connection/pool.ts'
import { openSnapshotsOf } from '../../src/database/exported-records/export-snapshots.ts'
import { createTokenStore } from '../../src/database/lookups/token-metadata-cache.ts'
import {
  type AccessListRepository,
  createAccessListRepository,
} from '../../src/features/access-lists/access-list-repository.ts'
import { type CampaignRepository, createCampaignRepository } from '../../src/features/campaigns/campaign-repository.ts'
import type { ListCampaignsQuery } from '../../src/features/campaigns/campaign-schemas.ts'
import { createProfileRepository, type ProfileRepository } from '../../src/features/profiles/profile-repository.ts'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { followCampaigns } from '../../src/read-models/campaign-index/read.ts'
import { createDataVersionReader, type DataVersion } from '../../src/read-models/data-version/read.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

/*
 * What the repository really asks is explained by the real planner, on enough rows for a scan of a table to be a
 * mistake. Small tables (tokens) are rightly read whole and not watched.
 */

const CAMPAIGNS = 20_000
const ACCESS_LISTS = 20_000
const PROFILES = 20_000
const NOW = new Date('2026-01-01T00:00:00.000Z')
const WATCHED = [
  'campaigns',
  'incentives',
  'claims',
  'campaign_facets',
  'allow_lists',
  'allow_list_addresses',
  'action_steps',
  'access_lists',
  'profiles',
]

let database: TestDatabase
let opened: OpenPool
let campaigns: CampaignRepository
let version: DataVersion
let accessLists: AccessListRepository
let profiles: ProfileRepository
/** Values that the sample has, one rather rare and one rather frequent where there is such a thing. */
const facts: Record<string, string> = {}

beforeAll(async () => {
  database = await createTestDatabase()
  const sample = generateSample({ campaigns: CAMPAIGNS, claims: CAMPAIGNS, seed: 1, now: NOW })
  await importRecords(database.url, [toRecordSource('sample', sample)])
  await addAccessLists()
  await addProfiles()
  await database.query('vacuum analyze')
  opened = openPool({
    url: database.url,
    poolSize: 1,
    connectionTimeoutMs: 10_000,
    statementTimeoutMs: 30_000,
    onIdleError: () => undefined,
  })
  const versions = createDataVersionReader(opened.database, () => NOW)
  version = await versions.read()
  const campaignIndex = followCampaigns(opened.database, openSnapshotsOf(opened.pool))
  await campaignIndex.start()
  campaigns = createCampaignRepository({
    ...{ database: opened.database, lookups: opened.database, campaignIndex, versions },
    tokenStore: createTokenStore(opened.database),
    clock: () => NOW,
  })
  accessLists = createAccessListRepository(opened.database)
  profiles = createProfileRepository(opened.database, () => NOW)
  const [row] = await database.query(`select
    (select owner from campaigns group by 1 order by count(*) desc limit 1) as frequent_owner,
    (select owner from campaigns group by 1 order by count(*) limit 1) as rare_owner,
    (select budget from campaigns group by 1 order by count(*) desc limit 1) as budget,
    (select budget from campaigns group by 1 order by count(*) limit 1) as rare_budget,
    (select chain_id::text from campaigns group by 1 order by count(*) desc, 1 limit 1) as frequent_chain,
    (select chain_id::text from campaigns group by 1 order by count(*), 1 limit 1) as rare_chain,
    (select autocampaign_id from campaigns where autocampaign_id is not null limit 1) as autocampaign,
    (select chain_id || ':' || value from campaign_facets where kind = 'token' group by chain_id, value
      order by count(*) desc limit 1) as frequent_token,
    (select chain_id || ':' || value from campaign_facets where kind = 'token' group by chain_id, value
      order by count(*) limit 1) as rare_token,
    (select chain_id || ':' || value from campaign_facets where kind = 'target' group by chain_id, value
      order by count(*) desc limit 1) as frequent_target,
    (select chain_id || ':' || value from campaign_facets where kind = 'target' group by chain_id, value
      order by count(*) limit 1) as rare_target,
    (select value from campaign_facets where kind = 'channel' group by value order by count(*) desc limit 1) as channel,
    (select value from campaign_facets where kind = 'channel' group by value order by count(*) limit 1) as rare_channel,
    (select id from campaigns join allow_lists on key = campaign_key order by address_count desc limit 1) as id`)
  for (const [name, value] of Object.entries(row ?? {})) facts[name] = String(value)
}, 300_000)

afterAll(async () => {
  await opened.close()
  await database[Symbol.asyncDispose]()
})

/** Half of the lists are of one user, the others of users who have ten each; two lists of a thousand are unicorns. */
const addAccessLists = () =>
  database.query(
    `insert into access_lists (id, user_id, name, icon, created_at, member_count)
    select 'list ' || number,
      case when number % 2 = 0 then 'many' else 'few ' || number % ($1 / 10) end,
      (array['Gold members', 'Early adopters', 'Testers', 'Friends of the house'])[1 + number % 4]
        || case when number % 1000 < 2 then ' unicorn' else '' end,
      '', timestamptz '2025-01-01' + number * interval '1 minute', number * 7919 % 5000
    from generate_series(1, $1::integer) number`,
    [ACCESS_LISTS],
  )

/** Half of the scores are spread widely, the other half lie so close together that they are counted as one. */
async function addProfiles() {
  await database.query(
    `insert into profiles (user_address, eth_earned, score, streak_value, streak_last_expiration_at,
      streak_next_expiration_at, streak_last_completion_at)
    select '0x' || lpad(to_hex(number), 40, '0'), number,
      case when number % 2 = 0 then number / 2.0 else 1000 + number * 1e-7 end, 1, $2, $2, $2
    from generate_series(1, $1::integer) number`,
    [PROFILES, NOW],
  )
  await database.query(
    `insert into profile_score_counts (score_bucket, profile_count)
    select score_bucket, count(*) from profiles group by score_bucket
    on conflict (score_bucket) do update set profile_count = excluded.profile_count`,
  )
}

interface Plan {
  'Node Type': string
  'Plan Rows': number
  'Relation Name'?: string
  Filter?: string
  Plans?: Plan[]
}

/** The plans of the statements that are run, with the parameters they are run with, and of what functions ask in them. */
async function plansOf(run: () => Promise<unknown>): Promise<Plan[]> {
  const query = vi.spyOn(opened.pool, 'query')
  await run()
  const calls = query.mock.calls as unknown as [{ text: string }, unknown[]][]
  query.mockRestore()
  expect(calls.length).toBeGreaterThan(0)
  const client = new pg.Client({ connectionString: database.url, options: '-c plan_cache_mode=force_custom_plan' })
  await client.connect()
  try {
    await client.query(`load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_format = json;
      set auto_explain.log_nested_statements = on; set auto_explain.log_level = notice`)
    const plans: Plan[] = []
    client.on('notice', ({ message }) => {
      const json = message?.match(/plan:\s*(\{.*\})/s)?.[1]
      if (json !== undefined) plans.push(JSON.parse(json).Plan)
    })
    for (const [{ text }, values] of calls) await client.query(text, values)
    return plans
  } finally {
    await client.end()
  }
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

const scansOf = (plans: Plan[]) =>
  plans
    .flatMap(nodesOf)
    .filter((node) => node['Node Type'].endsWith('Seq Scan') && WATCHED.includes(node['Relation Name'] ?? ''))
    .map((node) => `${node['Node Type']} on ${node['Relation Name']}: ${node.Filter}`)

type Query = Partial<ListCampaignsQuery>
const defaults: ListCampaignsQuery = {
  page: 1,
  pageSize: 10,
  sortBy: 'recently-deployed',
  tokenWhitelist: true,
  actionTemplateOnly: false,
  showActiveOnly: false,
}

const target = (place: string) => {
  const [chain, address] = place.split(':')
  return { chainId: Number(chain), targetContract: address as string }
}
const fact = (name: string) => facts[name] as string

const filters: [name: string, query: () => Query][] = [
  ['no filter', () => ({})],
  ['a rare owner', () => ({ owner: fact('rare_owner') })],
  ['a frequent owner', () => ({ owner: fact('frequent_owner') })],
  ['a budget account', () => ({ budgetAccount: [fact('budget')] })],
  ['several budget accounts', () => ({ budgetAccount: [fact('budget'), fact('rare_budget')] })],
  ['an autocampaign', () => ({ autocampaignId: fact('autocampaign') })],
  ['a rare chain', () => ({ chainId: Number(fact('rare_chain')) })],
  ['a frequent chain', () => ({ chainId: Number(fact('frequent_chain')) })],
  ['a rare target contract', () => target(fact('rare_target'))],
  ['a frequent target contract', () => target(fact('frequent_target'))],
  ['a rare token', () => ({ tokens: [fact('rare_token')] })],
  ['a frequent token', () => ({ tokens: [fact('frequent_token')] })],
  ['a collection', () => ({ tokens: [`${fact('rare_target')}:collection`] })],
  ['a rare channel', () => ({ distributionChannel: [fact('rare_channel')] })],
  ['a frequent channel', () => ({ distributionChannel: [fact('channel')] })],
  ['templates only', () => ({ actionTemplateOnly: true })],
  ['active ones only', () => ({ showActiveOnly: true })],
  ['several filters', () => ({ owner: fact('rare_owner'), showActiveOnly: true, tokens: [fact('frequent_token')] })],
]

const cases = filters.flatMap(([name, query]) =>
  ([true, false] as const).flatMap((tokenWhitelist) =>
    (['recently-deployed', 'active'] as const).map((sortBy) => ({
      title: `${name}, ${sortBy}, ${tokenWhitelist ? 'whitelisted tokens' : 'all tokens'}`,
      query: (): ListCampaignsQuery => ({ ...defaults, ...query(), sortBy, tokenWhitelist }),
    })),
  ),
)

test('the sample is large enough, and has all that is asked for below', async () => {
  const [counted] = await database.query(
    `select count(*)::integer as campaigns, count(*) filter (where has_whitelisted_rewards)::integer as whitelisted
    from campaigns`,
  )
  expect(counted).toEqual({ campaigns: CAMPAIGNS, whitelisted: expect.any(Number) })
  expect(Number(counted?.whitelisted)).toBeGreaterThan(CAMPAIGNS / 10)
  for (const [name, value] of Object.entries(facts)) expect(value, name).not.toBe('null')
})

test('a scan of a watched table is noticed', async () => {
  const plans = await plansOf(() => opened.pool.query({ text: 'select from campaigns where tx_hash = $1' }, ['x']))
  expect(scansOf(plans)).toHaveLength(1)
})

/**
 * What a page of campaigns reads, whose statements are in a function: rows that are fetched from tables, and those tables
 * that are scanned. Index entries that are enough by themselves are not counted.
 */
async function readsOf(run: () => Promise<unknown>) {
  // One connection: all of this is one transaction. What it has read before may still be counted.
  await opened.pool.query('begin')
  const before = await readsSoFar()
  await run()
  const after = await readsSoFar()
  await opened.pool.query('rollback')
  const scanned = [...after].flatMap(([name, { scans }]) => (scans > (before.get(name)?.scans ?? 0) ? [name] : []))
  const fetchedFrom = (table: string) => (after.get(table)?.fetched ?? 0) - (before.get(table)?.fetched ?? 0)
  return { scanned, fetchedFrom }
}

async function readsSoFar() {
  const { rows } = await opened.pool.query<{ name: string; scans: number; fetched: number }>(
    `select relname as name, seq_scan::integer as scans, (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as fetched
    from pg_stat_xact_user_tables where relname = any ($1)`,
    [WATCHED],
  )
  return new Map(rows.map((row) => [row.name, row]))
}

describe('no table is scanned, and few campaigns are looked at, for a page of', () => {
  for (const { title, query } of cases) {
    test(title, async () => {
      const pages = [query(), { ...query(), page: 90 }, { ...query(), page: 900 }]
      for (const page of pages) {
        const { scanned, fetchedFrom } = await readsOf(() => campaigns.list(page, version))
        expect(scanned).toEqual([])
        expect(fetchedFrom('campaigns')).toBeLessThanOrEqual(page.pageSize)
      }
    })
  }

  test('what ends soonest, of those that match alone', async () => {
    const query: ListCampaignsQuery = { ...defaults, tokens: [fact('frequent_token')], sortBy: 'ending-soon' }
    const { totalCount = 0 } = await campaigns.list({ ...query, pageSize: 1 }, version)
    const { scanned, fetchedFrom } = await readsOf(() => campaigns.list(query, version))
    expect(scanned).toEqual([])
    expect(totalCount).toBeGreaterThan(query.pageSize)
    expect(fetchedFrom('campaigns')).toBeLessThanOrEqual(query.pageSize)
  })

  test('the largest size', async () => {
    const { scanned, fetchedFrom } = await readsOf(() => campaigns.list({ ...defaults, pageSize: 100 }, version))
    expect(scanned).toEqual([])
    // Others are in memory.
    expect(fetchedFrom('campaigns')).toBeGreaterThan(0)
    expect(fetchedFrom('campaigns')).toBeLessThanOrEqual(100)
  })

  test('nothing, and a scan of a watched table is noticed', async () => {
    const { scanned, fetchedFrom } = await readsOf(() => opened.pool.query('select count(tx_hash) from campaigns'))
    expect(scanned).toEqual(['campaigns'])
    expect(fetchedFrom('campaigns')).toBe(CAMPAIGNS)
  })
})

test('no table is scanned for a detail', async () => {
  const plans = await plansOf(() => campaigns.find(fact('id'), version))
  expect(scansOf(plans)).toEqual([])
})

describe('no table is scanned for access lists of', () => {
  const users = { many: 'a user with half of all lists', 'few 1': 'a user with few lists', nobody: 'a user with none' }
  const searches = {
    unicorn: 'a rare word',
    gold: 'a frequent word',
    'gold unicorn': 'two words',
    zzz: 'no known word',
  }
  const all = Object.entries(users).flatMap(([userId, user]) =>
    [[undefined, 'no search'] as const, ...Object.entries(searches)].flatMap(([search, what]) =>
      ([undefined, 'totalMembers'] as const).flatMap((sortBy) =>
        (['DESC', 'ASC'] as const).map((orderBy) => ({
          title: `${user}, ${what}, by ${sortBy ?? 'creation'} ${orderBy}`,
          userId,
          query: { orderBy, ...(search === undefined ? {} : { search }), ...(sortBy === undefined ? {} : { sortBy }) },
        })),
      ),
    ),
  )
  for (const { title, userId, query } of all) {
    test(title, async () => {
      const plans = await plansOf(() => accessLists.list(userId, query))
      expect(scansOf(plans)).toEqual([])
    })
  }

  test('a search without words, which is no search', async () => {
    // The plan of the statement itself is the last; before it come those of the functions it calls.
    const nodeTypesOf = async (query: Parameters<AccessListRepository['list']>[1]) => {
      const plan = (await plansOf(() => accessLists.list('many', query))).at(-1)
      return plan && nodesOf(plan).map((node) => node['Node Type'])
    }
    const without = await nodeTypesOf({ orderBy: 'DESC' })
    expect(without).toContain('Limit')
    expect(await nodeTypesOf({ orderBy: 'DESC', search: ' \u0301 ' })).toEqual(without)
  })

  test('anybody, and there are as many as are asked for', async () => {
    const counts = await database.query(
      `select count(*)::integer as lists, count(*) filter (where user_id = 'many')::integer as many,
        count(*) filter (where user_id = 'few 1')::integer as few from access_lists where id like 'list %'`,
    )
    expect(counts).toEqual([{ lists: ACCESS_LISTS, many: ACCESS_LISTS / 2, few: 10 }])
  })
})

describe('all lists of a user who has many are read in their order, up to the last that is answered,', () => {
  for (const sortBy of [undefined, 'totalMembers'] as const) {
    for (const orderBy of ['DESC', 'ASC'] as const) {
      test(`by ${sortBy ?? 'creation'} ${orderBy}`, async () => {
        const plans = await plansOf(() =>
          accessLists.list('many', { orderBy, ...(sortBy === undefined ? {} : { sortBy }) }),
        )
        const nodes = plans.flatMap(nodesOf)
        expect(nodes.map((node) => node['Node Type'])).toContain('Incremental Sort')
        // What is answered is sorted once more beside the total, but never what is not.
        const sorted = nodes.filter((node) => node['Node Type'] === 'Sort')
        for (const node of sorted) expect(node['Plan Rows']).toBeLessThanOrEqual(1000)
      })
    }
  }
})

describe('no table is scanned for the profile with', () => {
  const orders = {
    'the highest score': 'score desc',
    'the lowest score': 'score',
    'one of the scores that are close together': 'abs(score - 1000.001)',
  }
  for (const [title, order] of Object.entries(orders)) {
    test(title, async () => {
      const [row] = await database.query(`select user_address from profiles order by ${order} limit 1`)
      const plans = await plansOf(() => profiles.find(String(row?.user_address)))
      expect(scansOf(plans)).toEqual([])
    })
  }

  test('an address that there is none of', async () => {
    expect(scansOf(await plansOf(() => profiles.find('0x')))).toEqual([])
  })
})
