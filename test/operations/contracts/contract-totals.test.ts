import { Big } from 'big.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aStep, inUpperCase } from '../../setup/records.ts'
import { repeated } from '../../setup/repetitions.ts'
import {
  A,
  aCampaignOn,
  at,
  B,
  C,
  claims,
  D,
  entry,
  explore,
  figures,
  found,
  NOW,
  OWNER,
  page,
  RANGES,
  sorts,
} from '../../setup/requests/contracts.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'

const ranges = Object.entries(RANGES)

/** An app for tests that look at contracts on a chain of their own. */
let shared: BorrowedTestApp

let chains = 100

const aChain = () => {
  chains += 1
  return chains
}

beforeAll(async () => {
  shared = await borrowTestApp()
  shared.setNow(NOW)
})

afterAll(() => shared[Symbol.asyncDispose]())

describe('the figures', () => {
  test('are of all claims without a time range, whenever they were made, of unknown value too', async () => {
    const chainId = aChain()
    const campaign = aCampaignOn([A], {}, chainId)
    await shared.save(
      campaign,
      aClaim(campaign, { blockTimestamp: '0', amountUsd: '1' }),
      aClaim(campaign, { blockTimestamp: at(0), amountUsd: '2' }),
      aClaim(campaign, { blockTimestamp: '253402300799', amountUsd: '4' }),
      aClaim(campaign, { blockTimestamp: at(0), amountUsd: null }),
      aClaim(campaign, { blockTimestamp: at(0) }),
      aClaim(campaign, { blockTimestamp: at(0), amountUsd: '0' }),
    )
    expect(await figures(shared, chainId)).toEqual([1, 6, 7])
    expect(await figures(shared, chainId, `creator=${OWNER}`)).toEqual([1, 6, 7])
    expect(await figures(shared, chainId, 'timeRange=24h')).toEqual([1, 4, 2])
    expect(await figures(shared, chainId, `timeRange=24h&creator=${OWNER}`)).toEqual([1, 4, 2])
  })

  // The import keeps totals up to the real present; answers are about any moment.
  const present = new Date(Math.floor(Date.now() / 1000) * 1000)
  const moments = [
    ['long before the import', NOW],
    ['shortly before the import', new Date(present.getTime() - 90_000)],
    ['at the import', present],
    ['some days after the import', new Date(present.getTime() + 3 * 86_400_000)],
    ['long after the import', new Date(present.getTime() + 90 * 86_400_000)],
  ] as const
  describe.each(moments)('of a time range are exact to the second: %s', (_, now) => {
    test.each(ranges)('%s', async (timeRange, seconds) => {
      const chainId = aChain()
      const campaign = aCampaignOn([A], {}, chainId)
      await shared.save(
        campaign,
        // Powers of two: the sum says which of them counted.
        ...[-seconds - 1, -seconds, -seconds + 1, -1, 0, 1, 2].map((age, index) =>
          aClaim(campaign, { blockTimestamp: at(age, now), amountUsd: String(2 ** index) }),
        ),
      )
      const edges = [
        [-1000, [3, 2 + 4 + 8]],
        [-1, [3, 2 + 4 + 8]],
        [0, [3, 4 + 8 + 16]],
        [1, [3, 4 + 8 + 16]],
        [999, [3, 4 + 8 + 16]],
        [1000, [3, 8 + 16 + 32]],
        [1999, [3, 8 + 16 + 32]],
        [2000, [4, 8 + 16 + 32 + 64]],
      ] as const
      for (const [milliseconds, expected] of edges) {
        shared.setNow(new Date(now.getTime() + milliseconds))
        for (const query of ['', `creator=${OWNER}&`]) {
          const counted = await figures(shared, chainId, `${query}timeRange=${timeRange}`)
          expect({ query, milliseconds, counted }).toEqual({ query, milliseconds, counted: [1, ...expected] })
        }
      }
      expect(await figures(shared, chainId)).toEqual([1, 7, 127])
      shared.setNow(NOW)
    })
  })

  test('are zeros of a contract without a claim in the time range', async () => {
    await using api = await borrowTestApp()
    api.setNow(NOW)
    const [claimed, unclaimed] = [aCampaignOn([A]), aCampaignOn([B])]
    await api.save(claimed, unclaimed, ...claims(claimed, 2, { blockTimestamp: at(-30_000) }))
    for (const query of ['', `&creator=${OWNER}`]) {
      expect(await explore(api, `timeRange=24h${query}`)).toStrictEqual([entry(A, [1, 2, 2]), entry(B, [1, 0, 0])])
      // None of both has a claim: the newest first.
      expect(await explore(api, `timeRange=6h${query}`)).toStrictEqual([entry(B, [1, 0, 0]), entry(A, [1, 0, 0])])
    }
  })

  const tiny = `0.${'0'.repeat(59)}1`
  const sums: [title: string, amounts: string[], expected: number][] = [
    ['half up at the sixth decimal', ['0.0000005'], 0.000001],
    ['down below half', [`0.0000004${'9'.repeat(53)}`], 0],
    ['once, after the sum: halves are not both rounded up', ['0.0000005', '0.0000005'], 0.000001],
    ['once, after the sum: small parts add up', ['0.0000002', '0.0000002', '0.0000002'], 0.000001],
    ['once, after the sum: it is the last of sixty decimals that decides', [`0.0000004${'9'.repeat(53)}`, tiny], 1e-6],
    ['exactly: tenths are tenths', ['0.1', '0.2', '0.3'], 0.6],
    ['exactly: the small next to the large', ['1000000000', '0.0000014', '0.0000001'], 1_000_000_000.000002],
  ]
  test.each(sums)('in dollars are rounded %s', async (_, amounts, expected) => {
    const chainId = aChain()
    // Each of another campaign: nothing is rounded on the way.
    const made = amounts.map((amountUsd) => {
      const campaign = aCampaignOn([A], {}, chainId)
      return [campaign, aClaim(campaign, { amountUsd, blockTimestamp: at(-60) })]
    })
    // What comes into the window and leaves it again leaves no trace.
    const passing = aCampaignOn([A], {}, chainId)
    await shared.save(...made.flat(), passing, ...claims(passing, 7, { amountUsd: '0.1', blockTimestamp: at(-86_400) }))
    const counted = [amounts.length + 1, amounts.length, expected]
    expect(await figures(shared, chainId, 'timeRange=24h')).toEqual(counted)
    expect(await figures(shared, chainId, `timeRange=24h&creator=${OWNER}`)).toEqual(counted)
    const [, , dollars] = await figures(shared, chainId)
    expect(dollars).toBe(Number(new Big(expected).plus('0.7').toFixed()))
  })

  test('slide with the clock: what leaves a window is gone in the next answer, with nothing written', async () => {
    await using api = await borrowTestApp()
    const kept = () => api.database.query('select * from claim_windows, contract_claim_totals totals')
    const now = new Date()
    const [older, newer] = [aCampaignOn([A]), aCampaignOn([B])]
    await api.save(
      ...[older, newer],
      ...claims(older, 2, { blockTimestamp: at(-21_600 + 600, now) }),
      ...claims(newer, 1, { blockTimestamp: at(-60, now) }),
      ...claims(newer, 1, { blockTimestamp: at(900, now), amountUsd: '5' }),
    )
    const before = await kept()
    const responseAfter = async (seconds: number) => {
      api.setNow(new Date(now.getTime() + 1000 * seconds))
      return explore(api, 'timeRange=6h')
    }
    expect(await responseAfter(0)).toStrictEqual([entry(A, [1, 2, 2]), entry(B, [1, 1, 1])])
    expect(await responseAfter(599)).toStrictEqual([entry(A, [1, 2, 2]), entry(B, [1, 1, 1])])
    expect(await responseAfter(600)).toStrictEqual([entry(B, [1, 1, 1]), entry(A, [1, 0, 0])])
    expect(await responseAfter(900)).toStrictEqual([entry(B, [1, 2, 6]), entry(A, [1, 0, 0])])
    expect(await responseAfter(21_539)).toStrictEqual([entry(B, [1, 2, 6]), entry(A, [1, 0, 0])])
    expect(await responseAfter(21_540)).toStrictEqual([entry(B, [1, 1, 5]), entry(A, [1, 0, 0])])
    expect(await responseAfter(22_500)).toStrictEqual([entry(B, [1, 0, 0]), entry(A, [1, 0, 0])])
    expect(await kept()).toEqual(before)
  })

  test('are the same whether or not the kept totals have been moved on', async () => {
    await using api = await borrowTestApp({ RESPONSE_CACHE_MB: '0' })
    const now = new Date()
    const campaign = aCampaignOn([A])
    await api.save(
      campaign,
      ...[-3600, -90_000, 0].flatMap((age) => claims(campaign, 1, { blockTimestamp: at(age, now) })),
    )
    api.setNow(now)
    await api.database.query('update claim_windows set as_of = 1000; truncate campaign_claim_totals')
    await api.database.query(
      'update contract_claim_totals set claim_count = 0, amount_usd = 0 where window_seconds > 0',
    )
    expect(await explore(api, 'timeRange=24h')).toStrictEqual([entry(A, [1, 2, 2])])
    await api.database.query('select advance_claim_windows()')
    expect(await explore(api, 'timeRange=24h')).toStrictEqual([entry(A, [1, 2, 2])])
    expect(await explore(api, 'timeRange=7d')).toStrictEqual([entry(A, [1, 3, 3])])
    expect(await explore(api, `timeRange=6h&creator=${OWNER}`)).toStrictEqual([entry(A, [1, 2, 2])])
  })
})

