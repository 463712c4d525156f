import { generateSample } from 'reward-campaigns-sample-data'
import { expect, test } from 'vitest'
import type { ImportRecord } from '../../../src/ingest/records.ts'
import { createRandom, type Random, randomBatch } from '../../setup/data/random-records.ts'
import { aCampaign } from '../../setup/records.ts'
import { firstOf, repeated } from '../../setup/repetitions.ts'
import { combinationsOf, type Filter, filtersOf } from '../../setup/requests/every-filter.ts'
import type { QueryText } from '../../setup/second-opinion/second-opinion.ts'
import { expectedCampaigns } from '../../setup/second-opinion/second-opinion-campaigns.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'

/*
 * Pages and totals of `GET /campaigns` against a second opinion that is computed from the records alone: every filter,
 * every pair and some more at once, every order, any page, at any instant.
 */

const DAY = 86_400
/** The data lies around this instant (Unix seconds). */
const base = Date.parse('2026-03-01T12:00:00Z') / 1000

const actionTemplateOnly: Filter = () => ({ actionTemplateOnly: 'true' })

const outward = (random: Random): QueryText => ({
  ...(random.chance(0.6) ? { tokenWhitelist: 'false' } : {}),
  ...(random.chance(0.3) ? { sortBy: 'active' } : {}),
  ...(random.chance(0.3) ? { showActiveOnly: 'true' } : {}),
  ...(random.chance(0.7) ? { pageSize: random.pick(['0', '1', '2', '3', '7', '100']) } : {}),
  ...(random.chance(0.5) ? { page: random.pick(['1', '2', '3', '4', '9', '9007199254740991']) } : {}),
})

async function compareAll(api: BorrowedTestApp, records: readonly ImportRecord[], random: Random, now: Date) {
  let listed = 0
  api.setNow(now)
  const combinations = combinationsOf({ ...filtersOf(records), actionTemplateOnly })
  for (const combination of random.some(combinations, repeated(0.4, 1))) {
    const query = { ...combination(random), ...outward(random) }
    const url = `/campaigns?${new URLSearchParams(query)}`
    const { statusCode, body } = await api.get(url)
    expect(statusCode, `${url}: ${body.slice(0, 300)}`).toBe(200)
    const expected = expectedCampaigns(records, query, now)
    expect(JSON.parse(body), `${now.toISOString()} ${url}`).toEqual(expected)
    listed += expected.campaigns.length
  }
  return listed
}

/** Instants at which campaigns start or end, just before those, and some at any time. */
function someInstants(records: readonly ImportRecord[], random: Random) {
  const edges = records.flatMap((record) =>
    record.type === 'campaign' ? [record.startTime, record.endTime].flatMap((time) => time ?? []) : [],
  )
  const edge = () => (edges.length === 0 ? base * 1000 : Date.parse(random.pick(edges)))
  return [edge(), edge() - 1, (base + random.integer(-90 * DAY, 90 * DAY)) * 1000].map((time) => new Date(time))
}

const keepingNothing = { RESPONSE_CACHE_MB: '0' }

const MAX_MS = 120_000

test.each(firstOf([1, 2, 3]))(
  'pages and totals of hard random records are what the records say: seed %i',
  { timeout: MAX_MS },
  async (seed) => {
    const random = createRandom(seed)
    await using api = await borrowTestApp(keepingNothing)
    let records: ImportRecord[] = []
    let listed = 0
    for (let round = 0; round < 3; round += 1) {
      const batch = randomBatch(records, base, random)
      await api.save(...batch)
      records = [...records, ...batch]
      for (const now of someInstants(records, random)) listed += await compareAll(api, records, random, now)
    }
    expect(listed).toBeGreaterThan(repeated(80, 200))
  },
)

test.each([
  { seed: 11, campaigns: 150 },
  { seed: 12, campaigns: repeated(600, 2500) },
])('pages and totals of a sample are what its records say: $campaigns campaigns', async ({ seed, campaigns }) => {
  const random = createRandom(seed)
  await using api = await borrowTestApp(keepingNothing)
  const records = [...generateSample({ campaigns, claims: campaigns, seed, now: new Date(base * 1000) })]
  await api.save(...records)
  let listed = 0
  const instants = someInstants(records, random)
  const asked = firstOf(instants, 2).length
  for (const [count, now] of instants.entries()) {
    // Further instants only where the first ones listed few campaigns.
    if (count >= asked && listed > repeated(80, 200)) break
    listed += await compareAll(api, records, random, now)
  }
  expect(listed).toBeGreaterThan(repeated(80, 200))
})

test('campaigns that have ended are listed after the active ones, also where none is active', async () => {
  await using api = await borrowTestApp()
  api.setNow(new Date(base * 1000))
  const ended = { endTime: new Date((base - 1) * 1000).toISOString() }
  const records = [aCampaign({ ...ended, blockTimestamp: '1000' }), aCampaign({ ...ended, blockTimestamp: '2000' })]
  await api.save(...records)
  const { body } = await api.get('/campaigns?sortBy=active')
  expect(JSON.parse(body)).toEqual(expectedCampaigns(records, { sortBy: 'active' }, new Date(base * 1000)))
  expect(JSON.parse(body)).toMatchObject({ totalCampaigns: 2 })
})
