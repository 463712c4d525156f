import { expect, test } from 'vitest'
import { openIngest } from '../../../src/ingest/batches.ts'
import type { ImportRecord } from '../../../src/ingest/records.ts'
import type { Explanation } from '../../../src/schemas/campaigns/campaign-explanations.ts'
import { randomStep } from '../../setup/data/batches.ts'
import { createRandom } from '../../setup/data/random-records.ts'
import {
  aCampaign,
  aClaim,
  anActionTemplate,
  anAddress,
  anErc20Incentive,
  aStep,
  aToken,
  toClaimIdentity,
  toRemoval,
} from '../../setup/records.ts'
import { refusalOf } from '../../setup/refusals.ts'
import { firstOf, repeated } from '../../setup/repetitions.ts'
import type { QueryText } from '../../setup/second-opinion/second-opinion.ts'
import { campaignsQuery, trendingQuery, vocabularyOf } from '../../setup/second-opinion/second-opinion-queries.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'

/** The data lies around this instant (Unix seconds). */
const base = Date.parse('2026-03-01T12:00:00Z') / 1000

interface Lists {
  campaigns?: { id: string }[]
  trendingCampaigns?: { id: string }[]
  explained: Explanation
}

async function read(api: BorrowedTestApp, path: string, query: QueryText): Promise<Lists> {
  const response = await api.get(`${path}?${new URLSearchParams(query as Record<string, string>)}`)
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

const idsOf = ({ campaigns = [], trendingCampaigns = [] }: Lists) =>
  [...campaigns, ...trendingCampaigns].map(({ id }) => id)

/** The parameters that go together, and those that choose among what passes. */
const ASIDE = new Set(['pageSize', 'page', 'facets', 'facetSize', 'includeTokenMetadata'])

/** Each filter of a query alone, with everything else as wide as it can be. */
function alone(path: string, query: QueryText): [string, QueryText][] {
  const wide = { tokenWhitelist: 'false' }
  return Object.entries(query).flatMap(([name, value]): [string, QueryText][] => {
    if (ASIDE.has(name) || value === undefined || (name === 'chainId' && query.targetContract !== undefined)) return []
    // In trending each is asked beside the period and what is active, which have entries of their own.
    if (path !== '/campaigns' && name === 'period') return []
    const chain: QueryText = name === 'targetContract' && query.chainId ? { chainId: query.chainId } : {}
    return [[name, { ...wide, ...chain, ...(query.period && { period: query.period }), [name]: value }]]
  })
}

test.each(firstOf([81, 82, 83]))(
  'a campaign fails exactly the filters that leave it out, each alone: seed %i',
  { timeout: 120_000 },
  async (seed) => {
    const random = createRandom(seed)
    await using api = await borrowTestApp()
    const ingest = await openIngest(api.database.url)
    await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
    let records: ImportRecord[] = []
    const seen = { listed: 0, failed: new Set<string>() }
    for (let round = 0; round < repeated(3, 6); round += 1) {
      const step = randomStep(records, base, random)
      await ingest.apply(step.batch)
      records = step.records
      api.setNow(new Date((base + random.integer(-30, 30) * 3600) * 1000))
      const words = vocabularyOf(records)
      for (let nth = 0; nth < repeated(40, 120); nth += 1) {
        const id = random.pick(words.ids)
        const path = random.pick(['/campaigns', '/reward-kit/trending'])
        const { page: _, ...query } =
          path === '/campaigns' ? campaignsQuery(words, random) : trendingQuery(words, random)
        const about = `seed ${seed}, round ${round}: ${path} ${JSON.stringify(query)} ${id}`
        const chosen = path === '/campaigns' && query.campaignId === undefined ? { campaignId: id } : {}
        const { explained } = await read(api, path, { ...query, explain: random.inAnyCase(id).replace('0X', '0x') })
        const listed = idsOf(await read(api, path, { ...query, ...chosen, pageSize: '100' }))
        expect(explained, about).toMatchObject({ id: id.toLowerCase(), isKnown: true })
        expect(explained.isListed, about).toBe(listed.includes(explained.id))
        expect(explained.isListed, about).toBe(explained.failed.length === 0)
        const failed = explained.failed.map(({ parameter }) => parameter)
        const state = failed.filter((name) => path !== '/campaigns' && ['period', 'status'].includes(name))
        for (const [name, one] of alone(path, query)) {
          // Without a claim or inactive, a campaign is in no trending list, whatever the filter.
          if (state.length > 0) break
          const own = path === '/campaigns' && name !== 'campaignId' ? { campaignId: id } : {}
          const found = idsOf(await read(api, path, { ...one, ...own, pageSize: '100' })).includes(explained.id)
          expect(failed.includes(name), `${about}: ${name} alone`).toBe(!found)
        }
        if (explained.isListed) seen.listed += 1
        for (const name of failed) seen.failed.add(name)
      }
    }
    expect(seen.listed).toBeGreaterThan(10)
    expect(seen.failed.size).toBeGreaterThan(8)
  },
)

test('an explanation says what is required and what the campaign has, in the order of the parameters', async () => {
  await using api = await borrowTestApp()
  const now = new Date('2026-03-01T12:00:00Z')
  api.setNow(now)
  const [asset, target, owner] = [anAddress('asset'), anAddress('target'), anAddress('owner')]
  const template = anActionTemplate({ actionType: 'Swap' })
  const campaign = aCampaign({
    ...{ owner, campaignName: 'Quiet one', actionTemplateId: template.id, customAction: true },
    ...{ incentives: [anErc20Incentive(asset)], actionSteps: [aStep(target, 10)], distributionChannels: ['App'] },
    endTime: '2026-02-01T00:00:00Z',
  })
  await api.save(
    template,
    campaign,
    aToken({ address: asset, symbol: 'QQQ', name: 'Token, quiet', whitelisted: false }),
  )
  const other = anAddress('other')
  const { explained } = await read(api, '/campaigns', {
    explain: campaign.id,
    search: 'loud',
    ...{ owner: other, chainId: '8453', targetContract: target, tokens: `8453:${other},8453:${target}:collection` },
    ...{ distributionChannel: 'web,mail', sortBy: 'ending-soon', actionTemplateOnly: 'true', showActiveOnly: 'true' },
    ...{ incentiveType: 'pointsincentive', actionType: 'mint', autocampaignId: 'none' },
  })
  expect(explained).toEqual({
    ...{ id: campaign.id, isKnown: true, isListed: false },
    failed: [
      { parameter: 'owner', required: other, actual: owner },
      { parameter: 'autocampaignId', required: 'none', actual: null },
      { parameter: 'targetContract', required: `8453:${target}`, actual: `10:${target}` },
      {
        parameter: 'tokens',
        required: `8453:${other},8453:${target}:collection`,
        actual: `8453:${asset},10:${target}:collection`,
      },
      { parameter: 'distributionChannel', required: 'web,mail', actual: 'app' },
      { parameter: 'tokenWhitelist', required: 'true', actual: 'false' },
      { parameter: 'incentiveType', required: 'PointsIncentive', actual: 'ERC20Incentive' },
      { parameter: 'actionType', required: 'mint', actual: 'Swap' },
      { parameter: 'sortBy', required: 'ending-soon', actual: 'ended' },
      { parameter: 'actionTemplateOnly', required: 'true', actual: 'false' },
      { parameter: 'showActiveOnly', required: 'true', actual: 'false' },
      { parameter: 'search', required: 'loud', actual: 'Quiet one,QQQ,Token, quiet' },
    ],
  })
  const trending = await read(api, '/reward-kit/trending', {
    explain: campaign.id,
    tokenWhitelist: 'false',
    period: '1h',
  })
  expect(trending.explained.failed).toEqual([
    { parameter: 'period', required: '1h', actual: null },
    { parameter: 'status', required: 'active', actual: 'ended' },
  ])
})

test('an explanation is current: a claim, an end and a record change it, and an unknown campaign becomes known', async () => {
  await using api = await borrowTestApp()
  const now = new Date('2026-03-01T12:00:00Z')
  api.setNow(now)
  const campaign = aCampaign({ endTime: '2026-03-01T12:00:10Z' })
  const failedOf = async (path: string, query: QueryText) =>
    (await read(api, path, { explain: campaign.id, ...query })).explained.failed.map(({ parameter }) => parameter)
  expect((await read(api, '/campaigns', { explain: campaign.id })).explained).toEqual({
    ...{ id: campaign.id, isKnown: false, isListed: false, failed: [] },
  })
  const withIncentive = { ...campaign, incentives: [anErc20Incentive(anAddress('asset'))] }
  await api.save(withIncentive)
  expect(await failedOf('/campaigns', { showActiveOnly: 'true' })).toEqual(['tokenWhitelist'])
  expect(await failedOf('/reward-kit/trending', {})).toEqual(['period', 'tokenWhitelist'])
  await api.save(aClaim(withIncentive, { blockTimestamp: String(now.getTime() / 1000 - 5) }))
  expect(await failedOf('/reward-kit/trending', {})).toEqual(['tokenWhitelist'])
  await api.save(aToken({ address: anAddress('asset') }))
  expect(await failedOf('/campaigns', { showActiveOnly: 'true' })).toEqual([])
  api.setNow(new Date('2026-03-01T12:00:10Z'))
  expect(await failedOf('/campaigns', { showActiveOnly: 'true' })).toEqual(['showActiveOnly'])
  expect(await failedOf('/reward-kit/trending', {})).toEqual(['status'])
})

test('a walk explains as it lists: what has started and ended is judged at its beginning', async () => {
  await using api = await borrowTestApp()
  const at = Date.parse('2026-03-01T12:00:00Z')
  api.setNow(new Date(at))
  const [later, sooner] = [1, 2].map((nth) =>
    aCampaign({ endTime: '2026-03-01T12:00:10Z', blockTimestamp: String(at / 1000 - nth) }),
  )
  if (later === undefined || sooner === undefined) throw new TypeError('there are no campaigns')
  await api.save(later, sooner)
  const query = { showActiveOnly: 'true', pageSize: '1', explain: sooner.id }
  const begun = await api.get(`/campaigns?${new URLSearchParams({ ...query, cursor: 'start' })}`)
  expect(begun.json()).toMatchObject({ campaigns: [{ id: later.id }], explained: { isListed: true } })
  api.setNow(new Date(at + 20_000))
  const next = await read(api, '/campaigns', { ...query, cursor: begun.json().nextCursor })
  expect(idsOf(next)).toEqual([sooner.id])
  expect(next.explained).toMatchObject({ isListed: true, failed: [] })
  expect((await read(api, '/campaigns', query)).explained).toMatchObject({ isListed: false })
})

/** Expects that a list and what it explains agree, while what is written takes a campaign in and out. */
async function expectOneState(api: BorrowedTestApp, path: string, explain: string, write: () => Promise<unknown>) {
  let isRead = false
  const writing = (async () => {
    while (!isRead) await write()
  })()
  const seen = new Set<boolean>()
  for (let nth = 0; nth < repeated(60, 300); nth += 1) {
    const lists = await read(api, path, { tokenWhitelist: 'false', explain })
    expect(lists.explained.isListed, `request ${nth}`).toBe(idsOf(lists).includes(explain))
    seen.add(lists.explained.isListed)
  }
  isRead = true
  await writing
  expect(seen.size).toBe(2)
}

test.each(['another campaign', 'nothing'])(
  'what is explained beside %s in trending is of the same state of the data, whatever is written meanwhile',
  async (beside) => {
    await using api = await borrowTestApp({ RESPONSE_CACHE_MB: '0' })
    const ingest = await openIngest(api.database.url)
    await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
    const blockTimestamp = String(Math.floor(Date.now() / 1000) - 60)
    const [campaign, other] = [1, 2].map(() => aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] }))
    if (campaign === undefined || other === undefined) throw new TypeError('there are no campaigns')
    const claim = aClaim(campaign, { blockTimestamp })
    await api.save(campaign, other, ...(beside === 'nothing' ? [] : [aClaim(other, { blockTimestamp })]))
    await expectOneState(api, '/reward-kit/trending', campaign.id, async () => {
      await ingest.apply({ records: [claim] })
      await ingest.apply({ records: [], revertedClaims: [toClaimIdentity(claim)] })
    })
  },
)

test('what is explained beside a list is of the same state of the data, also of a campaign that is removed meanwhile', async () => {
  await using api = await borrowTestApp({ RESPONSE_CACHE_MB: '0' })
  const ingest = await openIngest(api.database.url)
  await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
  const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] })
  await api.save(campaign)
  await expectOneState(api, '/campaigns', campaign.id, async () => {
    await ingest.apply({ records: [], removals: [toRemoval(campaign)] })
    await ingest.apply({ records: [campaign] })
  })
})

test('what is no ID of a campaign is refused, and without the parameter nothing is added', async () => {
  await using api = await borrowTestApp()
  for (const path of ['/campaigns', '/reward-kit/trending']) {
    expect(await refusalOf(`${path}?explain=1657`)).toContain('explain must be a campaign ID')
    expect(await read(api, path, {})).not.toHaveProperty('explained')
  }
})
