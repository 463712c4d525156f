import { expect, test, vi } from 'vitest'
import { openPool } from '../../../src/database/connection/pool.ts'
import { createTokenStore } from '../../../src/database/lookups/token-metadata-cache.ts'
import { createTrendingRepository } from '../../../src/features/trending/trending-repository.ts'
import type { ListTrendingCampaignsQuery } from '../../../src/features/trending/trending-schemas.ts'
import { importRecords } from '../../../src/import/importer.ts'
import { toRecordSource } from '../../../src/import/sources.ts'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import type { ImportRecord } from '../../../src/ingest/records.ts'
import { createDataVersionReader } from '../../../src/read-models/data-version/read.ts'
import { createTestDatabase } from '../../setup/database.ts'
import {
  aCampaign,
  aClaim,
  anAccessList,
  anActionTemplate,
  anAddress,
  anErc20Incentive,
  aStep,
} from '../../setup/records.ts'

/*
 * What `GET /reward-kit/trending` costs PostgreSQL, in pages that it looks at: that does not depend on the machine.
 */

/** Twenty times what a page shows. */
const CAMPAIGNS = 2000
const HOUR = 3600
const now = new Date()
const ago = (seconds: number) => String(Math.floor(now.getTime() / 1000) - seconds)

const user = anAddress('denied user')
const templates = ['swap', 'mint'].map((actionType) => anActionTemplate({ actionType }))
const listOf = { owner: anAddress('list owner'), contractAddress: anAddress('list') }
const accessLists = ['a', 'b'].map((name) => anAccessList({ name, members: [anAddress('member')] }))
/** None of them admits the user. */
const lists = [
  { ...listOf, type: 'SimpleDenyList', addresses: [user] },
  { ...listOf, type: 'SimpleAllowList', addresses: [anAddress('member')] },
  ...accessLists.map(({ id }) => ({ ...listOf, type: 'OffchainAccessList', accessListId: id })),
] as CampaignRecord['allowList'][]

/** All of them are claimed in the last day, every third in the last hour; and none admits the user. */
const campaigns = Array.from({ length: CAMPAIGNS }, (_, index) =>
  aCampaign({
    id: `${index % 2 === 0 ? 10 : 8453}:${anAddress('core')}:${index}`,
    owner: anAddress(`owner ${index % 50}`),
    incentives: [anErc20Incentive(anAddress(`asset ${index % 20}`))],
    actionSteps: [aStep(anAddress(`target ${index % 30}`))],
    distributionChannels: ['Web', `channel ${index % 40}`],
    actionTemplateId: templates[index % 20 === 0 ? 0 : 1]?.id ?? null,
    allowList: lists[index % lists.length] ?? null,
  }),
)
const records: ImportRecord[] = [
  ...templates,
  ...accessLists,
  ...campaigns,
  ...campaigns.map((campaign, index) =>
    aClaim(campaign, { blockTimestamp: ago(index % 3 === 0 ? 600 : 5 * HOUR), amountUsd: String(index % 700) }),
  ),
]

const hundred = <T>(make: (index: number) => T) => Array.from({ length: 100 }, (_, index) => make(index))

/** Filters that many, few or no campaigns pass, with as many values as there may be. */
const queries: Record<string, Partial<ListTrendingCampaignsQuery>> = {
  'no filter': {},
  'a chain': { chainId: 10 },
  'an owner': { owner: anAddress('owner 7') },
  'an owner of nothing': { owner: anAddress('nobody') },
  'an action type': { includeActionTypes: ['swap'] },
  'an unknown action type': { includeActionTypes: ['unknown'] },
  'an unknown action type on a chain': { includeActionTypes: ['unknown'], chainId: 10 },
  'no known action type': { excludeActionTypes: ['swap', 'mint'] },
  '100 action types': { includeActionTypes: hundred((index) => `type ${index}`) },
  '100 tokens': { tokens: hundred((index) => `10:${anAddress(`asset ${index}`)}`) },
  '100 unknown collections': { tokens: hundred((index) => `10:${anAddress(`none ${index}`)}:collection`) },
  '100 channels': { distributionChannel: hundred((index) => `channel ${index}`) },
  '100 budgets': { budgetAccount: hundred((index) => anAddress(`budget ${index}`)) },
  'a target and a token': {
    chainId: 8453,
    targetContract: anAddress('target 7'),
    tokens: [`10:${anAddress('asset 8')}`],
  },
  'a user whom nobody admits': { user },
  'a user whom half admit': { user: anAddress('member') },
}

/** For each campaign that is claimed, its row and some of its index; and what is looked up for the hundred that are shown. */
const MAX_PAGES = 2 * CAMPAIGNS

test('no question looks at more than the campaigns that were claimed, whatever the filters', {
  timeout: 120_000,
}, async () => {
  await using database = await createTestDatabase()
  await importRecords(database.url, [toRecordSource('records', records)])
  await database.query('select advance_claim_windows()')
  await database.query('vacuum analyze')
  const opened = openPool({
    ...{ url: database.url, poolSize: 1, connectionTimeoutMs: 10_000, statementTimeoutMs: 60_000 },
    onIdleError: () => undefined,
  })
  try {
    const { database: read } = opened
    const versions = createDataVersionReader(read, () => now)
    const version = await versions.read()
    const trending = createTrendingRepository(read, read, createTokenStore(read), versions, () => now)
    const pagesOf = async (query: Partial<ListTrendingCampaignsQuery>) => {
      const asked = vi.spyOn(opened.pool, 'query')
      const whole = { period: '24h', tokenWhitelist: false, includeTokenMetadata: false, pageSize: 100 } as const
      await trending.list({ ...whole, ...query }, version)
      const calls = asked.mock.calls as unknown as [{ text: string }, unknown[]][]
      asked.mockRestore()
      let pages = 0
      for (const [{ text }, values] of calls) {
        const { rows } = await opened.pool.query(`explain (analyze, buffers, format json) ${text}`, values)
        const { Plan } = rows[0]['QUERY PLAN'][0]
        pages += Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']
      }
      return pages
    }
    const pages: Record<string, number> = {}
    for (const period of ['1h', '24h'] as const) {
      for (const [name, query] of Object.entries(queries)) {
        pages[`${name} in ${period}`] = await pagesOf({ period, ...query })
      }
    }
    expect(Object.entries(pages).filter(([, count]) => count > MAX_PAGES)).toEqual([])
    expect(pages['an unknown action type in 24h']).toBeLessThan(100)
    expect(pages['an owner of nothing in 24h']).toBeLessThan(100)
  } finally {
    await opened.close()
  }
})
