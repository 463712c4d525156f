import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ListCampaignsResponse } from '../../../src/features/campaigns/campaign-schemas.ts'
import { aCampaign, anAddress, aStep } from '../../setup/records.ts'
import { repeated } from '../../setup/repetitions.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'

const parameters = [
  ...['page', 'pageSize', 'budgetAccount', 'owner', 'autocampaignId', 'chainId', 'targetContract', 'tokens'],
  ...['rewardToken', 'campaignId', 'incentiveType', 'actionType'],
  ...['distributionChannel', 'sortBy', 'tokenWhitelist', 'actionTemplateOnly', 'showActiveOnly'],
]
const ADDRESS = anAddress('somebody')
const addresses = (count: number) => Array.from({ length: count }, (_, index) => anAddress(`number ${index}`))

let api: BorrowedTestApp
beforeAll(async () => {
  api = await borrowTestApp()
  api.setNow(new Date('2026-01-01T00:00:00.000Z'))
  await api.save(...population)
})
afterAll(() => api[Symbol.asyncDispose]())

async function accepted(query: string) {
  const response = await api.get(`/campaigns?${query}`)
  expect(response.statusCode, `${query}: ${response.body}`).toBe(200)
}

/** Few different values, so that filters find some and pages are cut within equals. */
const owners = ['o1', 'o2', 'o3'].map(anAddress)
const budgets = ['b1', 'b2'].map(anAddress)
const population = Array.from({ length: 90 }, (_, index) =>
  aCampaign({
    id: `${[1, 10, 8453][index % 3]}:${anAddress(`core ${index % 2}`)}:${index}`,
    blockTimestamp: String(1_750_000_000 + (index % 4)),
    owner: owners[index % 3] as string,
    budget: budgets[index % 2] as string,
    autocampaignId: index % 5 === 0 ? 'auto' : null,
    distributionChannels: index % 4 === 0 ? ['web'] : ['app', 'Street'],
    actionSteps: [aStep(anAddress(`target ${index % 2}`), 10)],
    endTime: index % 3 === 0 ? '2025-06-01T00:00:00Z' : null,
  }),
)

describe('a value at the edge is accepted', () => {
  test.each([
    ...['pageSize=100', 'pageSize=0', 'page=0', 'page=00', 'page=9007199254740991', 'chainId=9007199254740991'],
    ...['page=', 'page=null', 'pageSize=null', 'chainId=null', 'chainId=', 'tokenWhitelist=null', 'tokenWhitelist='],
    ...[`autocampaignId=${'x'.repeat(128)}`, `autocampaignId=${'%F0%9F%8E%89'.repeat(128)}`, 'autocampaignId=a,b'],
    ...[`distributionChannel=${'x'.repeat(128)}`, `tokens=0:${ADDRESS}`, `tokens=9007199254740991:${ADDRESS}`],
    ...['actionTemplateOnly=false', 'showActiveOnly=false', 'page', 'sortBy=recently-deployed', ''],
  ])('%s', (query) => accepted(query))
})

describe('a list', () => {
  test('may have 100 entries, counted after duplicates are dropped', async () => {
    const hundred = addresses(100)
    await accepted(`budgetAccount=${hundred.join(',')}`)
    await accepted(`budgetAccount=${[...hundred, ...hundred.slice(0, 9)].join(',')}`)
    await accepted(`budgetAccount=${[...hundred, `0x${hundred[0]?.slice(2).toUpperCase()}`].join(',')}`)
    const channels = Array.from({ length: 101 }, (_, index) => `c${index}`)
    await accepted(`distributionChannel=${[...channels.slice(1), ...channels.slice(1)].join(',')}`)
    const tokens = addresses(101).map((address) => `1:${address}`)
    await accepted(`tokens=${tokens.slice(1).join(',')}`)
  })

  test('may have spaces around its entries', () => accepted(`budgetAccount=%20${ADDRESS}%20,%09${ADDRESS}`))
})

