import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TrendingCampaign } from '../../../src/features/trending/trending-schemas.ts'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import type { ClaimRecord, ImportRecord } from '../../../src/ingest/records.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../../setup/records.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'

const NOW = new Date('2026-01-01T00:00:00.000Z')

const HOUR = 3600

const DAY = 24 * HOUR

const CORE = anAddress('core')

const MAX = (2n ** 256n - 1n).toString()

const toSeconds = (instant: Date) => instant.getTime() / 1000

const fromSeconds = (seconds: number) => new Date(seconds * 1000)

async function trending(api: BorrowedTestApp, query = ''): Promise<TrendingCampaign[]> {
  const response = await api.get(`/reward-kit/trending?${query}`)
  expect(response.statusCode, `${query}: ${response.body}`).toBe(200)
  const body = response.json()
  expect(Object.keys(body)).toEqual(['trendingCampaigns'])
  return body.trendingCampaigns
}

const idsOf = (campaigns: { id: string }[]) => campaigns.map(({ id }) => id)

/** The IDs of those that are trending, in their order. */
const found = async (api: BorrowedTestApp, query = '') => idsOf(await trending(api, query))

/** Pays no token and is never spent here. */
const place = { type: 'AllowListIncentive', allowListAddress: anAddress('list'), limit: '1000000' }

/** A campaign that can be claimed, with an owner of its own. */
function aClaimable(parts: Partial<CampaignRecord> = {}): CampaignRecord {
  const campaign = aCampaign({ incentives: [place], ...parts })
  return { ...campaign, owner: parts.owner ?? anAddress(`owner of ${campaign.id}`) }
}

/** A claim so many seconds before an instant; a negative number is after it. */
const aClaimAgo = (campaign: CampaignRecord, seconds: number, parts: Partial<ClaimRecord> = {}, now = NOW) =>
  aClaim(campaign, { blockTimestamp: String(toSeconds(now) - seconds), ...parts })

/** Each campaign with one claim of unknown value, a minute ago: among themselves the newest comes first. */
const claimed = (...campaigns: CampaignRecord[]): ImportRecord[] =>
  campaigns.flatMap((campaign) => [campaign, aClaimAgo(campaign, 60)])

/** An app that several tests put campaigns of their own into. */
let shared: BorrowedTestApp

beforeAll(async () => {
  shared = await borrowTestApp()
  shared.setNow(NOW)
})

afterAll(() => shared[Symbol.asyncDispose]())

/** The entry of a campaign whose owner has no other. */
async function entryOf(campaign: CampaignRecord, query = ''): Promise<TrendingCampaign> {
  const entries = await trending(shared, `tokenWhitelist=false&owner=${campaign.owner}&${query}`)
  expect(idsOf(entries)).toEqual([campaign.id.toLowerCase()])
  return entries[0] as TrendingCampaign
}

