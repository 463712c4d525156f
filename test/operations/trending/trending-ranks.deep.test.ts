import { generateSample } from 'reward-campaigns-sample-data'
import { expect, test } from 'vitest'
import { openIngest } from '../../../src/ingest/batches.ts'
import type { ClaimRecord, ImportRecord } from '../../../src/ingest/records.ts'
import { createRandom, type Random } from '../../setup/data/random-records.ts'
import { storeTotalsOf } from '../../setup/data/stored-totals.ts'
import { expectTrendingToAgree } from '../../setup/data/trending-rows.ts'
import {
  aCampaign,
  aClaim,
  aHash,
  anActionTemplate,
  anAddress,
  anErc20Incentive,
  toClaimIdentity,
  toLowerCase,
} from '../../setup/records.ts'
import { combinationsOf, type Filter, filtersOf } from '../../setup/requests/every-filter.ts'
import { expectedTrending, type QueryText } from '../../setup/second-opinion/second-opinion.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'

/*
 * The ranks of `GET /reward-kit/trending` against a second opinion that is computed from the records alone: every filter and
 * every pair, where few, some and many campaigns match, before and after batches and withdrawals, and at instants before
 * and after those that totals and maps are kept of.
 */

const [HOUR, DAY] = [3600, 86_400]
/** The data lies around this instant (Unix seconds). */
const base = Date.parse('2026-03-01T12:00:00Z') / 1000
const keepingNothing = { RESPONSE_CACHE_MB: '0' }

/** The filters that only trending has, by values that occur in the data. */
function ownFiltersOf(records: readonly ImportRecord[]): Record<string, Filter> {
  const campaigns = records.filter((record) => record.type === 'campaign')
  const claims = records.filter((record) => record.type === 'claim')
  const types = records.flatMap((record) => (record.type === 'actionTemplate' ? [record.actionType] : []))
  return {
    creator: (random) => {
      const { creator, owner } = random.pick(campaigns)
      return { creator: creator ?? owner }
    },
    user: (random) => ({ user: random.pick(claims).claimant }),
    includeActionTypes: (random) => ({ includeActionTypes: random.pick(types) }),
    excludeActionTypes: (random) => ({ excludeActionTypes: random.pick(types) }),
  }
}

const outward = (random: Random): QueryText => ({
  ...(random.chance(0.7) ? { tokenWhitelist: 'false' } : {}),
  ...(random.chance(0.5) ? { period: '1h' } : {}),
})

/** Asks with every filter and every pair; how many entries there were, at most and in all. */
async function compareAll(api: BorrowedTestApp, records: readonly ImportRecord[], random: Random, now: Date) {
  const counts: number[] = []
  api.setNow(now)
  const combinations = combinationsOf({ ...filtersOf(records), ...ownFiltersOf(records) })
  for (const combination of combinations) {
    const query = { ...combination(random), ...outward(random) }
    const url = `/reward-kit/trending?${new URLSearchParams(query)}`
    const { statusCode, body } = await api.get(url)
    expect(statusCode, `${url}: ${body.slice(0, 300)}`).toBe(200)
    const expected = expectedTrending(records, query, now)
    expect(JSON.parse(body), `${now.toISOString()} ${url}`).toEqual(JSON.parse(JSON.stringify(expected)))
    counts.push(expected.trendingCampaigns.length)
  }
  return counts
}

