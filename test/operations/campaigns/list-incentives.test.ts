import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CampaignListItem, ListCampaignsResponse } from '../../../src/features/campaigns/campaign-schemas.ts'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import type { ImportRecord, TokenRecord } from '../../../src/ingest/records.ts'
import { incentiveTypes } from '../../../src/schemas/campaigns/incentives.ts'
import {
  aCampaign,
  aClaim,
  anAddress,
  anErc20Incentive,
  anIncentiveOfEachVariant,
  aToken,
  inUpperCase,
} from '../../setup/records.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'

const NOW = new Date('2026-01-01T00:00:00.000Z')

const CORE = '0xea11a7937809b8585e63b12cc86bf91a72a5b08a'

const MAX = (2n ** 256n - 1n).toString()

async function list(api: BorrowedTestApp, query = ''): Promise<ListCampaignsResponse> {
  const response = await api.get(`/campaigns?${query}`)
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

/** The one item there is, whatever its tokens. */
async function theOnly(api: BorrowedTestApp): Promise<CampaignListItem> {
  const { campaigns } = await list(api, 'tokenWhitelist=false')
  expect(campaigns).toHaveLength(1)
  return campaigns[0] as CampaignListItem
}

/** An app that several tests put campaigns of their own into; it never holds more than a page of them. */
let shared: BorrowedTestApp

beforeAll(async () => {
  shared = await borrowTestApp()
  shared.setNow(NOW)
})

afterAll(() => shared[Symbol.asyncDispose]())

/** The item of the one campaign among these records. */
async function listed(...records: ImportRecord[]): Promise<CampaignListItem> {
  await shared.save(...records)
  const { campaigns } = await list(shared, 'tokenWhitelist=false&pageSize=100')
  const wanted = records.find(({ type }) => type === 'campaign') as CampaignRecord
  const item = campaigns.find(({ id }) => id === wanted.id.toLowerCase())
  if (item === undefined) throw new Error(`campaign ${wanted.id} is not listed`)
  return item
}

describe('incentives', () => {
  test('of all variants are read back field by field, addresses lower-case', async () => {
    const token = aToken({ address: anAddress('asset') })
    const item = await listed(
      token,
      aCampaign({ incentives: anIncentiveOfEachVariant((word) => inUpperCase(anAddress(word))) }),
    )
    const metadata = {
      id: `8453:${token.address}`,
      chainId: 8453,
      address: token.address,
      decimals: 18,
      name: 'Test Token',
      symbol: 'TEST',
      imageUri: 'https://images.example/test.png',
    }
    const withoutMetadata = ['AllowListIncentive', 'CGDAIncentive', 'PointsIncentive']
    const expected = anIncentiveOfEachVariant(anAddress).map((incentive) =>
      withoutMetadata.includes(incentive.type) ? incentive : { ...incentive, metadata },
    )
    expect(expected).toHaveLength(incentiveTypes.length)
    expect(item.incentives).toStrictEqual(expected)
    expect(item.incentiveCount).toBe(String(incentiveTypes.length))
  })

  test('have no optional field that is unknown, and metadata null where the token is', async () => {
    const optional = ['remainingBalance', 'rebatePercentage', 'claimedAmount', 'totalAmountClaimed', 'totalClaims']
    const least = anIncentiveOfEachVariant(anAddress).map(
      (incentive) =>
        Object.fromEntries(
          Object.entries(incentive).filter(([key]) => !optional.includes(key)),
        ) as CampaignRecord['incentives'][number],
    )
    const withoutFigures = ['AllowListIncentive', 'CGDAIncentive', 'PointsIncentive']
    const item = await listed(aCampaign({ id: `10:${CORE}:1`, incentives: least }))
    expect(item.incentives).toStrictEqual(
      least.map((incentive) =>
        withoutFigures.includes(incentive.type)
          ? incentive
          : { ...incentive, claimedAmount: '0', totalAmountClaimed: '0', totalClaims: '0', metadata: null },
      ),
    )
  })

  test('keep a required text that is empty', async () => {
    const points = { type: 'PointsIncentive', venue: anAddress('venue'), selector: '', reward: '1', limit: '2' }
    expect((await listed(aCampaign({ incentives: [points] }))).incentives).toStrictEqual([points])
  })

  test('show the token of their own chain only', async () => {
    const token = aToken({ chainId: 1, address: anAddress('asset') })
    const item = await listed(
      token,
      aCampaign({ id: `10:${CORE}:2`, incentives: [anErc20Incentive(anAddress('asset'))] }),
    )
    expect(item.incentives[0]).toHaveProperty('metadata', null)
  })

  describe('have claim figures', () => {
    const figures = async (parts: Record<string, unknown>, amounts: string[]) => {
      const campaign = aCampaign({
        incentives: [
          { type: 'ERC20VariableIncentive', asset: anAddress('asset'), reward: '1', limit: MAX },
          { type: 'ERC20VariableIncentive', asset: anAddress('asset'), reward: '1', limit: MAX, ...parts },
        ],
      })
      const claims = amounts.map((amount) => aClaim(campaign, { incentiveIndex: 1, amount }))
      const item = await listed(campaign, aClaim(campaign, { incentiveIndex: 0, amount: '999' }), ...claims)
      const { claimedAmount, totalAmountClaimed, totalClaims } = item.incentives[1] as Record<string, unknown>
      return { claimedAmount, totalAmountClaimed, totalClaims }
    }

    test('of the record where it says them, whatever has been claimed', async () => {
      expect(await figures({ claimedAmount: '1', totalAmountClaimed: '2', totalClaims: '3' }, ['40', '50'])).toEqual({
        claimedAmount: '1',
        totalAmountClaimed: '2',
        totalClaims: '3',
      })
    })

    test('derived from the claims of the incentive where the record is silent', async () => {
      expect(await figures({}, ['40', '50'])).toEqual({
        claimedAmount: '90',
        totalAmountClaimed: '90',
        totalClaims: '2',
      })
    })

    test('derived where the record says ""', async () => {
      expect(await figures({ claimedAmount: '', totalAmountClaimed: '', totalClaims: '' }, ['40', '50', '0'])).toEqual({
        claimedAmount: '90',
        totalAmountClaimed: '90',
        totalClaims: '3',
      })
    })

    test('of "0" where nothing is recorded and nothing claimed', async () => {
      expect(await figures({ claimedAmount: '' }, [])).toEqual({
        claimedAmount: '0',
        totalAmountClaimed: '0',
        totalClaims: '0',
      })
    })

    test('each by itself, and a derived claimedAmount equals the total amount claimed', async () => {
      expect(await figures({ claimedAmount: '', totalAmountClaimed: '7' }, ['40'])).toEqual({
        claimedAmount: '7',
        totalAmountClaimed: '7',
        totalClaims: '1',
      })
      expect(await figures({ claimedAmount: '7' }, ['40'])).toEqual({
        claimedAmount: '7',
        totalAmountClaimed: '40',
        totalClaims: '1',
      })
    })

    test('that are exact sums', async () => {
      expect(await figures({}, [MAX, '1'])).toEqual({
        claimedAmount: (2n ** 256n).toString(),
        totalAmountClaimed: (2n ** 256n).toString(),
        totalClaims: '2',
      })
    })
  })
})

describe('availableBudgetUsd', () => {
  const ASSET = anAddress('asset')
  const asset = { asset: ASSET }
  const token = (parts: Partial<TokenRecord> = {}) =>
    aToken({ address: ASSET, decimals: 6, priceUsd: '2', whitelisted: true, ...parts })
  const least = Object.fromEntries(
    anIncentiveOfEachVariant(anAddress).map((variant) => {
      const { remainingBalance: _, claimedAmount: __, totalAmountClaimed: ___, totalClaims: ____, ...rest } = variant
      return [variant.type, rest]
    }),
  ) as Record<string, CampaignRecord['incentives'][number]>
  const of = (type: string, parts: Record<string, unknown> = {}) => ({
    ...(least[type] as CampaignRecord['incentives'][number]),
    ...parts,
  })
  const budgeted = [
    ...['ERC20VariableIncentive', 'ERC20VariableCriteriaIncentive', 'ERC20VariableCriteriaIncentiveV2'],
    ...['ERC20PeggedIncentive', 'ERC20PeggedVariableCriteriaIncentive', 'ERC20PeggedVariableCriteriaIncentiveV2'],
  ]
  const million = { limit: '1000000' }

  const cases: {
    title: string
    incentives: CampaignRecord['incentives']
    tokens?: TokenRecord[]
    claims?: string[]
    expected: string | null
  }[] = [
    {
      title: 'is reward x limit for a POOL',
      incentives: [anErc20Incentive(ASSET, { reward: '500000', limit: '7' })],
      claims: ['500000'],
      expected: '7',
    },
    {
      title: 'is the reward for a RAFFLE',
      incentives: [anErc20Incentive(ASSET, { strategy: 1, reward: '500000', limit: '7' })],
      expected: '1',
    },
    {
      title: 'is totalBudget - amount claimed for a CGDAIncentive',
      incentives: [of('CGDAIncentive', { totalBudget: '1000000' })],
      claims: ['250000', '250000'],
      expected: '1',
    },
    {
      title: 'is never below 0 for a CGDAIncentive',
      incentives: [of('CGDAIncentive', { totalBudget: '1000000' })],
      claims: ['1000001'],
      expected: '0',
    },
    ...budgeted.flatMap((type) => [
      { title: `is limit x price for an unclaimed ${type}`, incentives: [of(type, million)], expected: '2' },
      {
        title: `is limit - recorded amount claimed for a ${type}`,
        incentives: [of(type, { ...million, totalAmountClaimed: '250000', claimedAmount: '1' })],
        claims: ['999'],
        expected: '1.5',
      },
      {
        title: `is limit - derived amount claimed for a ${type}`,
        incentives: [of(type, { ...million, totalAmountClaimed: '' })],
        claims: ['250000', '500000'],
        expected: '0.5',
      },
      {
        title: `is never below 0 for a ${type}`,
        incentives: [of(type, { ...million, totalAmountClaimed: '1000001' })],
        expected: '0',
      },
    ]),
    ...['ERC20Incentive', ...budgeted].map((type) => ({
      title: `is the remaining balance where it is recorded for a ${type}`,
      incentives: [of(type, { ...million, totalAmountClaimed: '250000', remainingBalance: '1500000' })],
      expected: '3',
    })),
    {
      title: 'is the sum over all token incentives, whatever else there is',
      incentives: [
        of('ERC20VariableIncentive', million),
        of('AllowListIncentive'),
        of('CGDAIncentive', { asset: anAddress('other'), totalBudget: '3' }),
        of('PointsIncentive'),
        of('ERC20PeggedIncentive', million),
      ],
      tokens: [token(), aToken({ address: anAddress('other'), decimals: 0, priceUsd: '0.1' })],
      expected: '4.3',
    },
    {
      title: 'rounds half up at the sixth decimal',
      incentives: [of('ERC20VariableIncentive', { limit: '1' })],
      tokens: [token({ decimals: 7, priceUsd: '5' })],
      expected: '0.000001',
    },
    {
      title: 'rounds down below half',
      incentives: [of('ERC20VariableIncentive', { limit: '1' })],
      tokens: [token({ decimals: 7, priceUsd: '4.999999999999999999999999999' })],
      expected: '0',
    },
    {
      title: 'is rounded once, after the sum: small parts add up',
      incentives: [1, 2, 3].map(() => of('ERC20VariableIncentive', { limit: '1' })),
      tokens: [token({ decimals: 7, priceUsd: '4' })],
      expected: '0.000001',
    },
    {
      title: 'is rounded once, after the sum: halves are not both rounded up',
      incentives: [1, 2].map(() => of('ERC20VariableIncentive', { limit: '1' })),
      tokens: [token({ decimals: 7, priceUsd: '5' })],
      expected: '0.000001',
    },
    {
      title: 'is exact near 2^256',
      incentives: [of('ERC20VariableIncentive', { limit: MAX })],
      tokens: [token({ decimals: 18, priceUsd: '3120.55' })],
      // 115792089237316195423570985008687907853269984665640564039457584007913129639935 × 3120.55 ÷ 10^18
      expected: '361335004069507053629024437268861050851521650648364662113329363.775893',
    },
    {
      title: 'is exact where the product is far beyond 2^256',
      incentives: [anErc20Incentive(ASSET, { reward: MAX, limit: MAX })],
      tokens: [token({ decimals: 0, priceUsd: '1' })],
      expected: ((2n ** 256n - 1n) * (2n ** 256n - 1n)).toString(),
    },
    {
      title: 'is exact for a token of 255 decimals',
      incentives: [anErc20Incentive(ASSET, { reward: MAX, limit: MAX })],
      tokens: [token({ decimals: 255, priceUsd: `1${'0'.repeat(59)}` })],
      expected: '0',
    },
    {
      title: 'is 0 for a price of 0',
      incentives: [of('ERC20VariableIncentive')],
      tokens: [token({ priceUsd: '0' })],
      expected: '0',
    },
    { title: 'is null for a campaign without incentives', incentives: [], expected: null },
    {
      title: 'is null without a token incentive',
      incentives: [of('PointsIncentive', { venue: ASSET }), of('AllowListIncentive', { allowListAddress: ASSET })],
      expected: null,
    },
    {
      title: 'is null where the token is unknown',
      incentives: [of('ERC20VariableIncentive')],
      tokens: [],
      expected: null,
    },
    {
      title: 'is null where the token is known on another chain only',
      incentives: [of('ERC20VariableIncentive')],
      tokens: [token({ chainId: 1 })],
      expected: null,
    },
    {
      title: 'is null where the price is null',
      incentives: [of('ERC20VariableIncentive', asset)],
      tokens: [token({ priceUsd: null })],
      expected: null,
    },
    {
      title: 'is null where one price of two is unknown, even with nothing left of it',
      incentives: [
        of('ERC20VariableIncentive', million),
        of('ERC20VariableIncentive', { asset: anAddress('other'), remainingBalance: '0' }),
      ],
      tokens: [token(), aToken({ address: anAddress('other') })],
      expected: null,
    },
  ]

  const onChainsOfTheirOwn = cases.map(({ title, incentives, tokens = [token()], claims = [], expected }, index) => {
    const chainId = 100_000 + index
    const campaign = aCampaign({ id: `${chainId}:${CORE}:1`, incentives })
    const known = tokens.map((record) => (record.chainId === 1 ? record : { ...record, chainId }))
    const made = claims.map((amount) => aClaim(campaign, { amount }))
    return { title, campaign, expected, records: [...known, campaign, ...made] }
  })

  let budgets: Map<string, string | null>
  beforeAll(async () => {
    await using api = await borrowTestApp()
    await api.save(...onChainsOfTheirOwn.flatMap(({ records }) => records))
    const { campaigns } = await list(api, 'tokenWhitelist=false&pageSize=100')
    budgets = new Map(campaigns.map(({ id, availableBudgetUsd }) => [id, availableBudgetUsd]))
  })

  for (const { title, campaign, expected } of onChainsOfTheirOwn) {
    test(title, () => expect(budgets.get(campaign.id)).toBe(expected))
  }

  test('follows the price of the token', async () => {
    await using api = await borrowTestApp()
    await api.save(token(), aCampaign({ incentives: [of('ERC20VariableIncentive', million)] }))
    expect((await theOnly(api)).availableBudgetUsd).toBe('2')
    await api.save(token({ priceUsd: '0.123456789' }))
    expect((await theOnly(api)).availableBudgetUsd).toBe('0.123457')
  })
})
