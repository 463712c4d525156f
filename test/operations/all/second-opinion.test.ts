import { generateSample } from 'reward-campaigns-sample-data'
import { expect, test } from 'vitest'
import { openIngest } from '../../../src/ingest/batches.ts'
import type { ImportRecord } from '../../../src/ingest/records.ts'
import { randomStep } from '../../setup/data/batches.ts'
import { createRandom, type Random, randomBatch } from '../../setup/data/random-records.ts'
import { storeTotalsOf } from '../../setup/data/stored-totals.ts'
import { createTestDatabase } from '../../setup/database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aStep, aToken } from '../../setup/records.ts'
import { firstOf, repeated } from '../../setup/repetitions.ts'
import {
  type Comparison,
  createComparison,
  type Operation,
  type Query,
  randomQueries,
} from '../../setup/second-opinion/second-opinion-comparison.ts'
import { vocabularyOf } from '../../setup/second-opinion/second-opinion-queries.ts'
import { borrowTestApp, startTestApp } from '../../setup/test-app.ts'

/*
 * Whole public responses against a second opinion that is computed from the records alone, for random data,
 * parameters and instants. A failure names seed, instant and URL, and comes again with the same seed.
 */

const HOUR = 3600
const DAY = 86_400

/** Instants around the base, out of order, with fractions of seconds. */
const instantsAround = ({ integer, shuffled }: Random) =>
  shuffled([
    0,
    0.001,
    0.999,
    5,
    ...[60, HOUR, 6 * HOUR, DAY, 7 * DAY].flatMap((span) => [-span, span, span + integer(-300, 300)]),
    8 * DAY + 0.5,
  ]).map((offset) => new Date(Math.round((base + offset) * 1000)))

/** One second before, at and after the instant at which a claim enters or leaves a window. */
const instantsAbout = (seconds: number, { pick }: Random) =>
  [-1, 0, 1].map((offset) => new Date((seconds + offset) * 1000 + (offset < 0 ? pick([0, 999]) : pick([0, 1]))))

const windows: { query: Query; seconds: number }[] = [
  { query: ['/reward-kit/trending', { period: '1h', tokenWhitelist: 'false' }], seconds: HOUR },
  { query: ['/reward-kit/trending', { tokenWhitelist: 'false' }], seconds: DAY },
  { query: ['/explore/contracts', { timeRange: '6h', pageSize: '100' }], seconds: 6 * HOUR },
  { query: ['/explore/contracts', { timeRange: '24h', pageSize: '100' }], seconds: DAY },
  { query: ['/explore/contracts', { timeRange: '7d', pageSize: '100' }], seconds: 7 * DAY },
]

interface Effort {
  /** Random queries of each operation at an instant. */
  queries: number
  /** Claims whose ways in and out of the windows are looked at. */
  claims: number
}

