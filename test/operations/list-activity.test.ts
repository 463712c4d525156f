import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queryChannel } from '../../src/database/connection/query-tracing-channel.ts'
import type { ListActivityResponse } from '../../src/features/activity/activity-schemas.ts'
import type { ClaimRecord } from '../../src/ingest/records.ts'
import { setFollowed } from '../setup/data/followed-chains.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aStep, inUpperCase } from '../setup/records.ts'
import { repeated } from '../setup/repetitions.ts'
import { expectedActivity } from '../setup/second-opinion/second-opinion-activity.ts'
import { type BorrowedTestApp, borrowTestApp } from '../setup/test-app.ts'

/*
 * See second-opinion.test.ts for random records, batches and withdrawals.
 */

const NOW = new Date('2026-03-01T12:00:00.900Z')
const seconds = Math.floor(NOW.getTime() / 1000)
const [HOUR, DAY] = [3600, 86_400]
const RANGES = { '1h': [60, 60], '24h': [48, 1800], '7d': [42, 14_400], '30d': [30, DAY] } as const

const aClaimable = (parts = {}) => aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))], ...parts })

/** A claim so many seconds ago. */
const aClaimAgo = (campaign: { id: string }, age: number, parts: Partial<ClaimRecord> = {}) =>
  aClaim(aClaimable({ id: campaign.id }), { blockTimestamp: String(seconds - age), ...parts })