describe('a query string', () => {
  test('whatever it holds is never a defect, and every refusal names a parameter of it', async () => {
    const name = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...parameters) },
      fc.constantFrom('__proto__', 'a[]', 'constructor', 'Page', 'toString', 'x.y'),
      fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }),
    )
    const value = fc.oneof(
      fc.constantFrom(
        '',
        'null',
        'true',
        'false',
        'active',
        '0',
        '1',
        '100',
        '101',
        '9007199254740991',
        '-1',
        ',',
        'a,b',
      ),
      fc.constantFrom(
        ADDRESS,
        `8453:${ADDRESS}`,
        `8453:${ADDRESS}:collection`,
        `${ADDRESS},${ADDRESS}`,
        `0X${'a'.repeat(40)}`,
      ),
      fc.constantFrom('{}', '{1,2}', "'; drop table campaigns; --", '\\', '"', '%', '\u{10ffff}', '\u0000', '1e999'),
      fc.bigInt({ min: 0n, max: 2n ** 70n }).map(String),
      fc.string({ maxLength: 140, unit: 'binary' }),
    )
    const pair = fc.tuple(name, value)
    await fc.assert(
      fc.asyncProperty(fc.array(pair, { minLength: 1, maxLength: 5 }), async (pairs) => {
        const query = pairs
          .map((part) => part.map((text) => encodeURIComponent(text.toWellFormed())).join('='))
          .join('&')
        const response = await api.get(`/campaigns?${query}`)
        expect([200, 400]).toContain(response.statusCode)
        if (response.statusCode === 200) return
        const body = response.json()
        expect(Object.keys(body)).toEqual(['error'])
        const named = pairs.flatMap(([text]) => [
          text,
          JSON.stringify(text.toWellFormed()).slice(1, -1),
          encodeURIComponent(text.toWellFormed()),
        ])
        expect(named.some((text) => body.error.includes(text))).toBe(true)
      }),
      { numRuns: repeated(150, 400) },
    )
  })

  test('of raw bytes is never a defect', async () => {
    const piece = fc.oneof(
      fc.constantFrom('&', '=', '%', '%zz', '%00', '+', ';', '?', '[]', '/', ',', 'page', 'owner', 'tokens=', ADDRESS),
      fc.stringMatching(/^[!-~]{0,6}$/),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const response = await api.get(`/campaigns?${pieces.join('').replaceAll('#', '')}`)
        expect([200, 400]).toContain(response.statusCode)
      }),
      { numRuns: repeated(100, 300) },
    )
  })
})

describe('paging', () => {
  test('through any filters with any page size shows each row that matches exactly once', async () => {
    const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
    const filters = fc.record({
      owner: maybe(fc.constantFrom(...owners)),
      budgetAccount: maybe(fc.subarray(budgets, { minLength: 1 })),
      chainId: maybe(fc.constantFrom(1, 10, 8453)),
      autocampaignId: maybe(fc.constant('auto')),
      distributionChannel: maybe(fc.subarray(['web', 'street'], { minLength: 1 })),
      showActiveOnly: maybe(fc.boolean()),
      sortBy: maybe(fc.constantFrom('active', 'recently-deployed')),
    })
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 4, max: 100 }), async (filter, pageSize) => {
        const query = Object.entries(filter)
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => `${name}=${value}&`)
          .join('')
        const matching = population.filter(
          ({ id, owner, budget, autocampaignId, distributionChannels, endTime }) =>
            (filter.owner ?? owner) === owner &&
            (filter.budgetAccount ?? [budget]).includes(budget) &&
            (filter.chainId === undefined || id.startsWith(`${filter.chainId}:`)) &&
            (filter.autocampaignId ?? autocampaignId) === autocampaignId &&
            (filter.distributionChannel === undefined ||
              distributionChannels?.some((channel) => filter.distributionChannel?.includes(channel.toLowerCase()))) &&
            (filter.showActiveOnly !== true || endTime === null),
        )
        const ids: string[] = []
        for (let page = 1; page <= Math.floor(matching.length / pageSize) + 2; page++) {
          const response = await api.get(`/campaigns?${query}page=${page}&pageSize=${pageSize}`)
          const { campaigns, totalCampaigns } = response.json<ListCampaignsResponse>()
          expect(totalCampaigns).toBe(matching.length)
          ids.push(...campaigns.map(({ id }) => id))
        }
        expect(ids.toSorted()).toEqual(matching.map(({ id }) => id).toSorted())
      }),
      { numRuns: repeated(25, 60) },
    )
  })
})