describe('the window', () => {
  /*
   * Claims of the last windows are kept as totals that reach up to the latest import. Responses are the same whether they
   * are about that moment or another one, here in seconds from about the time of the import.
   */
  const present = Math.floor(Date.now() / 1000)
  /** How far into its second a moment is, in milliseconds. */
  const fractions = [0, 1, 999]
  const moments = [-100 * DAY, -DAY - HOUR, -HOUR / 2, 0, 300, HOUR / 2, 23 * HOUR, 100 * DAY]

  let api: BorrowedTestApp
  beforeAll(async () => {
    api = await borrowTestApp()
  })
  afterAll(() => api[Symbol.asyncDispose]())

  test('includes its last second and not the one before its first', async () => {
    // Powers of two: a sum says which claims are in it.
    const ages = { [DAY]: '1', [DAY - 1]: '2', [HOUR]: '4', [HOUR - 1]: '8', 0: '16', [-1]: '32', [-2]: '64' }
    const atMoments = moments.map((moment, index) => ({
      now: fromSeconds(present + moment),
      fraction: fractions[index % fractions.length] as number,
      campaign: aClaimable(),
    }))
    await api.save(
      ...atMoments.flatMap(({ now, campaign }) => [
        campaign,
        ...Object.entries(ages).map(([age, amountUsd]) => aClaimAgo(campaign, Number(age), { amountUsd }, now)),
      ]),
    )
    for (const { now, fraction, campaign } of atMoments) {
      const volumes = async (secondsLater: number) => {
        api.setNow(new Date(now.getTime() + secondsLater * 1000 + fraction))
        return (await trending(api, `owner=${campaign.owner}`)).map(
          ({ claimCount, usdDistributed1Hr, usdDistributed24Hr }) => [
            ...[claimCount, usdDistributed1Hr, usdDistributed24Hr],
          ],
        )
      }
      expect(await volumes(0)).toEqual([[7, 8 + 16, 2 + 4 + 8 + 16]])
      expect(await volumes(1)).toEqual([[7, 16 + 32, 4 + 8 + 16 + 32]])
      expect(await volumes(2)).toEqual([[7, 16 + 32 + 64, 4 + 8 + 16 + 32 + 64]])
      expect(await volumes(HOUR)).toEqual([[7, 32 + 64, 4 + 8 + 16 + 32 + 64]])
      expect(await volumes(HOUR + 1)).toEqual([[7, 64, 4 + 8 + 16 + 32 + 64]])
      expect(await volumes(DAY + 1)).toEqual([[7, 0, 64]])
      expect(await volumes(DAY + 2)).toEqual([])
    }
  })

  test('decides which campaigns are there', async () => {
    const ages = [DAY + 1, DAY, DAY - 1, HOUR + 1, HOUR, HOUR - 1, 1, 0, -1, -DAY]
    const atMoments = moments.map((moment, index) => {
      const owner = anAddress(`owner at ${moment}`)
      const now = fromSeconds(present + moment)
      const fraction = fractions[index % fractions.length] as number
      return { owner, now, fraction, campaigns: ages.map((age) => ({ age, campaign: aClaimable({ owner }) })) }
    })
    await api.save(
      ...atMoments.flatMap(({ now, campaigns }) =>
        campaigns.flatMap(({ age, campaign }) => [campaign, aClaimAgo(campaign, age, {}, now)]),
      ),
    )
    for (const { owner, now, fraction, campaigns } of atMoments) {
      const claimedAgo = (...wanted: number[]) =>
        idsOf(campaigns.filter(({ age }) => wanted.includes(age)).map(({ campaign }) => campaign)).toReversed()
      api.setNow(new Date(now.getTime() + fraction))
      expect(await found(api, `owner=${owner}&period=1h`)).toEqual(claimedAgo(HOUR - 1, 1, 0))
      const inTheDay = claimedAgo(DAY - 1, HOUR + 1, HOUR, HOUR - 1, 1, 0)
      expect(await found(api, `owner=${owner}&period=24h`)).toEqual(inTheDay)
      expect(await found(api, `owner=${owner}`)).toEqual(inTheDay)
    }
  })

  test('ranks as a plain count over the claims does', async () => {
    await using own = await borrowTestApp()
    let state = 20_260_101
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647
      return Math.floor((state / 2_147_483_647) * below)
    }
    const campaigns = Array.from({ length: 130 }, (_, identifier) => {
      const chain = 1 + (identifier % 2)
      const newest = random(2)
      const blockTimestamp = String(1_700_000_000 + newest)
      return { chain, identifier, newest, record: aClaimable({ id: `${chain}:${CORE}:${identifier}`, blockTimestamp }) }
    })
    const dayBeforeAndAfter = () => [random(2 * DAY) - DAY, random(2 * DAY) - DAY]
    const facts = Array.from({ length: 1500 }, () => ({
      identifier: random(campaigns.length),
      second: [random(100) - 50, -random(HOUR), random(HOUR), ...dayBeforeAndAfter()][random(5)] as number,
      tenths: [null, 0, 1, 2, 3][random(5)] as number | null,
    }))
    await own.save(
      ...campaigns.map(({ record }) => record),
      ...facts.map(({ identifier, second, tenths }) =>
        aClaim(campaigns[identifier]?.record as CampaignRecord, {
          blockTimestamp: String(present + second),
          amountUsd: tenths === null ? null : `0.${tenths}`,
        }),
      ),
    )
    const recount = (period: number, now: number) => {
      const countIn = (identifier: number, seconds: number) => {
        const inside = facts.filter(
          (fact) => fact.identifier === identifier && fact.second > now - seconds && fact.second <= now,
        )
        return { claims: inside.length, tenths: inside.reduce((sum, { tenths }) => sum + (tenths ?? 0), 0) }
      }
      return campaigns
        .map((campaign) => ({ ...campaign, ...countIn(campaign.identifier, period) }))
        .filter(({ claims }) => claims > 0)
        .toSorted(
          (a, b) =>
            b.tenths - a.tenths ||
            b.claims - a.claims ||
            b.newest - a.newest ||
            a.chain - b.chain ||
            a.identifier - b.identifier,
        )
        .slice(0, 100)
        .map(({ identifier, record }) => ({
          id: record.id,
          claimCount: facts.filter((fact) => fact.identifier === identifier).length,
          usdDistributed1Hr: countIn(identifier, HOUR).tenths / 10,
          usdDistributed24Hr: countIn(identifier, DAY).tenths / 10,
        }))
    }
    expect(recount(DAY, 0)).toHaveLength(100)
    for (const now of [-HOUR - 7, -HOUR / 2, 0, 7, HOUR / 2, 20 * HOUR]) {
      own.setNow(fromSeconds(present + now))
      for (const [period, seconds] of [
        ['1h', HOUR],
        ['24h', DAY],
      ] as const) {
        const expected = recount(seconds, now)
        expect(expected.length).toBeGreaterThan(5)
        const entries = await trending(own, `period=${period}`)
        expect(
          entries.map(({ id, claimCount, usdDistributed1Hr, usdDistributed24Hr }) => ({
            ...{ id, claimCount, usdDistributed1Hr, usdDistributed24Hr },
          })),
        ).toEqual(expected)
      }
    }
  })
})

