import { afterAll, beforeAll, expect, test } from 'vitest'
import { withFields } from '../../../src/features/campaigns/shown-campaigns.ts'
import {
  aCampaign,
  aClaim,
  anAddress,
  anErc20Incentive,
  anIncentiveOfEachVariant,
  aToken,
} from '../../setup/records.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'

/*
 * `fields`: some of the top-level keys of campaigns, as they are in the whole response.
 */

const token = aToken({ priceUsd: '2' })
const name = 'A "name" with \\ and {braces}, [brackets], commas: "fields"'
const campaign = aCampaign({
  campaignName: name,
  incentives: [...anIncentiveOfEachVariant(anAddress), anErc20Incentive(token.address)],
  allowList: {
    owner: anAddress('owner'),
    contractAddress: anAddress('list'),
    type: 'SimpleAllowList',
    addresses: Array.from({ length: 200 }, (_, index) => anAddress(`member ${index}`)),
  },
})
const blockTimestamp = String(Math.floor(Date.now() / 1000) - 60)

let api: BorrowedTestApp
beforeAll(async () => {
  api = await borrowTestApp()
  await api.save(token, campaign, aClaim(campaign, { blockTimestamp, incentiveIndex: 10 }))
})
afterAll(() => api[Symbol.asyncDispose]())

/** The one campaign of a response. */
async function shown(path: string, query: string): Promise<Record<string, unknown>> {
  const response = await api.get(`${path}?${query}`)
  expect(response.statusCode, response.body).toBe(200)
  const body = response.json()
  return path === `/campaigns/${campaign.id}` ? body : (body.campaigns ?? body.trendingCampaigns)[0]
}

test.each(['/campaigns', `/campaigns/${campaign.id}`, '/reward-kit/trending'])(
  '%s shows any of its keys and no other, in their usual order, with the same values',
  async (path) => {
    const filter = path.endsWith(campaign.id) ? '' : 'tokenWhitelist=false&'
    const whole = await shown(path, filter)
    expect(Object.keys(whole).length).toBeGreaterThan(10)
    for (const [key, value] of Object.entries(whole)) {
      expect(await shown(path, `${filter}fields=${key}`)).toEqual({ [key]: value })
    }
    const keys = Object.keys(whole).filter((_, index) => index % 3 === 1)
    const some = await shown(path, `${filter}fields=${keys.toReversed().join()}`)
    expect(Object.keys(some)).toEqual(keys)
    const all = await shown(
      path,
      `${filter}${Object.keys(whole)
        .map((key) => `fields=${key}`)
        .join('&')}`,
    )
    expect(JSON.stringify(all)).toBe(JSON.stringify(whole))
  },
)

test('the total, filters and pages stay as they are', async () => {
  const response = await api.get('/campaigns?tokenWhitelist=false&fields=campaignName&page=1')
  expect(response.json()).toEqual({ campaigns: [{ campaignName: name }], totalCampaigns: 1 })
})

test('members keep their order and their values, whatever these are', () => {
  const value = JSON.stringify({ d: '\\"}', e: [{ a: 1 }, ',"g":'] })
  const object = `{"a":"\\\\","b":[{"a":1},2.5],"c":${value},"f":{},"g":null}`
  expect(withFields(object, ['g', 'a', 'e'])).toBe('{"a":"\\\\","g":null}')
  expect(withFields(object, ['b', 'c'])).toBe(`{"b":[{"a":1},2.5],"c":${value}}`)
  expect(withFields(object, ['d', 'f'])).toBe('{"f":{}}')
  expect(withFields('{}', ['a'])).toBe('{}')
})

test('the addresses of a long allow list come with it, and with nothing else', async () => {
  const addresses = Array.from({ length: 101 }, (_, nth) => anAddress(`listed ${nth}`)).sort()
  const allowList = {
    owner: anAddress('o'),
    contractAddress: anAddress('c'),
    type: 'SimpleDenyList' as const,
    addresses,
  }
  const listed = aCampaign({ campaignName: '"addresses":[]', allowList })
  await api.save(listed)
  const ask = async (fields: string) => (await api.get(`/campaigns/${listed.id}?fields=${fields}`)).json()
  expect(await ask('allowList,campaignName')).toEqual({ campaignName: '"addresses":[]', allowList })
  expect(await ask('campaignName')).toEqual({ campaignName: '"addresses":[]' })
  expect((await api.get(`/campaigns/${listed.id}`)).json()).toMatchObject({ allowList })
})
