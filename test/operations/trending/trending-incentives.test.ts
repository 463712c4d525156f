import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TrendingCampaign } from '../../../src/features/trending/trending-schemas.ts'
import type { CampaignRecord } from '../../../src/ingest/campaign-records.ts'
import type { ClaimRecord, ImportRecord, TokenRecord } from '../../../src/ingest/records.ts'
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

const HOUR = 3600

const DAY = 24 * HOUR

const ZERO = '0x0000000000000000000000000000000000000000'

const MAX = (2n ** 256n - 1n).toString()

const toSeconds = (instant: Date) => instant.getTime() / 1000

async function trending(api: BorrowedTestApp, query = ''): Promise<TrendingCampaign[]> {
  const response = await api.get(`/reward-kit/trending?${query}`)
  expect(response.statusCode, `${query}: ${response.body}`).toBe(200)
  const body = response.json()
  expect(Object.keys(body)).toEqual(['trendingCampaigns'])
  return body.trendingCampaigns
}

const idsOf = (campaigns: { id: string }[]) => campaigns.map(({ id }) => id)

type IncentiveRecord = CampaignRecord['incentives'][number]

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

describe('an incentive', () => {
  const dollar = aToken({ decimals: 6, priceUsd: '1.0001', symbol: 'USDC' })
  const ether = aToken({ priceUsd: '3120.55', symbol: 'WETH' })
  const native = aToken({ address: ZERO, priceUsd: '3000', symbol: 'ETH' })
  const unpriced = aToken({ decimals: 2, symbol: 'NONE' })
  const free = aToken({ decimals: 2, priceUsd: '0', symbol: 'FREE' })
  const whole = aToken({ decimals: 0, priceUsd: '2', symbol: 'ONE' })
  const fine = aToken({ decimals: 255, priceUsd: '2', symbol: 'FINE' })
  const half = aToken({ decimals: 7, priceUsd: '5', symbol: 'HALF' })
  const belowHalf = aToken({ decimals: 7, priceUsd: '4.999999999999999999999999999', symbol: 'BELOW' })
  const elsewhere = aToken({ chainId: 1, priceUsd: '2', symbol: 'L1' })
  const tokens = [dollar, ether, native, unpriced, free, whole, fine, half, belowHalf, elsewhere]
  const unknown = anAddress('unknown')

  const ofToken = (token: TokenRecord) => ({
    assetAddress: token.address,
    tokenSymbol: token.symbol,
    tokenImageUri: token.imageUri,
    metadata: {
      id: `8453:${token.address}`,
      chainId: 8453,
      address: token.address,
      decimals: token.decimals,
      name: token.name,
      symbol: token.symbol,
      imageUri: token.imageUri,
    },
  })
  const ofUnknown = { assetAddress: unknown, metadata: null }

  const criteria = { criteriaType: 0, signature: '0xabcd', fieldIndex: 0, targetContract: anAddress('criteria') }
  const scaled = { reward: '25000000000000000', limit: '1000000000', maxReward: '7500000' }
  const percent = { rewardPercentage: 2.5, rebatePercentage: 2.5 }
  const auction = (asset: string, initialReward: string) => ({
    ...{ type: 'CGDAIncentive', asset, initialReward, rewardDecay: '1', rewardBoost: '1', totalBudget: '999' },
  })
  const fixed = (asset: string, reward: string) => anErc20Incentive(asset, { reward })
  const points = (venue: string) => ({ type: 'PointsIncentive', venue, selector: '0x', reward: '1500', limit: '99' })
  const variable = (asset: string, reward: string) => ({
    ...{ type: 'ERC20VariableIncentive', asset, reward, limit: '1000000000' },
  })
  const pegged = (asset: string, peg: string, reward = '2000000') => ({
    ...{ type: 'ERC20PeggedIncentive', asset, peg, reward, limit: '1000000000' },
  })

  const computed = [
    { type: 'ERC20VariableCriteriaIncentive', criteria },
    { type: 'ERC20VariableCriteriaIncentiveV2', criteria: { ...criteria, valueType: 0 } },
  ]
  const peggedComputed = [
    { type: 'ERC20PeggedVariableCriteriaIncentive', criteria },
    { type: 'ERC20PeggedVariableCriteriaIncentiveV2', criteria: { ...criteria, valueType: 1 } },
  ]

  const cases: { title: string; incentive: IncentiveRecord; expected: Record<string, unknown> }[] = [
    {
      title: 'AllowListIncentive: has no amount',
      incentive: { type: 'AllowListIncentive', allowListAddress: inUpperCase(unknown), limit: '10' },
      expected: ofUnknown,
    },
    {
      title: 'CGDAIncentive: gives its initial reward',
      incentive: auction(dollar.address, '2500000'),
      expected: {
        ...{ ...ofToken(dollar), rewardAmount: '2500000', rewardAmountFormatted: '2.5', rewardUsdValue: 2.50025 },
      },
    },
    {
      title: 'CGDAIncentive: of an unknown token gives base units only',
      incentive: auction(unknown, '2500000'),
      expected: { ...ofUnknown, rewardAmount: '2500000' },
    },
    {
      title: 'PointsIncentive: gives the plain number',
      incentive: points(unknown),
      expected: { ...ofUnknown, rewardAmount: '1500', rewardAmountFormatted: '1500' },
    },
    {
      title: 'PointsIncentive: gives the plain number also where the venue is a known token',
      incentive: points(unpriced.address),
      expected: { ...ofToken(unpriced), rewardAmount: '1500', rewardAmountFormatted: '1500' },
    },
    {
      title: 'ERC20Incentive: gives its reward',
      incentive: fixed(inUpperCase(dollar.address), '1500000'),
      expected: {
        ...{ ...ofToken(dollar), rewardAmount: '1500000', rewardAmountFormatted: '1.5', rewardUsdValue: 1.50015 },
      },
    },
    {
      title: 'ERC20Incentive: of whole tokens has no decimal point',
      incentive: fixed(dollar.address, '1000000000'),
      expected: {
        ...{ ...ofToken(dollar), rewardAmount: '1000000000', rewardAmountFormatted: '1000', rewardUsdValue: 1000.1 },
      },
    },
    {
      title: 'ERC20Incentive: of 1 wei is written without exponent, and its value rounds to 0',
      incentive: fixed(ether.address, '1'),
      expected: {
        ...ofToken(ether),
        rewardAmount: '1',
        rewardAmountFormatted: '0.000000000000000001',
        rewardUsdValue: 0,
      },
    },
    {
      title: 'ERC20Incentive: is exact at 2^256 - 1',
      incentive: fixed(ether.address, MAX),
      expected: {
        ...ofToken(ether),
        rewardAmount: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
        rewardAmountFormatted: '115792089237316195423570985008687907853269984665640564039457.584007913129639935',
        rewardUsdValue: Number('361335004069507053629024437268861050851521650648364662113329363.775893'),
      },
    },
    {
      title: 'ERC20Incentive: of a token without decimals is the plain number',
      incentive: fixed(whole.address, MAX),
      expected: {
        ...ofToken(whole),
        rewardAmount: MAX,
        rewardAmountFormatted: MAX,
        rewardUsdValue: Number(2n * (2n ** 256n - 1n)),
      },
    },
    {
      title: 'ERC20Incentive: of a token of 255 decimals has all of them',
      incentive: fixed(fine.address, MAX),
      expected: {
        ...ofToken(fine),
        rewardAmount: MAX,
        rewardAmountFormatted: `0.${'0'.repeat(255 - 78)}${MAX}`,
        rewardUsdValue: 0,
      },
    },
    {
      title: 'ERC20Incentive: of nothing is "0"',
      incentive: fixed(dollar.address, '0'),
      expected: { ...ofToken(dollar), rewardAmount: '0', rewardAmountFormatted: '0', rewardUsdValue: 0 },
    },
    {
      title: 'ERC20Incentive: is valued half up at the sixth decimal',
      incentive: fixed(half.address, '1'),
      expected: {
        ...{ ...ofToken(half), rewardAmount: '1', rewardAmountFormatted: '0.0000001', rewardUsdValue: 0.000001 },
      },
    },
    {
      title: 'ERC20Incentive: is valued down below half',
      incentive: fixed(belowHalf.address, '1'),
      expected: { ...ofToken(belowHalf), rewardAmount: '1', rewardAmountFormatted: '0.0000001', rewardUsdValue: 0 },
    },
    {
      title: 'ERC20Incentive: is valued as decimals, not as binary fractions',
      // 0.2000001 x 5 = 1.0000005
      incentive: fixed(half.address, '2000001'),
      expected: {
        ...ofToken(half),
        rewardAmount: '2000001',
        rewardAmountFormatted: '0.2000001',
        rewardUsdValue: 1.000001,
      },
    },
    {
      title: 'ERC20Incentive: has no value where the price is unknown',
      incentive: fixed(unpriced.address, '150'),
      expected: { ...ofToken(unpriced), rewardAmount: '150', rewardAmountFormatted: '1.5' },
    },
    {
      title: 'ERC20Incentive: has the value 0 where the price is 0',
      incentive: fixed(free.address, '150'),
      expected: { ...ofToken(free), rewardAmount: '150', rewardAmountFormatted: '1.5', rewardUsdValue: 0 },
    },
    {
      title: 'ERC20Incentive: of an unknown token gives base units only',
      incentive: fixed(unknown, '150'),
      expected: { ...ofUnknown, rewardAmount: '150' },
    },
    {
      title: 'ERC20Incentive: does not take the token of another chain for its own',
      incentive: fixed(elsewhere.address, '150'),
      expected: { assetAddress: elsewhere.address, metadata: null, rewardAmount: '150' },
    },
    {
      title: 'ERC20VariableIncentive: gives its scalar, also in percent',
      incentive: variable(ether.address, '25000000000000000'),
      expected: {
        ...ofToken(ether),
        rewardAmount: '25000000000000000',
        rewardAmountFormatted: '0.025',
        rewardUsdValue: 78.01375,
        ...percent,
      },
    },
    {
      title: 'ERC20VariableIncentive: has no percentage where its reward is "0"',
      incentive: variable(ether.address, '0'),
      expected: { ...ofToken(ether), rewardAmount: '0', rewardAmountFormatted: '0', rewardUsdValue: 0 },
    },
    {
      title: 'ERC20VariableIncentive: has a percentage also of an unknown token, however small',
      incentive: variable(unknown, '3'),
      expected: { ...ofUnknown, rewardAmount: '3', rewardPercentage: 3e-16, rebatePercentage: 3e-16 },
    },
    ...computed.flatMap((variant) => [
      {
        title: `${variant.type}: gives the most that a claim can pay`,
        incentive: { ...variant, ...scaled, asset: dollar.address },
        expected: {
          ...ofToken(dollar),
          rewardAmount: '7500000',
          rewardAmountFormatted: '7.5',
          rewardUsdValue: 7.50075,
          maxReward: '7500000',
          maxRewardUsdValue: 7.50075,
          ...percent,
        },
      },
      {
        title: `${variant.type}: of an unknown token has base units and percentages only`,
        incentive: { ...variant, ...scaled, asset: unknown },
        expected: { ...ofUnknown, rewardAmount: '7500000', maxReward: '7500000', ...percent },
      },
    ]),
    ...[...computed, ...peggedComputed.map((variant) => ({ ...variant, peg: unknown }))].flatMap((variant) => [
      {
        title: `${variant.type}: has the rebate of its record`,
        incentive: { ...variant, ...scaled, asset: unknown, reward: '2000000000000000000', rebatePercentage: 0 },
        expected: {
          ...ofUnknown,
          rewardAmount: '7500000',
          maxReward: '7500000',
          rewardPercentage: 200,
          rebatePercentage: 0,
        },
      },
      {
        title: `${variant.type}: has the rebate of its record also where the reward is "0"`,
        incentive: { ...variant, ...scaled, asset: unknown, reward: '0', rebatePercentage: 0.5 },
        expected: { ...ofUnknown, rewardAmount: '7500000', maxReward: '7500000', rebatePercentage: 0.5 },
      },
      {
        title: `${variant.type}: has no percentage where the reward is "0"`,
        incentive: { ...variant, ...scaled, asset: unknown, reward: '0' },
        expected: { ...ofUnknown, rewardAmount: '7500000', maxReward: '7500000' },
      },
    ]),
    {
      title: 'ERC20PeggedIncentive: is counted and valued in its peg',
      incentive: pegged(ether.address, inUpperCase(dollar.address)),
      expected: {
        ...{ ...ofToken(ether), rewardAmount: '2000000', rewardAmountFormatted: '2', rewardUsdValue: 2.0002 },
      },
    },
    {
      title: 'ERC20PeggedIncentive: with the zero address as its peg is counted in the native token',
      incentive: pegged(dollar.address, ZERO, '500000000000000000'),
      expected: {
        ...ofToken(dollar),
        rewardAmount: '500000000000000000',
        rewardAmountFormatted: '0.5',
        rewardUsdValue: 1500,
      },
    },
    {
      title: 'ERC20PeggedIncentive: of an unknown peg is neither counted in whole tokens nor valued',
      incentive: pegged(dollar.address, unknown),
      expected: { ...ofToken(dollar), rewardAmount: '2000000' },
    },
    {
      title: 'ERC20PeggedIncentive: does not take the token of another chain for its peg',
      incentive: pegged(dollar.address, elsewhere.address),
      expected: { ...ofToken(dollar), rewardAmount: '2000000' },
    },
    {
      title: 'ERC20PeggedIncentive: of a peg without price is not valued, whatever its asset is worth',
      incentive: pegged(dollar.address, unpriced.address),
      expected: { ...ofToken(dollar), rewardAmount: '2000000', rewardAmountFormatted: '20000' },
    },
    {
      title: 'ERC20PeggedIncentive: of an unknown asset is counted in its peg all the same',
      incentive: pegged(unknown, dollar.address),
      expected: { ...ofUnknown, rewardAmount: '2000000', rewardAmountFormatted: '2', rewardUsdValue: 2.0002 },
    },
    ...peggedComputed.flatMap((variant) => [
      {
        title: `${variant.type}: is counted and valued in its peg`,
        incentive: { ...variant, ...scaled, asset: ether.address, peg: dollar.address },
        expected: {
          ...ofToken(ether),
          rewardAmount: '7500000',
          rewardAmountFormatted: '7.5',
          rewardUsdValue: 7.50075,
          maxReward: '7500000',
          maxRewardUsdValue: 7.50075,
          ...percent,
        },
      },
      {
        title: `${variant.type}: of an unknown peg is neither counted in whole tokens nor valued`,
        incentive: { ...variant, ...scaled, asset: ether.address, peg: unknown },
        expected: { ...ofToken(ether), rewardAmount: '7500000', maxReward: '7500000', ...percent },
      },
    ]),
  ]

  /** All cases are the incentives of one campaign, in their order. */
  let shown: unknown[]
  beforeAll(async () => {
    const campaign = aClaimable({ incentives: cases.map(({ incentive }) => incentive) })
    await shared.save(...tokens, ...claimed(campaign))
    shown = (await entryOf(campaign)).incentives
  })

  test('of each of the ten variants is in the cases below', () => {
    expect(new Set(cases.map(({ incentive }) => incentive.type)).size).toBe(10)
    expect(shown).toHaveLength(cases.length)
  })

  for (const [index, { title, incentive, expected }] of cases.entries()) {
    test(title, () => expect(shown[index]).toEqual({ type: incentive.type, ...expected }))
  }

  test('follows the price of its token', async () => {
    const token = aToken({ decimals: 1, priceUsd: null })
    const { chainId, address } = token
    const pricedAt = (at: string, priceUsd: string | null) => ({
      ...{ type: 'tokenPrice' as const, chainId, address, at, priceUsd },
    })
    const [first, second] = ['2025-01-01T00:00:00Z', '2025-02-01T00:00:00Z']
    const campaign = aClaimable({ incentives: [fixed(address, '15')] })
    await shared.save(pricedAt(first, '1'), token, ...claimed(campaign))
    expect((await entryOf(campaign)).incentives[0]?.rewardUsdValue).toBe(1.5)
    await shared.save(pricedAt(second, '0.1'))
    expect((await entryOf(campaign)).incentives[0]?.rewardUsdValue).toBe(0.15)
    // A record of the token without a price says nothing of prices.
    await shared.save({ ...token, priceUsd: null })
    expect((await entryOf(campaign)).incentives[0]?.rewardUsdValue).toBe(0.15)
    await shared.save(pricedAt(second, null))
    expect((await entryOf(campaign)).incentives[0]?.rewardUsdValue).toBe(1.5)
    await shared.save({ ...token, priceUsd: '0.2' })
    expect((await entryOf(campaign)).incentives[0]?.rewardUsdValue).toBe(0.3)
  })

  test('is worth nothing that is known once the price of its token is withdrawn', async () => {
    const token = aToken({ decimals: 1, priceUsd: null })
    const { chainId, address } = token
    const price = { type: 'tokenPrice' as const, chainId, address, at: '2025-01-01T00:00:00Z' }
    const campaign = aClaimable({ incentives: [fixed(address, '15')] })
    await shared.save({ ...price, priceUsd: '1' }, token, ...claimed(campaign))
    expect((await entryOf(campaign)).incentives[0]?.rewardUsdValue).toBe(1.5)
    await shared.save({ ...price, priceUsd: null })
    expect((await entryOf(campaign)).incentives[0]).not.toHaveProperty('rewardUsdValue')
  })
})