describe('the order', () => {
  const volumes = (text: string) => text.split(' ').map((amount) => (amount === '?' ? null : amount))
  const huge = `1${'0'.repeat(40)}`
  /** Campaigns by the values of their claims (`?`: unknown), the first is the oldest; and the order of their names. */
  const cases: [title: string, campaigns: Record<string, string>, expected: string[]][] = [
    [
      'is by US dollars first',
      { five: '2 3', thousand: '1000', none: '0 0 0', twenty: '20' },
      ['thousand', 'twenty', 'five', 'none'],
    ],
    ['is by claims among equal US dollars', { two: '4 2', three: '2 2 2', one: '6' }, ['three', 'two', 'one']],
    [
      'is newest first among equal US dollars and claims',
      { older: '1', newer: '1', newest: '1' },
      ['newest', 'newer', 'older'],
    ],
    [
      'counts a claim of unknown value as 0 US dollars, and as a claim',
      { unknown: '? ?', little: '0.000001', zero: '0' },
      ['little', 'unknown', 'zero'],
    ],
    [
      'tells volumes apart that are the same when rounded',
      { more: '1.0000002', less: '1.0000001', least: '1 0' },
      ['more', 'less', 'least'],
    ],
    [
      'tells volumes apart that are the same as numbers',
      { more: `${huge}.${'0'.repeat(40)}2`, less: `${huge}.${'0'.repeat(40)}1` },
      ['more', 'less'],
    ],
    [
      'takes equal sums for equal, as decimals are',
      { sum: '0.1 0.2', three: '0.1 0.1 0.1', one: '0.3' },
      ['three', 'sum', 'one'],
    ],
  ]
  const prepared = cases.map(([title, campaigns, expected]) => {
    const owner = anAddress(title)
    const records = Object.entries(campaigns).flatMap(([campaignName, amounts]) => {
      const campaign = aClaimable({ owner, campaignName })
      return [campaign, ...volumes(amounts).map((amountUsd) => aClaimAgo(campaign, 60, { amountUsd }))]
    })
    return { title, owner, records, expected }
  })
  beforeAll(() => shared.save(...prepared.flatMap(({ records }) => records)))

  for (const { title, owner, expected } of prepared) {
    test(title, async () => {
      for (const period of ['1h', '24h']) {
        const entries = await trending(shared, `owner=${owner}&period=${period}`)
        expect(entries.map(({ campaignName }) => campaignName)).toEqual(expected)
      }
    })
  }

  test('is by the volume of the period asked for', async () => {
    const owner = anAddress('owner of the periods')
    const [slow, quick, busy] = [aClaimable({ owner }), aClaimable({ owner }), aClaimable({ owner })]
    await shared.save(
      ...[slow, quick, busy],
      aClaimAgo(slow, 2 * HOUR, { amountUsd: '1000' }),
      aClaimAgo(slow, 60, { amountUsd: '1' }),
      aClaimAgo(quick, 60, { amountUsd: '2' }),
      aClaimAgo(busy, 60, { amountUsd: '1' }),
      aClaimAgo(busy, 60),
      aClaimAgo(busy, 2 * DAY, { amountUsd: '5000' }),
    )
    expect(await found(shared, `owner=${owner}`)).toEqual(idsOf([slow, quick, busy]))
    expect(await found(shared, `owner=${owner}&period=24h`)).toEqual(idsOf([slow, quick, busy]))
    expect(await found(shared, `owner=${owner}&period=1h`)).toEqual(idsOf([quick, busy, slow]))
  })

  test('of equals ascends by chain, core address and identifier as a number', async () => {
    const [low, high] = [`0x${'0'.repeat(39)}a`, `0x${'f'.repeat(40)}`]
    const ids = [
      ...[`2:${low}:0`, `2:${low}:9`, `2:${low}:10`, `2:${low}:100`, `2:${low}:${MAX}`],
      ...[`2:${high}:1`, `2:${high}:2`],
      ...[`10:${low}:1`, `10:${high}:0`],
      ...[`8453:${low}:3`],
    ]
    const shuffled = [...ids.filter((_, index) => index % 2 === 0).toReversed(), ...ids.filter((_, i) => i % 2 === 1)]
    const owner = anAddress('owner of equals')
    await shared.save(...claimed(...shuffled.map((id) => aClaimable({ id, owner, blockTimestamp: '1750000000' }))))
    expect(await found(shared, `owner=${owner}`)).toEqual(ids)
    expect(await found(shared, `owner=${owner}&period=1h`)).toEqual(ids)
  })
})