async function activity(api: BorrowedTestApp, query: string): Promise<ListActivityResponse> {
  const response = await api.get(`/activity?${query}`)
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

/** Intervals with so many claims in some of them. */
const intervals = (count: number, some: Record<number, number>) =>
  Array.from({ length: count }, (_, place) => some[place] ?? 0)

const nothing = { totalClaims: 0, totalAmountClaimedUsd: 0 }

/** An app that several tests put campaigns of their own into. */
let shared: BorrowedTestApp
beforeAll(async () => {
  shared = await borrowTestApp()
  shared.setNow(NOW)
})
afterAll(() => shared[Symbol.asyncDispose]())

test('claims are told interval by interval, the oldest first, with totals and those of the range before', async () => {
  const campaign = aClaimable()
  await shared.save(
    campaign,
    aClaimAgo(campaign, 0, { amountUsd: '1.5' }),
    aClaimAgo(campaign, 1799, { amountUsd: '0.0000005' }),
    aClaimAgo(campaign, 1800, { amountUsd: null }),
    aClaimAgo(campaign, DAY - 1, { amountUsd: '2' }),
    aClaimAgo(campaign, DAY, { amountUsd: '7.0000004' }),
    aClaimAgo(campaign, 2 * DAY - 1, { amountUsd: '1' }),
    aClaimAgo(campaign, 2 * DAY, { amountUsd: '1000' }),
    aClaimAgo(campaign, -1, { amountUsd: '1000' }),
  )
  expect(await activity(shared, `campaignId=${campaign.id}`)).toEqual({
    timeRange: '24h',
    since: '2026-02-28T12:00:00.000Z',
    until: '2026-03-01T12:00:00.000Z',
    intervalSeconds: 1800,
    campaigns: [
      {
        id: campaign.id,
        claims: intervals(48, { 0: 1, 46: 1, 47: 2 }),
        amountUsd: Object.values({ ...Array(48).fill('0'), 0: '2', 47: '1.500001' }),
        claimants: intervals(48, { 0: 1, 46: 1, 47: 2 }),
        unvaluedClaims: intervals(48, { 46: 1 }),
        totalClaims: 4,
        totalAmountClaimedUsd: 3.500001,
        previous: { totalClaims: 2, totalAmountClaimedUsd: 8 },
      },
    ],
  })
})

test.each(Object.entries(RANGES))(
  'each of the intervals of %s has its edges to the second',
  async (timeRange, range) => {
    const [count, length] = range
    const campaign = aClaimable()
    // The last second of each interval, and the first of the one after it.
    const ages = Array.from({ length: 2 * count + 1 }, (_, place) => place * length).flatMap((age) => [age, age - 1])
    await using api = await borrowTestApp({ RESPONSE_CACHE_MB: '0' })
    await api.save(campaign, ...ages.map((age) => aClaimAgo(campaign, age, { amountUsd: '1' })))
    // On the hour, a second before and after it, and on no interval of any range.
    for (const later of [0, 3599, 3601, 5000]) {
      api.setNow(new Date(NOW.getTime() + later * 1000))
      const shifted = ages.map((age) => age + later)
      const within = (from: number, upTo: number) => shifted.filter((age) => age >= from && age < upTo).length
      const { intervalSeconds, campaigns } = await activity(api, `timeRange=${timeRange}&campaignId=${campaign.id}`)
      expect(intervalSeconds).toBe(length)
      const claims = Array.from({ length: count }, (_, place) => within(place * length, (place + 1) * length))
      const totals = (from: number) => {
        const totalClaims = within(from, from + count * length)
        return { totalClaims, totalAmountClaimedUsd: totalClaims }
      }
      const previous = totals(count * length)
      expect(campaigns).toMatchObject([{ id: campaign.id, claims: claims.toReversed(), ...totals(0), previous }])
      if (later === 0) expect(new Set([...claims, previous.totalClaims])).toEqual(new Set([2, 2 * count]))
    }
  },
)

test('campaigns are ordered by chain, core address and identifier as a number, and found in any case', async () => {
  const [core, other] = [anAddress('core'), anAddress('other core')].sort()
  const ids = [`9:${other}:5`, `10:${core}:9`, `10:${core}:10`, `10:${other}:1`]
  await shared.save(...ids.map((id) => aClaimable({ id })))
  for (const asked of [ids, ids.toReversed()]) {
    const { campaigns } = await activity(shared, `campaignId=${asked}`)
    expect(campaigns.map(({ id }) => id)).toEqual(ids)
  }
  const written = `10:${inUpperCase(String(core))}:9`
  const { campaigns } = await activity(shared, `campaignId=${written}&campaignId=${ids[1]}`)
  expect(campaigns).toMatchObject([{ id: ids[1], claims: intervals(48, {}), ...nothing, previous: nothing }])
})

test('a campaign that is not known is left out until it comes, and one without claims is not', async () => {
  const [known, coming] = [aClaimable(), aClaimable()]
  await shared.save(known)
  const ask = () => activity(shared, `campaignId=${coming.id},${known.id}`)
  const idle = { claims: intervals(48, {}), ...nothing, previous: nothing }
  expect((await ask()).campaigns).toMatchObject([{ id: known.id, ...idle }])
  await shared.save(coming)
  expect((await ask()).campaigns).toMatchObject([known, coming].map(({ id }) => ({ id, ...idle })))
})

test('a claimant counts once in an interval, and all campaigns are told together', async () => {
  await using api = await borrowTestApp()
  api.setNow(NOW)
  const [one, other] = [aClaimable(), aClaimable()]
  const claimant = anAddress('claimant of several')
  const claimed = [
    [one, 5 * HOUR],
    [one, 6 * HOUR],
    [other, 6 * HOUR],
    [one, DAY],
  ] as const
  await api.save(one, other, ...claimed.map(([campaign, age]) => aClaimAgo(campaign, age, { claimant })))
  const days = 'interval=1d&since=2026-02-28T00:00:00Z&until=2026-03-02T00:00:00Z'
  expect(await activity(api, days)).toEqual({
    ...{ interval: '1d', since: '2026-02-28T00:00:00.000Z', until: '2026-03-02T00:00:00.000Z', intervalSeconds: DAY },
    campaigns: [
      {
        ...{ claims: [1, 3], amountUsd: ['0', '0'], claimants: [1, 1], unvaluedClaims: [1, 3] },
        ...{ totalClaims: 4, totalAmountClaimedUsd: 0, previous: nothing },
      },
    ],
  })
  const [entry] = (await activity(api, `${days}&campaignId=${one.id}`)).campaigns
  expect(entry).toMatchObject({ id: one.id, claims: [1, 2], claimants: [1, 1] })
  const [all] = (await activity(api, 'timeRange=24h')).campaigns
  expect(all).toMatchObject({ totalClaims: 3, previous: { totalClaims: 1 } })
  expect(all?.claimants).toEqual(intervals(48, { 35: 1, 37: 1 }))
  await api.save(aClaimAgo(other, 60, { claimant: anAddress('another') }))
  expect((await activity(api, days)).campaigns).toMatchObject([{ claims: [1, 4], claimants: [1, 2] }])
})

test('a range up to the last instant of a year with four digits ends with its last second', async () => {
  const range = 'interval=1d&since=9999-12-31T00:00:00Z&until=9999-12-31T23:59:59.999Z'
  expect((await activity(shared, range)).until).toBe('9999-12-31T23:59:59.000Z')
  const last = '9999-12-31T23:59:59.999Z'
  expect((await activity(shared, `interval=1d&since=${last}&until=${last}`)).since).toBe('9999-12-31T23:59:59.000Z')
})

test('a range of any instants is divided from its start on, to the second, and cut at its end', async () => {
  const campaign = aClaimable()
  const claimant = anAddress('claimant')
  const ages = [13, 12, 13 - 2 * HOUR, 12 - 2 * HOUR, 12 - 3 * HOUR, 2 - 3 * HOUR, 1 - 3 * HOUR]
  await shared.save(campaign, ...ages.map((age) => aClaimAgo(campaign, age, { claimant, amountUsd: '1' })))
  const ask = (since: string, until: string) =>
    activity(shared, `campaignId=${campaign.id}&interval=1h&since=${since}&until=${until}`)
  const range = { since: '2026-03-01T11:59:48.000Z', until: '2026-03-01T14:59:59.000Z' }
  const counted = {
    ...{ claims: [1, 1, 1, 2], amountUsd: ['1', '1', '1', '2'], claimants: [1, 1, 1, 1], unvaluedClaims: [0, 0, 0, 0] },
    ...{ totalClaims: 5, totalAmountClaimedUsd: 5, previous: { totalClaims: 1, totalAmountClaimedUsd: 1 } },
  }
  const expected = { interval: '1h', ...range, intervalSeconds: HOUR, campaigns: [{ id: campaign.id, ...counted }] }
  expect(await ask(range.since, range.until)).toEqual(expected)
  // Blocks have whole seconds.
  expect(await ask('2026-03-01T11:59:47.000000001Z', '2026-03-01T14:59:58.5Z')).toEqual(expected)
  const empty = { claims: [], amountUsd: [], claimants: [], unvaluedClaims: [], ...nothing, previous: nothing }
  for (const until of [range.since, '2026-01-01T00:00:00.000Z']) {
    const none = { ...expected, since: range.since, until, campaigns: [{ id: campaign.id, ...empty }] }
    expect(await ask(range.since, until)).toEqual(none)
  }
})

test('a range that begins before 1970 is divided from its start on too', async () => {
  await using api = await borrowTestApp()
  const campaign = aClaimable()
  const claims = [0, 4, 10, 30, 100].map((hours) => aClaim(campaign, { blockTimestamp: String(hours * HOUR) }))
  await api.save(campaign, ...claims)
  for (const [since, interval, counts] of [
    ['1969-12-30T06:00:00Z', '1d', [0, 2, 1, 1, 0, 1]],
    ['1969-12-31T20:50:00Z', '1d', [3, 1, 0, 0, 1]],
    ['1969-12-31T21:40:00Z', '1h', [0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]],
    ['1969-12-17T00:00:00Z', '1w', [0, 0, 5]],
  ] as const) {
    const length = counts.length * { '1h': HOUR, '1d': DAY, '1w': 7 * DAY }[interval]
    const until = new Date(Date.parse(since) + length * 1000).toISOString()
    const [all] = (await activity(api, `interval=${interval}&since=${since}&until=${until}`)).campaigns
    expect(all?.claims, since).toEqual(counts)
  }
})

test('a claim of any incentive counts, whether the campaign is active or not', async () => {
  const incentives = [anErc20Incentive(anAddress('asset')), anErc20Incentive(anAddress('asset'), { limit: '0' })]
  const campaign = aCampaign({ incentives, endTime: '2025-01-01T00:00:00.000Z' })
  await shared.save(campaign, ...[0, 1].map((incentiveIndex) => aClaimAgo(campaign, 60, { incentiveIndex })))
  const { campaigns } = await activity(shared, `timeRange=1h&campaignId=${campaign.id}`)
  expect(campaigns).toMatchObject([{ totalClaims: 2, claims: intervals(60, { 58: 2 }) }])
})

test('totals are those of trending and of contracts', async () => {
  await using api = await borrowTestApp()
  const campaigns = Array.from({ length: 8 }, (_, index) =>
    aClaimable({ actionSteps: [aStep(anAddress(`target ${index}`))] }),
  )
  const claims = campaigns.flatMap((campaign, index) =>
    [1, HOUR - 1, HOUR, DAY - 1, DAY, DAY + 1, 7 * DAY - 1, 7 * DAY].flatMap((age) => [
      aClaimAgo(campaign, age, { amountUsd: `${index}.1234565` }),
      aClaimAgo(campaign, age + index, { amountUsd: '0.0000003' }),
    ]),
  )
  await api.save(...campaigns, ...claims)
  for (const later of [0, 1, 2, 700]) {
    api.setNow(new Date(NOW.getTime() + later * 1000))
    const reported = async (timeRange: string) => {
      const { campaigns: entries } = await activity(
        api,
        `timeRange=${timeRange}&campaignId=${campaigns.map(({ id }) => id)}`,
      )
      return new Map(
        entries.map(({ id, totalClaims, totalAmountClaimedUsd }) => [id, { totalClaims, totalAmountClaimedUsd }]),
      )
    }
    const [hour, day, week] = await Promise.all(['1h', '24h', '7d'].map(reported))
    const { trendingCampaigns } = (await api.get('/reward-kit/trending?tokenWhitelist=false')).json()
    expect(trendingCampaigns).toHaveLength(campaigns.length)
    for (const { id, usdDistributed1Hr, usdDistributed24Hr } of trendingCampaigns) {
      expect(hour?.get(id)?.totalAmountClaimedUsd).toBe(usdDistributed1Hr)
      expect(day?.get(id)?.totalAmountClaimedUsd).toBe(usdDistributed24Hr)
    }
    for (const [timeRange, totals] of [
      ['24h', day],
      ['7d', week],
    ] as const) {
      const contracts = (await api.get(`/explore/contracts?timeRange=${timeRange}&pageSize=100`)).json()
      const byTarget = new Map(
        contracts.map((entry: { address: string; stats: object }) => [entry.address, entry.stats]),
      )
      for (const [index, { id }] of campaigns.entries()) {
        expect(byTarget.get(anAddress(`target ${index}`))).toEqual({ campaignCount: 1, ...totals?.get(id) })
      }
    }
  }
})

test('answers are what the claims say, at any moment, of campaigns and of all together', async () => {
  await using api = await borrowTestApp({ RESPONSE_CACHE_MB: '0' })
  const campaigns = Array.from({ length: 4 }, () => aClaimable())
  // Where ranges begin and end: at any instant, second, hour, day or week (from Monday).
  const units = fc.constantFrom(0.001, 1, HOUR, DAY, 7 * DAY)
  const startOf = (milliseconds: number, unit: number) =>
    milliseconds - ((milliseconds - 4 * DAY * 1000) % (unit * 1000))
  const edges = Object.values(RANGES).flatMap(([count, length]) => [length, count * length, 2 * count * length])
  const ages = fc.oneof(
    fc.integer({ min: -100, max: 62 * DAY }),
    fc
      .tuple(fc.constantFrom(...edges), fc.integer({ min: 1, max: 5 }), fc.integer({ min: -2, max: 2 }))
      .map(([edge, times, offset]) => edge * times + offset),
  )
  const amounts = fc.constantFrom(null, '0', '1', '0.0000005', '0.333333333333', '123456789012345.000001')
  const sampled = fc.sample(fc.tuple(fc.constantFrom(...campaigns), ages, amounts), {
    numRuns: repeated(1200, 3000),
    seed: 7,
  })
  const records = [
    ...campaigns,
    ...sampled.map(([campaign, age, amountUsd], index) =>
      aClaimAgo(campaign, age, { amountUsd, claimant: anAddress(`claimant ${index % 90}`) }),
    ),
  ]
  await api.save(...records)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(RANGES)),
      fc.oneof(fc.integer({ min: -2 * HOUR, max: 2 * HOUR }), fc.integer({ min: -40 * DAY, max: 70 * DAY })),
      fc.integer({ min: 0, max: 999 }),
      fc.boolean(),
      fc.option(
        fc
          .oneof(
            fc.tuple(fc.constantFrom('1h', '1d', '1w'), fc.integer({ min: -1, max: 16 * DAY })),
            // About as long as claimants of all campaigns are counted, or longer.
            fc.tuple(fc.constantFrom('1d', '1w'), fc.integer({ min: 30 * DAY, max: 60 * DAY })),
          )
          .chain(([interval, length]) =>
            fc.record({
              ...{ interval: fc.constant(interval), length: fc.constant(length) },
              sinceUnit: units,
              untilUnit: units,
            }),
          ),
      ),
      async (timeRange, later, milliseconds, areAll, range) => {
        const now = new Date((seconds + later) * 1000 + milliseconds)
        const instant = (age: number, unit: number) => new Date(startOf(now.getTime() - age * 1000, unit)).toISOString()
        const query = {
          ...(!areAll && { campaignId: campaigns.map(({ id }) => id).join() }),
          ...(range === null
            ? { timeRange }
            : {
                interval: range.interval,
                since: instant(range.length, range.sinceUnit),
                until: instant(0, range.untilUnit),
              }),
        }
        api.setNow(now)
        const reported = await activity(api, String(new URLSearchParams(query)))
        expect(reported).toEqual(expectedActivity(records, query, now))
      },
    ),
    { numRuns: repeated(80, 240), seed: 8 },
  )
})