describe('the budget', () => {
  const [asset, other] = [anAddress('budget asset'), anAddress('other asset')]
  // Points and places name the address of the asset as theirs.
  const variants = anIncentiveOfEachVariant((word) =>
    ['asset', 'venue', 'allow list'].includes(word) ? asset : anAddress(word),
  ).map((complete) => {
    const { remainingBalance: _, claimedAmount: __, totalAmountClaimed: ___, totalClaims: ____, ...rest } = complete
    return rest as IncentiveRecord
  })
  const of = (type: string) => variants.find((variant) => variant.type === type) as IncentiveRecord
  const limited = variants.filter(({ type, limit }) => /ERC20(Variable|Pegged)/.test(type) && limit === '5000')
  const variable = (limit: string, parts: Record<string, unknown> = {}) => ({
    ...{ type: 'ERC20VariableIncentive', asset, reward: '1', limit, ...parts },
  })
  const cases: {
    title: string
    incentives: IncentiveRecord[]
    /** Amounts of the claims of each incentive. */
    claims: string[][]
    expected: [totalBudget: string, rewardsDistributed: string]
  }[] = [
    {
      title: 'of a POOL is reward x claims remaining, and what was claimed',
      incentives: [anErc20Incentive(asset, { reward: '100', limit: '7' })],
      claims: [['100', '200']],
      expected: ['1000', '300'],
    },
    {
      title: 'of a RAFFLE is its reward, and what was claimed',
      incentives: [anErc20Incentive(asset, { strategy: 1, reward: '100', limit: '7' })],
      claims: [['30']],
      expected: ['130', '30'],
    },
    {
      title: 'of a CGDAIncentive is its total budget',
      incentives: [of('CGDAIncentive')],
      claims: [['40']],
      expected: ['7000', '40'],
    },
    ...limited.flatMap((incentive): typeof cases => [
      {
        title: `of a ${incentive.type} is its limit`,
        incentives: [incentive],
        claims: [['15', '25']],
        expected: ['5000', '40'],
      },
      {
        title: `of a ${incentive.type} takes the amount claimed from the record that says it`,
        incentives: [{ ...incentive, claimedAmount: '1', totalAmountClaimed: '12', remainingBalance: '14' }],
        claims: [['40']],
        expected: ['26', '12'],
      },
    ]),
    ...[anErc20Incentive(asset), ...limited].map((incentive): (typeof cases)[number] => ({
      title: `of a ${incentive.type} with a recorded balance is that, and what was claimed`,
      incentives: [{ ...incentive, remainingBalance: '14' }],
      claims: [['40']],
      expected: ['54', '40'],
    })),
    {
      title: 'takes the amount claimed from the claims for ""',
      incentives: [variable('90', { totalAmountClaimed: '' })],
      claims: [['4']],
      expected: ['90', '4'],
    },
    {
      title: 'never counts less than nothing as left',
      incentives: [variable('100'), place],
      claims: [['140']],
      expected: ['140', '140'],
    },
    {
      title: 'sums all incentives of the same asset, in whatever case it is written',
      incentives: [variable('500'), of('CGDAIncentive'), variable('30', { asset: inUpperCase(asset) })],
      claims: [['1'], ['20'], ['3']],
      expected: ['7530', '24'],
    },
    {
      title: 'leaves incentives of another asset out',
      incentives: [variable('500'), variable('30', { asset: other })],
      claims: [['1'], ['20']],
      expected: ['500', '1'],
    },
    {
      title: 'is of the first token incentive, whatever comes before it',
      incentives: [place, of('PointsIncentive'), variable('30', { asset: other }), variable('500')],
      claims: [[], ['30'], ['3'], ['1']],
      expected: ['30', '3'],
    },
    {
      title: 'leaves points and places out, although they name the same address',
      incentives: [variable('500'), of('PointsIncentive'), of('AllowListIncentive')],
      claims: [['2'], ['30'], ['1']],
      expected: ['500', '2'],
    },
    {
      title: 'is "0" without a token incentive',
      incentives: [of('PointsIncentive'), of('AllowListIncentive')],
      claims: [['30']],
      expected: ['0', '0'],
    },
    {
      title: 'is exact beyond 2^256',
      incentives: [variable(MAX), variable(MAX)],
      claims: [[String(2n ** 255n)], [String(2n ** 255n + 1n)]],
      expected: [String(2n ** 257n - 2n), String(2n ** 256n + 1n)],
    },
  ]
  const prepared = cases.map(({ title, incentives, claims, expected }) => {
    const campaign = aClaimable({ incentives })
    const made = claims.flatMap((amounts, incentiveIndex) =>
      amounts.map((amount) => aClaimAgo(campaign, 60, { incentiveIndex, amount })),
    )
    return { title, campaign, records: [campaign, ...made], expected }
  })
  beforeAll(() => shared.save(...prepared.flatMap(({ records }) => records)))

  test('of each of the six variants with a limit in tokens is in the cases below', () => {
    expect(limited).toHaveLength(6)
  })

  for (const { title, campaign, expected } of prepared) {
    test(title, async () => {
      const { totalBudget, rewardsDistributed } = await entryOf(campaign)
      expect([totalBudget, rewardsDistributed]).toEqual(expected)
    })
  }
})