async function compareAll(
  { compare }: Comparison,
  records: readonly ImportRecord[],
  { random, queries, claims }: { random: Random } & Effort,
) {
  const words = vocabularyOf(records)
  const unfiltered: Query = ['/reward-kit/trending', { tokenWhitelist: 'false', includeTokenMetadata: 'true' }]
  for (const now of firstOf(instantsAround(random), 3)) {
    await compare([...randomQueries(words, random, queries), unfiltered], records, now)
  }
  const everything = ['most-completions', 'total-spend', 'recently-deployed'].map(
    (sortBy): Query => ['/explore/contracts', { sortBy, pageSize: '100' }],
  )
  await compare(everything, records, new Date(base * 1000))
  const ids = { campaignId: words.ids.slice(0, 50).join() }
  const edges = [
    ...windows,
    ...Object.entries({ '1h': HOUR, '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY }).flatMap(([timeRange, seconds]) =>
      [seconds, 2 * seconds].map((edge) => ({
        query: ['/activity', { ...ids, timeRange }] as const,
        seconds: edge,
      })),
    ),
  ]
  const times = records.flatMap((record) => (record.type === 'claim' ? [Number(record.blockTimestamp)] : []))
  for (let count = 0; count < claims; count++) {
    const time = random.pick(times)
    const ages = random.shuffled([0, ...new Set(edges.map(({ seconds }) => seconds))])
    for (const age of firstOf(ages, 3)) {
      const requests = edges.filter(({ seconds }) => age === 0 || seconds === age).map(({ query }) => query)
      for (const now of instantsAbout(time + age, random)) await compare(requests, records, now)
    }
  }
}

/** Keeps no responses: the clock of these tests also goes back, which that of a service does not. */
const keepingNothing = { RESPONSE_CACHE_MB: '0' }
/** The data lies around this instant (Unix seconds). */
const base = Date.parse('2026-03-01T12:00:00Z') / 1000

/** Now and then the totals are those of the past or of the future, and sometimes of the very edge of a window. */
const someClock = ({ pick, integer }: Random) =>
  base + pick([0, 1, -1, HOUR, 6 * HOUR, DAY, DAY + 1, 7 * DAY, 30 * DAY, -HOUR, -3 * DAY, integer(-DAY, DAY)])

const SEEDS = firstOf([1, 2, 3, 4, 5])

test.each(SEEDS)('answers about hard random records are what the records say: seed %i', async (seed) => {
  const random = createRandom(seed)
  await using api = await borrowTestApp(keepingNothing)
  const comparison = createComparison(api, `seed ${seed}`)
  let records: ImportRecord[] = []
  for (let round = 0; round < repeated(2, 3); round++) {
    await storeTotalsOf(api.database, someClock(random))
    const batch = randomBatch(records, base, random)
    await api.save(...batch)
    records = [...records, ...batch]
    await compareAll(comparison, records, { random, queries: repeated(3, 4), claims: 1 })
    await storeTotalsOf(api.database, someClock(random))
    await compareAll(comparison, records, { random, queries: 1, claims: 1 })
  }
  const { seen } = comparison
  const share = (operation: Operation) =>
    (seen.get(`${operation} with entries`) ?? 0) / (seen.get(operation) ?? Number.NaN)
  expect(share('/reward-kit/trending')).toBeGreaterThan(0.3)
  expect(share('/explore/contracts')).toBeGreaterThan(0.5)
  expect(share('/campaigns')).toBeGreaterThan(0.3)
  expect([...seen.keys()]).toEqual(
    expect.arrayContaining([
      ...['AllowListIncentive', 'CGDAIncentive', 'ERC20Incentive', 'PointsIncentive', 'ERC20VariableIncentive'],
      ...['ERC20VariableCriteriaIncentive', 'ERC20VariableCriteriaIncentiveV2', 'ERC20PeggedIncentive'],
      ...['ERC20PeggedVariableCriteriaIncentive', 'ERC20PeggedVariableCriteriaIncentiveV2'],
      ...['status active', 'status claimable', 'status claimed', 'action token', 'template', 'no template'],
      ...['unknown token', 'known token', 'price', 'equal volumes'],
      ...['/explore/contracts with claims', '/explore/contracts on several pages', '/campaigns on several pages'],
      ...['/activity with claims', '/activity with claims before'],
      ...['/campaigns/{id}', 'active and inactive ones', 'budget in dollars', 'long allow list', 'action claimant'],
    ]),
  )
})

test.each(
  firstOf([
    { seed: 11, campaigns: 40, claims: 600 },
    { seed: 12, campaigns: 600, claims: 3000 },
  ]),
)(
  'answers about a sample are what its records say: seed $seed, $campaigns campaigns',
  async ({ seed, campaigns, claims }) => {
    const random = createRandom(seed)
    await using api = await borrowTestApp(keepingNothing)
    const comparison = createComparison(api, `seed ${seed}`)
    let records = [...generateSample({ campaigns, claims, seed, now: new Date(base * 1000) })]
    await api.save(...records)
    await storeTotalsOf(api.database, base)
    await compareAll(comparison, records, { random, queries: 2, claims: repeated(1, 2) })
    const later = new Date((base + 90) * 1000)
    const more = [...generateSample({ campaigns: 20, claims: 100, seed: seed + 100, now: later })]
    await api.save(...more)
    records = [...records, ...more]
    await storeTotalsOf(api.database, base + HOUR)
    await compareAll(comparison, records, { random, queries: 1, claims: 1 })
    const { seen } = comparison
    expect(seen.get('/reward-kit/trending with entries')).toBeGreaterThan(repeated(5, 50))
    expect(seen.get('/explore/contracts with claims')).toBeGreaterThan(repeated(5, 50))
    if (campaigns > 500) expect(seen.get('/reward-kit/trending with 100 entries')).toBeGreaterThan(repeated(2, 3))
  },
)

test('answers that are kept are what the records say as the clock goes on and records come in', async () => {
  const seed = 21
  const random = createRandom(seed)
  await using api = await borrowTestApp()
  const { compare, seen } = createComparison(api, `seed ${seed}`)
  let records: ImportRecord[] = []
  const requests: Query[] = [...windows.map(({ query }) => query), ['/explore/contracts', {}]]
  for (const offset of [-DAY, -HOUR - 1, -HOUR, -0.5, 0, 0.4, 0.999, 1, HOUR - 1, HOUR, DAY]) {
    if (records.length === 0 || random.chance(0.3)) {
      const batch = randomBatch(records, base, random)
      await api.save(...batch)
      records = [...records, ...batch]
    }
    for (const milliseconds of repeated([0, 0, 50], [0, 0, 1, 50])) {
      const now = new Date(Math.round((base + offset) * 1000) + milliseconds)
      await compare(requests, records, now)
      if (random.chance(0.2)) await storeTotalsOf(api.database, base + Math.floor(offset))
    }
  }
  expect(seen.get('/reward-kit/trending with entries')).toBeGreaterThan(repeated(40, 50))
})

const campaignIdsOf = (records: readonly ImportRecord[]) =>
  records.flatMap((record) => (record.type === 'campaign' ? [record.id] : []))

test.each(firstOf([32, 33]))(
  'answers that are kept, and those that are not, are what the records say after batches and withdrawals: seed %i',
  async (seed) => {
    const random = createRandom(seed)
    await using database = await createTestDatabase()
    await using keeping = await startTestApp({}, database)
    await using making = await startTestApp(keepingNothing, database)
    const kept = createComparison(keeping, `seed ${seed}, kept`)
    const made = createComparison(making, `seed ${seed}, not kept`)
    const ingest = await openIngest(database.url)
    await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
    let records: ImportRecord[] = []
    let requests: Query[] = []
    for (let round = 0; round < repeated(5, 8); round++) {
      const step = randomStep(records, base, random)
      await ingest.apply(step.batch)
      const left = new Set(campaignIdsOf(step.records))
      const takenBack = campaignIdsOf(records).filter((id) => !left.has(id))
      records = step.records
      // Some of them again and again, so that there are answers that could be kept too long.
      requests = [
        ...random.some(requests, 0.8).slice(0, repeated(12, 24)),
        ...randomQueries(vocabularyOf(records), random, repeated(3, 4)),
      ]
      const asked = [...requests, ...takenBack.slice(0, 2).map((id): Query => ['/campaigns/{id}', { id }])]
      // The second question within a second finds what is kept.
      for (const [{ compare }, instants] of [
        [kept, [0, 0, 900]],
        [made, repeated([0], [0, 0, 900])],
      ] as const) {
        for (const milliseconds of instants) {
          await compare(asked, records, new Date((base + 60 * round) * 1000 + milliseconds))
        }
      }
    }
    for (const { seen } of [kept, made]) {
      expect(seen.get('/campaigns with entries')).toBeGreaterThan(repeated(10, 20))
      expect(seen.get('/campaigns/{id}')).toBeGreaterThan(repeated(10, 20))
      expect(seen.get('/activity with claims')).toBeGreaterThan(20)
      expect(seen.get('/activity with claims before')).toBeGreaterThan(5)
      expect(seen.get('no such campaign'), 'questions for what was taken back').toBeGreaterThan(0)
    }
  },
)

test('two processes on one database both show a claim within 2 seconds of its import by a third', async () => {
  await using database = await createTestDatabase()
  await using one = await startTestApp({}, database)
  await using other = await startTestApp({}, database)
  const [asset, target] = [anAddress('paid asset'), anAddress('used contract')]
  const campaign = aCampaign({ incentives: [anErc20Incentive(asset)], actionSteps: [aStep(target)] })
  const claimOf = (amountUsd: string) =>
    aClaim(campaign, { amountUsd, blockTimestamp: String(Math.floor(Date.now() / 1000)) })
  const urls = ['/reward-kit/trending', '/reward-kit/trending?period=1h', '/explore/contracts?timeRange=6h']
  const views = async () => {
    const apps = [one, other]
    const responses = await Promise.all(
      apps.flatMap((api) => [...urls, '/explore/contracts'].map(async (url) => (await api.get(url)).json())),
    )
    return responses.map((response) =>
      Array.isArray(response)
        ? response[0]?.stats.totalAmountClaimedUsd
        : response.trendingCampaigns[0]?.usdDistributed1Hr,
    )
  }
  await one.save(aToken({ address: asset }), campaign)
  const none = [undefined, undefined, 0, 0]
  expect(await views()).toEqual([...none, ...none])
  let total = 0
  for (const amount of [1.25, 2, 0.5]) {
    await one.save(claimOf(String(amount)))
    total += amount
    const expected = Array(8).fill(total)
    await expect.poll(views, { timeout: 2000, interval: 20 }).toEqual(expected)
    // And it stays so in whatever the database does meanwhile.
    await database.query('select advance_claim_windows()')
    expect(await views()).toEqual(expected)
  }
})