describe('a kept answer', () => {
  test('is given within the second, and not after it', async () => {
    await using api = await borrowTestApp()
    const campaign = aClaimable()
    await api.save(campaign, aClaimAgo(campaign, 0))
    const ask = (milliseconds: number) => {
      api.setNow(new Date(seconds * 1000 + milliseconds))
      return api.get(`/activity?timeRange=1h&campaignId=${campaign.id}`)
    }
    const first = await ask(0)
    expect((await ask(999)).body).toBe(first.body)
    expect((await ask(1000)).json()).toMatchObject({ until: '2026-03-01T12:00:01.000Z' })
    expect((await ask(HOUR * 1000)).json()).toMatchObject({
      campaigns: [{ totalClaims: 0, previous: { totalClaims: 1 } }],
    })
  })

  test('is not given once a claim has come, and outlives the claims of others', async () => {
    await using api = await borrowTestApp()
    api.setNow(NOW)
    const [campaign, other] = [aClaimable(), aClaimable()]
    await api.save(campaign, other)
    const ask = () => api.get(`/activity?campaignId=${campaign.id}`)
    const first = await ask()
    await api.save(aClaimAgo(other, 5))
    expect(
      (await api.get(`/activity?campaignId=${campaign.id}`, { 'if-none-match': String(first.headers.etag) }))
        .statusCode,
    ).toBe(304)
    await api.save(aClaimAgo(campaign, 5))
    expect((await ask()).json()).toMatchObject({ campaigns: [{ totalClaims: 1 }] })
  })
})