describe('after an import the next answer', () => {
  test('knows its campaigns and claims', async () => {
    await using api = await borrowTestApp()
    api.setNow(NOW)
    expect(await explore(api)).toEqual([])
    const campaign = aCampaignOn([A])
    await api.save(campaign)
    expect(await explore(api)).toStrictEqual([entry(A, [1, 0, 0])])
    await api.save(...claims(campaign, 2, { blockTimestamp: at(-60) }))
    await api.save(...claims(campaign, 1, { blockTimestamp: at(-30_000) }), aCampaignOn([A, B]))
    for (const [query, ofA] of [
      ['', [2, 3, 3]],
      ['timeRange=6h', [2, 2, 2]],
      ['timeRange=24h', [2, 3, 3]],
      [`creator=${OWNER}&timeRange=7d`, [2, 3, 3]],
    ] as const) {
      expect(await explore(api, query)).toStrictEqual([entry(A, [...ofA]), entry(B, [1, 0, 0])])
    }
    // Again the same, and nothing changes.
    await api.save(campaign)
    expect(await explore(api)).toStrictEqual([entry(A, [2, 3, 3]), entry(B, [1, 0, 0])])
  })

  test('knows which contracts a replaced campaign has left and come to; its claims go with it', async () => {
    await using api = await borrowTestApp()
    api.setNow(NOW)
    const [moving, staying] = [aCampaignOn([A, B]), aCampaignOn([A])]
    await api.save(
      ...[moving, staying],
      ...claims(moving, 2, { blockTimestamp: at(-60) }),
      ...claims(staying, 1, { blockTimestamp: at(-30_000), amountUsd: '0.5' }),
    )
    expect(await explore(api)).toStrictEqual([entry(A, [2, 3, 2.5]), entry(B, [1, 2, 2])])
    await api.save({ ...moving, actionSteps: [aStep(B), aStep(C)] })
    for (const query of ['', 'timeRange=24h', `creator=${OWNER}`, `creator=${OWNER}&timeRange=7d`]) {
      const now = [entry(B, [1, 2, 2]), entry(C, [1, 2, 2]), entry(A, [1, 1, 0.5])]
      expect(await explore(api, query)).toStrictEqual(now)
    }
    const recent = [entry(B, [1, 2, 2]), entry(C, [1, 2, 2]), entry(A, [1, 0, 0])]
    expect(await explore(api, 'timeRange=6h')).toStrictEqual(recent)
    await api.save({ ...moving, actionSteps: null }, aCampaignOn([D], { blockTimestamp: '1' }))
    expect(await explore(api)).toStrictEqual([entry(A, [1, 1, 0.5]), entry(D, [1, 0, 0])])
    await api.save({ ...moving, actionSteps: [aStep(A), aStep(inUpperCase(A))] }, { ...staying, actionSteps: [] })
    expect(await explore(api)).toStrictEqual([entry(A, [1, 2, 2]), entry(D, [1, 0, 0])])
  })

  test('knows the newest campaign of a contract, also when the newest leaves or becomes older', async () => {
    await using api = await borrowTestApp()
    const order = () => found(api, 'sortBy=recently-deployed')
    const [old, middle, recent] = ['10', '30', '50'].map((blockTimestamp) => aCampaignOn([A], { blockTimestamp })) as [
      ...[CampaignRecord, CampaignRecord, CampaignRecord],
    ]
    // B is at 20, C at 40: where A stands among them says which campaign is its newest.
    await api.save(old, aCampaignOn([B], { blockTimestamp: '20' }), aCampaignOn([C], { blockTimestamp: '40' }))
    expect(await order()).toEqual([C, B, A])
    await api.save(middle)
    expect(await order()).toEqual([C, A, B])
    await api.save(recent)
    expect(await order()).toEqual([A, C, B])
    await api.save({ ...recent, actionSteps: [aStep(D)], blockTimestamp: '5' })
    expect(await order()).toEqual([C, A, B, D])
    await api.save(recent)
    expect(await order()).toEqual([A, C, B])
    await api.save({ ...recent, blockTimestamp: '20' })
    expect(await order()).toEqual([C, A, B])
    await api.save({ ...recent, blockTimestamp: '41' }, { ...middle, blockTimestamp: '11' })
    expect(await order()).toEqual([A, C, B])
    await api.save({ ...recent, blockTimestamp: '11' }, { ...middle, actionSteps: null })
    expect(await order()).toEqual([C, B, A])
    await api.save({ ...old, blockTimestamp: '60' })
    expect(await order()).toEqual([A, C, B])
    expect(await found(api, 'sortBy=recently-deployed&timeRange=7d')).toEqual([A, C, B])
    expect(await found(api, `sortBy=recently-deployed&creator=${OWNER}`)).toEqual([A, C, B])
    await api.save({ ...old, actionSteps: null }, { ...recent, actionSteps: null })
    expect(await order()).toEqual([C, B])
  })

  test('knows a replaced claim: of another campaign, another time, another amount', async () => {
    await using api = await borrowTestApp()
    const now = new Date()
    api.setNow(now)
    const [from, to] = [aCampaignOn([A]), aCampaignOn([B])]
    const claim = aClaim(from, { amountUsd: '3', blockTimestamp: at(-60, now) })
    const counted = async (query: string) =>
      (await explore(api, query))
        .toSorted((a, b) => (a.address < b.address ? -1 : 1))
        .map(({ stats }) => `${stats.totalClaims} of ${stats.totalAmountClaimedUsd}`)
    const expectCounts = async (inSixHours: string[], inSevenDays: string[], ofAll: string[]) => {
      for (const creator of ['', `&creator=${OWNER}`]) {
        expect(await counted(`timeRange=6h${creator}`)).toEqual(inSixHours)
        expect(await counted(`timeRange=7d${creator}`)).toEqual(inSevenDays)
        expect(await counted(creator)).toEqual(ofAll)
      }
    }
    await api.save(from, to, claim)
    await expectCounts(['1 of 3', '0 of 0'], ['1 of 3', '0 of 0'], ['1 of 3', '0 of 0'])
    await api.save({ ...claim, amountUsd: '0.000001' })
    await expectCounts(['1 of 0.000001', '0 of 0'], ['1 of 0.000001', '0 of 0'], ['1 of 0.000001', '0 of 0'])
    await api.save({ ...claim, campaignId: to.id })
    await expectCounts(['0 of 0', '1 of 3'], ['0 of 0', '1 of 3'], ['0 of 0', '1 of 3'])
    await api.save({ ...claim, blockTimestamp: at(-30_000, now) })
    await expectCounts(['0 of 0', '0 of 0'], ['1 of 3', '0 of 0'], ['1 of 3', '0 of 0'])
    await api.save({ ...claim, campaignId: to.id, blockTimestamp: at(600, now), amountUsd: null })
    await expectCounts(['0 of 0', '0 of 0'], ['0 of 0', '0 of 0'], ['0 of 0', '1 of 0'])
    await api.save({ ...claim, blockTimestamp: at(-700_000, now) })
    await expectCounts(['0 of 0', '0 of 0'], ['0 of 0', '0 of 0'], ['1 of 3', '0 of 0'])
    await api.save({ ...claim, blockTimestamp: at(0, now) })
    await expectCounts(['1 of 3', '0 of 0'], ['1 of 3', '0 of 0'], ['1 of 3', '0 of 0'])
  })
})

