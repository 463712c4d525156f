import { expect, test } from 'vitest'
import {
  aCampaign,
  anActionTemplate,
  anAddress,
  anErc20Incentive,
  anIncentiveOfEachVariant,
  aToken,
} from '../../setup/records.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'

/*
 * The list by what ends soonest, by words, and with counts beside the page.
 */

const CORE = '0xea11a7937809b8585e63b12cc86bf91a72a5b08a'
const NOW = Date.parse('2026-01-01T00:00:00.000Z')

async function list(api: BorrowedTestApp, query: string) {
  const response = await api.get(`/campaigns?tokenWhitelist=false&pageSize=100&${query}`)
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

async function found(api: BorrowedTestApp, query: string): Promise<string[]> {
  const { campaigns, totalCampaigns } = await list(api, query)
  expect(totalCampaigns).toBe(campaigns.length)
  return campaigns.map(({ id }: { id: string }) => id)
}

async function refused(api: BorrowedTestApp, query: string): Promise<string> {
  const response = await api.get(`/campaigns?${query}`)
  expect(response.statusCode, response.body).toBe(400)
  return response.json().error
}

test('ending-soon shows only active campaigns that end, the soonest first, equal ends newest first', async () => {
  await using api = await borrowTestApp({ RESPONSE_CACHE_MB: '0' })
  api.setNow(new Date(NOW))
  const ends = (hours: number | null, parts = {}) =>
    aCampaign({ endTime: hours === null ? null : new Date(NOW + hours * 3_600_000).toISOString(), ...parts })
  const [late, soon, newer] = [ends(5), ends(1, { blockTimestamp: '1700000000' }), ends(1)]
  const later = ends(3, { startTime: new Date(NOW + 7_200_000).toISOString() })
  // More than are looked at one by one.
  const many = Array.from({ length: 350 }, () => ends(4, { owner: anAddress('many') }))
  await api.save(late, soon, newer, later, ends(-1), ends(null), ...many)
  const short = `owner=${late.owner}&sortBy=ending-soon`
  expect(await found(api, short)).toEqual([newer.id, soon.id, late.id])
  expect(await found(api, `${short}&showActiveOnly=true`)).toEqual([newer.id, soon.id, late.id])
  const { campaigns, totalCampaigns } = await list(
    api,
    'sortBy=ending-soon&pageSize=3&page=1'.replace('pageSize=3&', ''),
  )
  expect(totalCampaigns).toBe(353)
  expect(campaigns.slice(0, 2).map(({ id }: { id: string }) => id)).toEqual([newer.id, soon.id])
  const last = await list(api, 'sortBy=ending-soon&page=4')
  expect(last.campaigns.at(-1).id).toBe(late.id)
  api.setNow(new Date(NOW + 7_200_000))
  expect(await found(api, short)).toEqual([later.id, late.id])
})

test('search finds what every word starts a word of, in names of campaigns and of tokens they pay', async () => {
  await using api = await borrowTestApp()
  const token = aToken({ name: 'Übercoin Dollar', symbol: 'UBD' })
  const other = aToken({ name: 'Other', symbol: 'OTH' })
  const named = aCampaign({
    id: `8453:${CORE}:1`,
    campaignName: 'Swap to Crème (50%)',
    incentives: [anErc20Incentive(other.address)],
  })
  const paying = aCampaign({
    id: `8453:${CORE}:2`,
    campaignName: 'Swap',
    incentives: [anErc20Incentive(token.address)],
  })
  const elsewhere = aCampaign({ id: `10:${CORE}:3`, campaignName: null, incentives: [anErc20Incentive(token.address)] })
  await api.save(token, other, named, paying, elsewhere)
  expect(await found(api, 'search=swap')).toEqual([paying.id, named.id])
  expect(await found(api, 'search=CREME%20sw')).toEqual([named.id])
  expect(await found(api, 'search=50%25')).toEqual([named.id])
  expect(await found(api, 'search=uber')).toEqual([paying.id])
  expect(await found(api, 'search=swap%20ubd%20dollar')).toEqual([paying.id])
  expect(await found(api, 'search=wap')).toEqual([])
  expect(await found(api, 'search=%CC%81')).toEqual([])
  expect(await found(api, `search=swap&rewardToken=8453:${other.address}`)).toEqual([named.id])
  // Another page asks for counts that are known.
  expect((await list(api, 'search=swap&facets=chainId')).facets).toEqual({ chainId: [{ value: '8453', count: 2 }] })
  await api.save({ ...token, symbol: 'NEW' })
  expect(await found(api, 'search=ubd')).toEqual([])
  expect(await found(api, 'search=new')).toEqual([paying.id])
  for (const query of ['search=', 'search=%20%09', 'search=a%26b', `search=${'a'.repeat(129)}`]) {
    expect(await refused(api, query)).toMatch(/^search must /)
  }
})

interface Facets {
  [name: string]: { value: string; count: number; label?: string }[]
}

/** What each value comes to when its filter is set to it. */
const FILTERS: Record<string, string> = {
  chainId: 'chainId',
  token: 'tokens',
  incentiveType: 'incentiveType',
  actionType: 'actionType',
  distributionChannel: 'distributionChannel',
  isActive: 'showActiveOnly',
}

async function expectCounts(api: BorrowedTestApp, query: Record<string, string>) {
  const url = (parameters: Record<string, string>) =>
    `/campaigns?${new URLSearchParams({ tokenWhitelist: 'false', pageSize: '0', ...parameters })}`
  const response = await api.get(url({ ...query, facets: Object.keys(FILTERS).join(), facetSize: '50' }))
  expect(response.statusCode, response.body).toBe(200)
  const { facets, facetsWithMore }: { facets: Facets; facetsWithMore: string[] } = response.json()
  expect(Object.keys(facets)).toEqual(Object.keys(FILTERS))
  expect(facetsWithMore).toEqual([])
  for (const [name, values] of Object.entries(facets)) {
    const order = [...values].sort(
      (a, b) =>
        b.count - a.count || (name === 'chainId' ? Number(a.value) - Number(b.value) : a.value < b.value ? -1 : 1),
    )
    expect(values, name).toEqual(order)
    for (const { value, count } of values) {
      const total = await api.get(url({ ...query, [FILTERS[name] as string]: value }))
      expect([name, value, count], url(query)).toEqual([name, value, total.json().totalCampaigns])
    }
  }
  return facets
}

/** More than the 1,000 of which facets are counted one by one. */
const MANY = 1300

test.each([40, MANY])('of %i campaigns, each count is the total with its filter set to the value', async (size) => {
  await using api = await borrowTestApp()
  api.setNow(new Date(NOW))
  const tokens = [aToken({ symbol: 'AAA' }), aToken({ symbol: 'BBB' }), aToken({ chainId: 10, symbol: 'CCC' })]
  const templates = ['Swap', 'mint', 'Ödland'].map((actionType) => anActionTemplate({ actionType }))
  const variants = anIncentiveOfEachVariant(
    (word) => (word === 'asset' ? tokens[1]?.address : undefined) ?? anAddress(word),
  )
  const campaigns = Array.from({ length: size }, (_, index) => {
    const chain = index % 7 === 0 ? 10 : index % 501 === 1 ? 7 : 8453
    const template = templates[index % 5]
    return aCampaign({
      id: `${chain}:${CORE}:${index}`,
      owner: anAddress(`owner ${index % 2}`),
      incentives: [anErc20Incentive(tokens[0]?.address ?? ''), ...variants.slice(index % 11, (index % 11) + 2)],
      actionToken: index % 3 === 0 ? { chainId: 10, address: tokens[2]?.address ?? '' } : null,
      actionTemplateId: template?.id ?? null,
      distributionChannels: index % 97 === 0 ? ['Web', 'Rare'] : index % 2 === 0 ? ['web'] : ['App'],
      endTime: index % 4 === 0 ? null : new Date(NOW + (index % 4 === 1 ? -1 : 1) * 3_600_000).toISOString(),
    })
  })
  await api.save(...tokens, ...templates, ...campaigns)
  const facets = await expectCounts(api, {})
  expect(facets.token?.map(({ label }) => label)).toEqual(expect.arrayContaining(['AAA', 'BBB', 'CCC']))
  expect(facets.isActive?.map(({ value }) => value)).toEqual(['false', 'true'])
  await expectCounts(api, { chainId: '10' })
  await expectCounts(api, { tokens: `10:${tokens[2]?.address}`, owner: anAddress('owner 1') })
  await expectCounts(api, { actionType: 'swap,mint', showActiveOnly: 'true' })
  await expectCounts(api, { incentiveType: 'CGDAIncentive', distributionChannel: 'app' })
  await expectCounts(api, { sortBy: 'ending-soon' })
})

test('the first values are there, and what has more is named; without facets there are none', async () => {
  await using api = await borrowTestApp()
  await api.save(
    aCampaign({ distributionChannels: ['b', 'a', 'c'] }),
    aCampaign({ distributionChannels: ['C'], id: `10:${CORE}:1` }),
  )
  const { facets, facetsWithMore } = await list(api, 'facets=distributionChannel,chainId&facetSize=2')
  expect(facets.distributionChannel).toEqual([
    { value: 'c', count: 2 },
    { value: 'a', count: 1 },
  ])
  expect(facets.chainId).toEqual([
    { value: '10', count: 1 },
    { value: '8453', count: 1 },
  ])
  expect(facetsWithMore).toEqual(['distributionChannel'])
  expect(Object.keys(await list(api, ''))).toEqual(['campaigns', 'totalCampaigns'])
  expect(await refused(api, 'facetSize=5')).toContain('facetSize needs facets too')
  expect(await refused(api, 'facets=chain')).toMatch(/an entry of facets must be one of chainId, .*, got "chain"/)
  for (const size of ['0', '51', 'x']) {
    expect(await refused(api, `facets=token&facetSize=${size}`)).toContain('facetSize must be an integer from 1 to 50')
  }
})