test('one that takes long is there at once, however often something is committed meanwhile', async () => {
  await using api = await borrowTestApp()
  const campaign = aClaimable()
  await api.save(campaign, aClaim(campaign))
  await setFollowed(api.database, 10, 100)
  await api.database.query(`alter function claims_by_interval rename to claims_by_interval_at_once;
    create function claims_by_interval(campaign bigint, since_before bigint, since bigint, until bigint, seconds integer)
    returns table (place integer, claim_count integer, amount_usd numeric, unvalued_count integer, claimant_count integer)
    language sql stable as 'select counted.* from pg_sleep(0.3), lateral claims_by_interval_at_once($1, $2, $3, $4, $5) counted'`)
  let isRead = false
  const writing = (async () => {
    for (; !isRead; await sleep(100)) await api.save(aClaim(campaign))
  })()
  let reads = 0
  const count = (message: unknown) => {
    if (Object(message).statement === 'list_activity') reads += 1
  }
  queryChannel.start.subscribe(count)
  const response = await api.get('/activity').finally(() => queryChannel.start.unsubscribe(count))
  isRead = true
  await writing
  expect(response.statusCode, response.body).toBe(200)
  expect(response.headers['x-as-of']).toBe('10:100')
  // Again only if something was committed just before it was read: five reads are the most that a response is given.
  expect(reads).toBeLessThanOrEqual(3)
})

test('blocks of a chain are refused where none is indexed', async () => {
  const response = await shared.get('/activity?minBlock=1:1')
  expect(response.statusCode).toBe(400)
  expect(response.json()).toEqual({ error: 'minBlock names chain 1, but no chain is indexed' })
})

test('fifty campaigns of the longest IDs can be asked for, which is as many as there may be', async () => {
  const longest = Array.from({ length: 50 }, (_, index) => `9007199254740991:${anAddress(index)}:${2n ** 256n - 1n}`)
  await shared.save(...longest.map((id) => aClaimable({ id })))
  const { campaigns } = await activity(shared, `campaignId=${encodeURIComponent(String(longest))}`)
  expect(campaigns).toHaveLength(50)
})

test('it is public, and not there where only the protected operations are served', async () => {
  await using staging = await borrowTestApp({ SURFACES: 'staging' })
  expect((await staging.get('/activity')).statusCode).toBe(404)
})