describe('any answer', () => {
  const present = Math.floor(Date.now() / 1000)
  const creators = [anAddress('creator 1'), anAddress('creator 2')]
  const targets = Array.from({ length: 9 }, (_, index) => ({
    chainId: [1, 10, 8453][index % 3] as number,
    targetContract: anAddress(`target ${index}`),
  }))
  const campaigns = Array.from({ length: 24 }, (_, index) =>
    aCampaign({
      blockTimestamp: String(1_750_000_000 + (index % 5)),
      creator: creators[index % 3] ?? null,
      incentives: [anErc20Incentive(anAddress('asset'))],
      actionSteps: targets
        .filter((_, place) => (index * 7 + place * 5) % 4 === 0)
        .map(({ targetContract, chainId }) => aStep(targetContract, chainId)),
    }),
  )
  const ages = [
    0, 1, 3600, 21_599, 21_600, 30_000, 86_399, 86_400, 200_000, 604_799, 604_800, 700_000, -1, -500, -90_000,
  ]
  const amounts = ['0', null, '1', '0.0000005', '0.1', '0.0000004999', '2']
  const made = Array.from({ length: 90 }, (_, index) =>
    aClaim(campaigns[(index * 11) % 17] as CampaignRecord, {
      blockTimestamp: String(present - (ages[index % ages.length] as number)),
      amountUsd: amounts[index % amounts.length] as string | null,
    }),
  )
  const instants = [...new Set(made.map(({ blockTimestamp }) => Number(blockTimestamp)))].flatMap((time) =>
    [0, ...Object.values(RANGES)].flatMap((seconds) => [time + seconds - 1, time + seconds]),
  )

  let api: BorrowedTestApp
  beforeAll(async () => {
    // Without a memory of responses: the clock goes forward and back.
    api = await borrowTestApp({ RESPONSE_CACHE_MB: '0' })
    await api.save(...campaigns, ...made)
  })
  afterAll(() => api[Symbol.asyncDispose]())

  interface Query {
    sortBy: string | undefined
    timeRange: keyof typeof RANGES | undefined
    chainIds: number[] | undefined
    creator: string | undefined
  }

  /** The same from the records alone, in plain TypeScript. */
  function expectedOf({ sortBy, timeRange, chainIds, creator }: Query, now: number) {
    const all = targets.flatMap(({ chainId, targetContract }) => {
      const own = campaigns.filter(
        (campaign) =>
          campaign.actionSteps?.some((step) => step.targetContract === targetContract) &&
          (creator === undefined || (campaign.creator ?? campaign.owner) === creator),
      )
      if (own.length === 0 || !(chainIds ?? [chainId]).includes(chainId)) return []
      const counted = made.filter(({ campaignId, blockTimestamp }) => {
        const age = now - Number(blockTimestamp)
        const isInRange = timeRange === undefined || (age >= 0 && age < RANGES[timeRange])
        return isInRange && own.some(({ id }) => id === campaignId)
      })
      const spend = counted.reduce((sum, { amountUsd }) => sum.plus(amountUsd ?? 0), new Big(0))
      const newest = Math.max(...own.map(({ blockTimestamp }) => Number(blockTimestamp)))
      return [{ chainId, address: targetContract, campaignCount: own.length, claims: counted.length, spend, newest }]
    })
    type Found = (typeof all)[number]
    const completions = (a: Found, b: Found) => b.claims - a.claims
    const dollars = (a: Found, b: Found) => b.spend.cmp(a.spend)
    const recency = (a: Found, b: Found) => b.newest - a.newest
    const chosen = { 'total-spend': dollars, 'recently-deployed': recency }[sortBy ?? ''] ?? completions
    const place = (a: Found, b: Found) => a.chainId - b.chainId || (a.address < b.address ? -1 : 1)
    return all
      .toSorted((a, b) => [chosen, completions, dollars, recency, place].reduce((order, by) => order || by(a, b), 0))
      .map(({ chainId, address, campaignCount, claims: totalClaims, spend }) => ({
        ...{ chainId, address, name: '' },
        stats: { campaignCount, totalClaims, totalAmountClaimedUsd: spend.round(6, Big.roundHalfUp).toNumber() },
      }))
  }

  test('is what the records say, whatever is asked and at whatever moment', async () => {
    const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 3 })
    const query = fc.record<Query>({
      sortBy: maybe(fc.constantFrom(...sorts)),
      timeRange: maybe(fc.constantFrom('6h', '24h', '7d')),
      chainIds: maybe(fc.subarray([1, 10, 8453], { minLength: 1 })),
      creator: maybe(fc.constantFrom(...creators, anAddress('owner'))),
    })
    const paging = fc.record({ page: fc.integer({ min: 1, max: 4 }), pageSize: fc.integer({ min: 0, max: 10 }) })
    await fc.assert(
      fc.asyncProperty(query, paging, fc.constantFrom(...instants), async (asked, { page: number, pageSize }, now) => {
        api.setNow(new Date(now * 1000))
        const given = Object.entries(asked).filter(([, value]) => value !== undefined)
        const text = given.map(([name, value]) => `&${name}=${value}`).join('')
        const expected = expectedOf(asked, now)
        const { contracts, total } = await page(api, `page=${number}&pageSize=${pageSize}${text}`)
        expect(contracts).toEqual(expected.slice((number - 1) * pageSize, number * pageSize))
        expect(total).toBe(String(expected.length))
      }),
      { numRuns: repeated(100, 400) },
    )
  })
})