test.each([
  { seed: 1, ages: [0, -HOUR, 2 * DAY] },
  { seed: 2, ages: [-HOUR, 0, 2 * DAY] },
])(
  'trending is what the records say, with every filter and pair: seed $seed',
  { timeout: 600_000 },
  async ({ seed, ages }) => {
    const random = createRandom(seed)
    const campaigns = 900
    await using api = await borrowTestApp(keepingNothing)
    const ingest = await openIngest(api.database.url)
    await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
    let records: ImportRecord[] = [
      ...generateSample({ campaigns, claims: 10 * campaigns, seed, now: new Date(base * 1000) }),
    ]
    await api.save(...records)
    const counts: number[] = []
    const isCovered = () =>
      counts.filter((count) => count === 100).length > 20 &&
      counts.filter((count) => count > 0 && count < 100).length > 20 &&
      counts.includes(0)
    for (const age of ages) {
      await storeTotalsOf(api.database, base - age)
      await expectTrendingToAgree(api.database)
      for (const now of [base + random.integer(-DAY, HOUR), base]) {
        counts.push(...(await compareAll(api, records, random, new Date(now * 1000))))
      }
      const withdrawn = records.filter((record) => record.type === 'claim').filter(() => random.chance(0.05))
      const claims = records.filter((record) => record.type === 'claim' && !withdrawn.includes(record))
      // Campaigns that come again at another time have other places in the maps.
      const stored = records.filter((record) => record.type === 'campaign')
      const more = [
        ...random.some(claims, 0.05).map((claim) => ({
          ...claim,
          txHash: aHash(`another of ${age}`),
          logIndex: random.integer(0, 2 ** 30),
          blockTimestamp: String(base - random.integer(-600, 2 * HOUR)),
        })),
        ...random.some(stored, 0.05).map((campaign) => ({
          ...campaign,
          blockTimestamp: String(base - random.integer(0, 300 * DAY)),
        })),
      ] as ImportRecord[]
      const isWithdrawn = new Set<ImportRecord>(withdrawn)
      await ingest.apply({
        records: toLowerCase(more),
        revertedClaims: toLowerCase(withdrawn).map((claim) => toClaimIdentity(claim as ClaimRecord)),
        revertedCampaigns: [],
      })
      records = [...records.filter((record) => !isWithdrawn.has(record)), ...more]
      await expectTrendingToAgree(api.database)
      counts.push(...(await compareAll(api, records, random, new Date(base * 1000))))
    }
    expect(isCovered()).toBe(true)
  },
)

test('trending is what the records say, also among thousands that have claimed the same', {
  timeout: 300_000,
}, async () => {
  await using api = await borrowTestApp(keepingNothing)
  const templates = ['swap', 'mint'].map((actionType) => anActionTemplate({ actionType }))
  const campaigns = Array.from({ length: 3000 }, (_, index) =>
    aCampaign({
      id: `${index % 2 === 0 ? 10 : 8453}:${anAddress('core')}:${index}`,
      incentives: [anErc20Incentive(anAddress('asset'))],
      // Every 9th, every 20th, and the hindmost of all: each enough for a page.
      owner: anAddress(index % 9 === 0 ? 'owner of many' : `owner ${index % 50}`),
      creator: anAddress(index < 600 ? 'creator of the hindmost' : 'creator'),
      actionTemplateId: templates[index % 20 === 0 ? 0 : 1]?.id ?? null,
    }),
  )
  const claims = campaigns.flatMap((campaign, index) => [
    // Seven amounts in the last hour, and all different in the last day.
    aClaim(campaign, { blockTimestamp: String(base - 600), amountUsd: String(index % 7) }),
    aClaim(campaign, { blockTimestamp: String(base - 5 * HOUR), amountUsd: String(20 * index) }),
  ])
  const records: ImportRecord[] = [...templates, ...campaigns, ...claims]
  await api.save(...records)
  await storeTotalsOf(api.database, base)
  for (const age of [0, 300, -300]) {
    const now = new Date((base + age) * 1000)
    api.setNow(now)
    for (const filter of [
      '',
      'chainId=10',
      `owner=${anAddress('owner of many')}`,
      `creator=${anAddress('creator of the hindmost')}`,
      'includeActionTypes=swap',
      'includeActionTypes=none',
      'excludeActionTypes=mint',
      'excludeActionTypes=swap&chainId=8453',
    ]) {
      for (const period of ['1h', '24h']) {
        const query = { period, tokenWhitelist: 'false', ...Object.fromEntries(new URLSearchParams(filter)) }
        const { body } = await api.get(`/reward-kit/trending?${new URLSearchParams(query)}`)
        const expected = JSON.parse(JSON.stringify(expectedTrending(records, query, now)))
        expect(JSON.parse(body), `${age} ${period} ${filter}`).toEqual(expected)
        expect(expected.trendingCampaigns.length).toBe(filter.endsWith('none') ? 0 : 100)
      }
    }
  }
})