test('a claim of the future counts in what has no window, and nowhere else', async () => {
  const token = aToken({ decimals: 0 })
  const campaign = aClaimable({ incentives: [anErc20Incentive(token.address, { reward: '10', limit: '3' })] })
  const onlyLater = aClaimable({ owner: campaign.owner })
  await shared.save(
    ...[token, campaign, onlyLater],
    aClaimAgo(campaign, 60, { amount: '10', amountUsd: '1' }),
    aClaimAgo(campaign, -1, { amount: '10', amountUsd: '2' }),
    aClaimAgo(campaign, -DAY, { amount: '10', amountUsd: '4' }),
    aClaimAgo(onlyLater, -1, { amountUsd: '8' }),
  )
  expect(await entryOf(campaign)).toMatchObject({
    claimCount: 3,
    totalBudget: '60',
    rewardsDistributed: '30',
    usdDistributed1Hr: 1,
    usdDistributed24Hr: 1,
  })
})

describe('there are', () => {
  test('at most 100, the foremost', async () => {
    await using api = await borrowTestApp()
    api.setNow(NOW)
    const campaigns = Array.from({ length: 105 }, (_, index) =>
      aClaimable({ distributionChannels: index < 102 ? ['web'] : ['app'] }),
    )
    await api.save(
      ...campaigns.flatMap((campaign, index) => [campaign, aClaimAgo(campaign, 60, { amountUsd: String(index) })]),
    )
    const ranked = idsOf(campaigns.toReversed())
    for (const query of ['', 'period=1h', 'period=24h']) expect(await found(api, query)).toEqual(ranked.slice(0, 100))
    expect(await found(api, 'distributionChannel=web')).toEqual(ranked.slice(3, 103))
    expect(await found(api, `owner=${campaigns[0]?.owner}`)).toEqual(ranked.slice(104))
  })

  test('active campaigns only', async () => {
    const owner = anAddress('owner of active ones')
    const token = aToken()
    const one = { limit: '1' }
    const active = [
      aClaimable({ owner }),
      aClaimable({ owner, startTime: '2026-01-01T00:00:00.000Z', endTime: '2026-01-01T00:00:00.001Z' }),
      aClaimable({ owner, maxParticipants: '2' }),
      aClaimable({ owner, incentives: [{ ...place, ...one }, place] }),
    ]
    const inactive = [
      aClaimable({ owner, endTime: '2026-01-01T00:00:00.000Z' }),
      aClaimable({ owner, startTime: '2026-01-01T00:00:00.001Z' }),
      aClaimable({ owner, maxParticipants: '1' }),
      aClaimable({ owner, incentives: [{ ...place, ...one }] }),
      aClaimable({ owner, incentives: [anErc20Incentive(token.address, { limit: '0' })] }),
      aClaimable({ owner, incentives: [anErc20Incentive(token.address, { remainingBalance: '0' })] }),
    ]
    await shared.save(token, ...claimed(...active, ...inactive))
    expect(await found(shared, `owner=${owner}`)).toEqual(idsOf(active.toReversed()))
  })

  test('those that are active at the moment of the answer, with nothing written in between', async () => {
    await using api = await borrowTestApp()
    const ending = aClaimable({ endTime: '2026-01-01T00:00:00.500Z' })
    const starting = aClaimable({ startTime: '2026-01-01T00:00:00.250Z' })
    await api.save(...claimed(ending, starting))
    const at = async (instant: string) => {
      api.setNow(new Date(instant))
      return found(api)
    }
    expect(await at('2026-01-01T00:00:00.249Z')).toEqual(idsOf([ending]))
    expect(await at('2026-01-01T00:00:00.250Z')).toEqual(idsOf([starting, ending]))
    expect(await at('2026-01-01T00:00:00.499Z')).toEqual(idsOf([starting, ending]))
    expect(await at('2026-01-01T00:00:00.500Z')).toEqual(idsOf([starting]))
  })

  test('no campaigns without a claim in the period', async () => {
    const owner = anAddress('owner of unclaimed ones')
    const [recent, old] = [aClaimable({ owner }), aClaimable({ owner })]
    await shared.save(recent, old, aClaimable({ owner }), aClaimAgo(recent, 60), aClaimAgo(old, 2 * DAY))
    expect(await found(shared, `owner=${owner}`)).toEqual([recent.id])
  })
})