describe('volumes', () => {
  const cases: [title: string, amounts: (string | null)[], expected: number][] = [
    ['are sums', ['0.1', '0.2'], 0.3],
    ['round half up at the sixth decimal', ['0.0000005'], 0.000001],
    ['round down below half', ['0.00000049999999999999999999999'], 0],
    ['are rounded once: small parts add up', ['0.0000002', '0.0000002', '0.0000002'], 0.000001],
    ['are rounded once: halves are not both rounded up', ['0.0000005', '0.0000005'], 0.000001],
    ['are as near as a number can be to a huge sum', [`1${'0'.repeat(59)}`, `1${'0'.repeat(59)}`], 2e59],
    ['count an unknown value as 0', [null, '1.25', null], 1.25],
    ['are 0 where all values are unknown', [null], 0],
  ]
  const prepared = cases.map(([title, amounts, expected]) => {
    const campaign = aClaimable()
    const claims = amounts.map((amountUsd) => aClaimAgo(campaign, 60, { amountUsd }))
    return { title, campaign, records: [campaign, ...claims], expected }
  })
  beforeAll(() => shared.save(...prepared.flatMap(({ records }) => records)))

  for (const { title, campaign, expected } of prepared) {
    test(title, async () => {
      const { usdDistributed1Hr, usdDistributed24Hr } = await entryOf(campaign)
      expect([usdDistributed1Hr, usdDistributed24Hr]).toEqual([expected, expected])
    })
  }

  test('are not made from the price of the token where the value is unknown', async () => {
    const token = aToken({ decimals: 0, priceUsd: '7' })
    const campaign = aClaimable({ incentives: [anErc20Incentive(token.address)] })
    await shared.save(token, campaign, aClaimAgo(campaign, 60, { amount: '100', amountUsd: null }))
    const { claimCount, usdDistributed1Hr, usdDistributed24Hr, rewardsDistributed } = await entryOf(campaign)
    expect({ claimCount, usdDistributed1Hr, usdDistributed24Hr, rewardsDistributed }).toEqual({
      ...{ claimCount: 1, usdDistributed1Hr: 0, usdDistributed24Hr: 0, rewardsDistributed: '100' },
    })
  })

  test('are of the claims of all incentives, as their number is', async () => {
    const campaign = aClaimable({ incentives: [place, place] })
    await shared.save(
      campaign,
      aClaimAgo(campaign, 60, { incentiveIndex: 0, amountUsd: '1' }),
      aClaimAgo(campaign, 2 * HOUR, { incentiveIndex: 1, amountUsd: '2' }),
      aClaimAgo(campaign, 3 * DAY, { incentiveIndex: 1, amountUsd: '4' }),
    )
    const { claimCount, usdDistributed1Hr, usdDistributed24Hr } = await entryOf(campaign)
    expect([claimCount, usdDistributed1Hr, usdDistributed24Hr]).toEqual([3, 1, 3])
  })

  test('of the last hour and the last day are there whatever the period', async () => {
    const campaign = aClaimable()
    const claims = [aClaimAgo(campaign, 60, { amountUsd: '1' }), aClaimAgo(campaign, 2 * HOUR, { amountUsd: '2' })]
    await shared.save(campaign, ...claims)
    for (const query of ['', 'period=1h', 'period=24h']) {
      expect(await entryOf(campaign, query)).toMatchObject({ usdDistributed1Hr: 1, usdDistributed24Hr: 3 })
    }
  })
})
