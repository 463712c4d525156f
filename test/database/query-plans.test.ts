import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type OpenDatabase, openDatabase } from '../../src/database/client.ts'
import { type CampaignRepository, createCampaignRepository } from '../../src/features/campaigns/campaign-repository.ts'
import type { ListCampaignsQuery } from '../../src/features/campaigns/campaign-schemas.ts'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { generateSample } from '../../src/sample/generate-sample.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

/*
 * What the repository really asks is explained by the real planner, on enough rows for a scan of a table to be a
 * mistake. Small tables (tokens) are rightly read whole and not watched.
 */

const CAMPAIGNS = 20_000
const NOW = new Date('2026-01-01T00:00:00.000Z')
const WATCHED = [
  'campaigns',
  'incentives',
  'claims',
  'campaign_facets',
  'allow_lists',
  'allow_list_addresses',
  'action_steps',
]

let database: TestDatabase
let opened: OpenDatabase
let campaigns: CampaignRepository
/** Values that the sample has, one rather rare and one rather frequent where there is such a thing. */
const facts: Record<string, string> = {}

beforeAll(async () => {
  database = await createTestDatabase()
  const sample = generateSample({ campaigns: CAMPAIGNS, claims: 20_000, seed: 1, now: NOW })
  await importRecords(database.url, [toRecordSource('sample', sample)])
  await database.query('vacuum analyze')
  opened = openDatabase({
    url: database.url,
    poolSize: 1,
    connectionTimeoutMs: 10_000,
    statementTimeoutMs: 30_000,
    onIdleError: () => undefined,
  })
  campaigns = createCampaignRepository(opened.database, () => NOW)
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
}, 120_000)

afterAll(async () => {
  await opened.close()
  await database[Symbol.asyncDispose]()
})

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  Filter?: string
  Plans?: Plan[]
}

/** The plan of the one statement that is run, with the parameters it is run with. */
async function planOf(run: () => Promise<unknown>): Promise<Plan> {
  const query = vi.spyOn(opened.pool, 'query')
  await run()
  const calls = query.mock.calls as unknown as [{ text: string }, unknown[]][]
  query.mockRestore()
  expect(calls).toHaveLength(1)
  const [[{ text }, values]] = calls as [[{ text: string }, unknown[]]]
  const explained = await opened.pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (format json) ${text}`, values)
  const plan = explained.rows[0]?.['QUERY PLAN'][0].Plan
  if (plan === undefined) throw new Error('no plan')
  return plan
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

const scansOf = (plan: Plan) =>
  nodesOf(plan)
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
  const plan = await planOf(() => opened.pool.query({ text: 'select from campaigns where tx_hash = $1' }, ['x']))
  expect(scansOf(plan)).toHaveLength(1)
})

describe('no table is scanned for a page of', () => {
  for (const { title, query } of cases) {
    test(title, async () => {
      const plan = await planOf(() => campaigns.list(query()))
      expect(scansOf(plan)).toEqual([])
    })
  }

  test('the largest size', async () => {
    const plan = await planOf(() => campaigns.list({ ...defaults, pageSize: 100 }))
    expect(scansOf(plan)).toEqual([])
  })
})

describe('the first page of everything is read in its order, never sorted,', () => {
  for (const sortBy of ['recently-deployed', 'active'] as const) {
    for (const tokenWhitelist of [true, false]) {
      test(`with sortBy=${sortBy} and tokenWhitelist=${tokenWhitelist}`, async () => {
        const plan = await planOf(() => campaigns.list({ ...defaults, sortBy, tokenWhitelist }))
        const limits = nodesOf(plan).filter((node) => node['Node Type'] === 'Limit')
        const innermost = limits.filter(
          (node) =>
            !nodesOf(node)
              .slice(1)
              .some((below) => limits.includes(below)),
        )
        expect(innermost).toHaveLength(sortBy === 'active' ? 2 : 1)
        expect(innermost.flatMap(nodesOf).map((node) => node['Node Type'])).not.toContain('Sort')
      })
    }
  }
})

test('no table is scanned for a detail', async () => {
  const plan = await planOf(() => campaigns.find(fact('id')))
  expect(scansOf(plan)).toEqual([])
})
