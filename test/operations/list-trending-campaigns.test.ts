import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TrendingCampaign } from '../../src/features/trending/trending-schemas.ts'
import type {
  CampaignRecord,
  ClaimRecord,
  ClaimSignatureRecord,
  ImportRecord,
  TokenRecord,
} from '../../src/ingest/records.ts'
import {
  aCampaign,
  aClaim,
  aHash,
  anAccessList,
  anActionTemplate,
  anAddress,
  anErc20Incentive,
  anIncentiveOfEachVariant,
  aStep,
  aToken,
  inUpperCase,
} from '../setup/records.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

const NOW = new Date('2026-01-01T00:00:00.000Z')
const HOUR = 3600
const DAY = 24 * HOUR
const CORE = anAddress('core')
const ZERO = '0x0000000000000000000000000000000000000000'
const MAX = (2n ** 256n - 1n).toString()

const toSeconds = (instant: Date) => instant.getTime() / 1000
const fromSeconds = (seconds: number) => new Date(seconds * 1000)

async function trending(api: TestApp, query = ''): Promise<TrendingCampaign[]> {
  const response = await api.get(`/reward-kit/trending?${query}`)
  expect(response.statusCode, `${query}: ${response.body}`).toBe(200)
  const body = response.json()
  expect(Object.keys(body)).toEqual(['trendingCampaigns'])
  return body.trendingCampaigns
}

const idsOf = (campaigns: { id: string }[]) => campaigns.map(({ id }) => id)

/** The IDs of those that are trending, in their order. */
const found = async (api: TestApp, query = '') => idsOf(await trending(api, query))

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

const aSignature = (campaign: CampaignRecord, claimant: string, incentiveId = 0): ClaimSignatureRecord => ({
  type: 'claimSignature',
  campaignId: campaign.id,
  incentiveId,
  claimant,
  signature: `0xSigned${incentiveId}`,
  referrer: anAddress('referrer'),
})

/** An app that several tests put campaigns of their own into. */
let shared: TestApp
beforeAll(async () => {
  shared = await startTestApp()
  shared.setNow(NOW)
})
afterAll(() => shared[Symbol.asyncDispose]())

/** The entry of a campaign whose owner has no other. */
async function entryOf(campaign: CampaignRecord, query = ''): Promise<TrendingCampaign> {
  const entries = await trending(shared, `tokenWhitelist=false&owner=${campaign.owner}&${query}`)
  expect(idsOf(entries)).toEqual([campaign.id.toLowerCase()])
  return entries[0] as TrendingCampaign
}

describe('an entry', () => {
  test('has every field, with what the records say', async () => {
    await using api = await startTestApp()
    api.setNow(NOW)
    const user = anAddress('user')
    const [usdc, aero] = [anAddress('usdc'), anAddress('aero')]
    const campaign: CampaignRecord = {
      type: 'campaign',
      id: '8453:0x378632819F39C74C4F56B1429E760739C5FB51B7:12',
      action: anAddress('action'),
      budget: anAddress('budget'),
      owner: anAddress('owner'),
      validator: anAddress('validator'),
      blockTimestamp: '1731373464',
      txHash: inUpperCase(aHash('complete')),
      protocolFee: '1000',
      maxParticipants: '10',
      incentives: [
        {
          type: 'ERC20VariableCriteriaIncentiveV2',
          asset: inUpperCase(usdc),
          reward: '25000000000000000',
          limit: '50000000000',
          maxReward: '25000000',
          rebatePercentage: 1.25,
          criteria: {
            criteriaType: 0,
            signature: '0xabcd',
            fieldIndex: 1,
            targetContract: anAddress('criteria'),
            valueType: 1,
          },
        },
        { type: 'AllowListIncentive', allowListAddress: inUpperCase(anAddress('vip list')), limit: '5' },
      ],
      allowList: {
        owner: anAddress('owner'),
        contractAddress: anAddress('allow list'),
        type: 'SimpleAllowList',
        addresses: [inUpperCase(user)],
      },
      actionSteps: [aStep(anAddress('target'))],
      campaignIndex: '42',
      creator: anAddress('creator'),
      campaignName: 'Swap on Base',
      templateId: 'template-1',
      actionTemplateId: '5f0c3f0e-8f0c-4b4f-9f3c-0d6f2f5a1c01',
      customAction: true,
      nftImageUri: 'nft image',
      nftName: 'nft name',
      nftMetadataId: 'nft metadata',
      projectImageUri: 'project image',
      projectUrl: 'https://project.example',
      tokenImageUri: 'token image',
      startTime: '2025-06-01T00:00:00Z',
      endTime: '2026-02-01T00:00:00.5Z',
      verificationLevel: 'high',
      distributionChannels: ['web'],
      autocampaignId: 'auto',
      actionToken: { chainId: 10, address: inUpperCase(aero) },
      nftCollection: { chainId: 1, address: anAddress('collection') },
    }
    await api.save(
      aToken({ address: inUpperCase(usdc), decimals: 6, name: 'USD Coin', symbol: 'USDC', priceUsd: '1.0001' }),
      {
        type: 'token',
        chainId: 10,
        address: inUpperCase(aero),
        decimals: 18,
        name: 'Aerodrome',
        symbol: 'AERO',
        imageUri: 'https://images.example/aero.png',
        priceUsd: '1.214309170001',
        marketCap: 1_050_000_000.5,
        priceChange24Hr: -1.75,
        volume24Hr: 48_200_000.25,
        holders: 610_000,
      },
      anActionTemplate({
        id: '5f0c3f0e-8f0c-4b4f-9f3c-0d6f2f5a1c01',
        projectId: 'aerodrome',
        actionType: 'swap',
        projectImage: 'https://images.example/aerodrome.png',
        description: 'Swap into the token',
        category: 'defi',
      }),
      campaign,
      aClaimAgo(campaign, 10, { amount: '9000000', amountUsd: '9.0009' }),
      aClaimAgo(campaign, 2 * HOUR, { amount: '1000000', amountUsd: '1.0001' }),
      aClaimAgo(campaign, 3 * DAY, { amount: '500000', amountUsd: '0.5' }),
      { ...aSignature(campaign, inUpperCase(user), 1), referrer: inUpperCase(anAddress('referrer')) },
    )
    const response = await api.get(`/reward-kit/trending?user=${user}&includeTokenMetadata=true`)
    expect(response.statusCode, response.body).toBe(200)
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(response.json()).toEqual({
      trendingCampaigns: [
        {
          id: '8453:0x378632819f39c74c4f56b1429e760739c5fb51b7:12',
          chainId: 8453,
          incentives: [
            {
              type: 'ERC20VariableCriteriaIncentiveV2',
              assetAddress: usdc,
              rewardAmount: '25000000',
              rewardAmountFormatted: '25',
              rewardUsdValue: 25.0025,
              maxReward: '25000000',
              maxRewardUsdValue: 25.0025,
              rewardPercentage: 2.5,
              rebatePercentage: 1.25,
              tokenSymbol: 'USDC',
              tokenImageUri: 'https://images.example/test.png',
              metadata: {
                id: `8453:${usdc}`,
                chainId: 8453,
                address: usdc,
                decimals: 6,
                name: 'USD Coin',
                symbol: 'USDC',
                imageUri: 'https://images.example/test.png',
              },
            },
            { type: 'AllowListIncentive', assetAddress: anAddress('vip list'), metadata: null },
          ],
          actionTemplate: {
            id: '5f0c3f0e-8f0c-4b4f-9f3c-0d6f2f5a1c01',
            projectId: 'aerodrome',
            actionType: 'swap',
            projectImage: 'https://images.example/aerodrome.png',
            description: 'Swap into the token',
            category: 'defi',
          },
          status: 'claimable',
          accessStatus: 'allowed',
          signature: {
            claimant: user,
            incentiveId: 1,
            signature: '0xSigned1',
            referrer: anAddress('referrer'),
          },
          txHash: aHash('complete'),
          blockTimestamp: '1731373464',
          campaignName: 'Swap on Base',
          nftImageUri: 'nft image',
          nftName: 'nft name',
          tokenImageUri: 'token image',
          projectUrl: 'https://project.example',
          startTime: '2025-06-01T00:00:00.000Z',
          endTime: '2026-02-01T00:00:00.500Z',
          verificationLevel: 'high',
          claimCount: 3,
          totalBudget: '50000000000',
          rewardsDistributed: '10500000',
          usdDistributed24Hr: 10.001,
          usdDistributed1Hr: 9.0009,
          actionTokenMetadata: {
            tokenSymbol: 'AERO',
            tokenContract: aero,
            chainId: 10,
            tokenImage: 'https://images.example/aero.png',
            decimals: 18,
            marketCap: 1_050_000_000.5,
            priceChange24Hr: -1.75,
            volume24Hr: 48_200_000.25,
            priceUsd: 1.21430917,
            holders: 610_000,
          },
        },
      ],
    })
  })

  test.each<[string, Partial<CampaignRecord>]>([
    ['nothing', {}],
    [
      'null',
      {
        ...{ allowList: null, actionSteps: null, actionClaimant: null, createdAtBlockchainNumbers: null },
        ...{ creator: null, campaignName: null, templateId: null, actionTemplateId: null, nftImageUri: null },
        ...{ nftName: null, nftMetadataId: null, projectImageUri: null, projectUrl: null, tokenImageUri: null },
        ...{ startTime: null, endTime: null, verificationLevel: null, distributionChannels: null },
        ...{ autocampaignId: null, actionToken: null, nftCollection: null },
      },
    ],
  ])('has no field of which the record says %s', async (_what, parts) => {
    const campaign = aClaimable({ blockTimestamp: '0', ...parts })
    await shared.save(...claimed(campaign))
    expect(await entryOf(campaign, 'includeTokenMetadata=true')).toEqual({
      id: campaign.id,
      chainId: 8453,
      incentives: [{ type: 'AllowListIncentive', assetAddress: anAddress('list'), metadata: null }],
      actionTemplate: null,
      status: 'active',
      txHash: campaign.txHash,
      blockTimestamp: '0',
      claimCount: 1,
      totalBudget: '0',
      rewardsDistributed: '0',
      usdDistributed24Hr: 0,
      usdDistributed1Hr: 0,
    })
  })

  test('has null for what its action template does not say', async () => {
    const template = anActionTemplate()
    const campaign = aClaimable({ actionTemplateId: template.id })
    await shared.save(template, ...claimed(campaign))
    expect((await entryOf(campaign)).actionTemplate).toEqual({
      id: template.id,
      projectId: 'project',
      actionType: 'swap',
      projectImage: 'https://images.example/project.png',
      description: null,
      category: null,
    })
  })

  test('is there for nobody when nothing is recorded', async () => {
    await using api = await startTestApp()
    expect((await api.get('/reward-kit/trending')).json()).toEqual({ trendingCampaigns: [] })
    await api.save(aClaimable())
    expect((await api.get('/reward-kit/trending')).json()).toEqual({ trendingCampaigns: [] })
  })
})

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
    const token = aToken({ decimals: 1, priceUsd: '1' })
    const campaign = aClaimable({ incentives: [fixed(token.address, '15')] })
    await shared.save(token, ...claimed(campaign))
    expect((await entryOf(campaign)).incentives[0]?.rewardUsdValue).toBe(1.5)
    await shared.save({ ...token, priceUsd: '0.1' })
    expect((await entryOf(campaign)).incentives[0]?.rewardUsdValue).toBe(0.15)
    await shared.save({ ...token, priceUsd: null })
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

describe('the window', () => {
  /*
   * Claims of the last windows are kept as totals that reach up to the latest import. Responses are the same whether they
   * are about that moment or another one, here in seconds from about the time of the import.
   */
  const present = Math.floor(Date.now() / 1000)
  /** How far into its second a moment is, in milliseconds. */
  const fractions = [0, 1, 999]
  const moments = [-100 * DAY, -DAY - HOUR, -HOUR / 2, 0, 300, HOUR / 2, 23 * HOUR, 100 * DAY]

  let api: TestApp
  beforeAll(async () => {
    api = await startTestApp()
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
    await using own = await startTestApp()
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
    await using api = await startTestApp()
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
    await using api = await startTestApp()
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

describe('filters', () => {
  test('find an owner without regard to case', async () => {
    const mine = aClaimable({ owner: inUpperCase(anAddress('somebody')) })
    const created = aClaimable({ creator: anAddress('somebody') })
    await shared.save(...claimed(mine, created))
    expect(await found(shared, `owner=${anAddress('somebody')}`)).toEqual([mine.id])
    expect(await found(shared, `owner=${inUpperCase(anAddress('somebody'))}`)).toEqual([mine.id])
  })

  test('find the creator of the record, and the owner where the record names none', async () => {
    const creator = anAddress('maker')
    const created = aClaimable({ creator: inUpperCase(creator) })
    const owned = aClaimable({ owner: creator })
    const nulled = aClaimable({ owner: creator, creator: null })
    const ofAnother = aClaimable({ owner: creator, creator: anAddress('another') })
    await shared.save(...claimed(created, owned, nulled, ofAnother))
    for (const value of [creator, inUpperCase(creator)]) {
      expect(await found(shared, `creator=${value}`)).toEqual(idsOf([nulled, owned, created]))
    }
  })

  test('find any of several budget accounts, trimmed and without regard to case', async () => {
    const [one, two, three] = [
      ...[aClaimable({ budget: anAddress('one') }), aClaimable({ budget: anAddress('two') })],
      aClaimable({ budget: inUpperCase(anAddress('three')) }),
    ] as [CampaignRecord, CampaignRecord, CampaignRecord]
    await shared.save(...claimed(one, two, three))
    expect(await found(shared, `budgetAccount=${anAddress('two')}`)).toEqual([two.id])
    const several = `${anAddress('three')}, ${inUpperCase(anAddress('one'))} ,${anAddress('one')}`
    expect(await found(shared, `budgetAccount=${encodeURIComponent(several)}`)).toEqual(idsOf([three, one]))
  })

  test('find an autocampaign by its exact ID', async () => {
    const mine = aClaimable({ autocampaignId: 'Auto, 1 & ü' })
    await shared.save(...claimed(mine, aClaimable({ autocampaignId: 'auto, 1 & ü' })))
    expect(await found(shared, `autocampaignId=${encodeURIComponent('Auto, 1 & ü')}`)).toEqual([mine.id])
    expect(await found(shared, 'autocampaignId=Auto')).toEqual([])
  })

  test('find the campaigns created on a chain', async () => {
    const mine = aClaimable({ id: `77:${CORE}:1`, actionSteps: [aStep(anAddress('target'), 78)] })
    const other = aClaimable({ id: `78:${CORE}:2`, actionSteps: [aStep(anAddress('target'), 77)] })
    await shared.save(...claimed(mine, other))
    expect(await found(shared, 'chainId=77')).toEqual([mine.id])
    expect(await found(shared, 'chainId=0')).toEqual([])
    for (const any of ['', 'null']) {
      expect(await found(shared, `chainId=${any}&owner=${other.owner}`)).toEqual([other.id])
    }
  })

  test('find a target contract on the chain of the contract, wherever the campaign was created', async () => {
    const target = anAddress('contract')
    const elsewhere = aClaimable({ id: `10:${CORE}:1`, actionSteps: [aStep(anAddress('x')), aStep(target, 8453)] })
    const otherChain = aClaimable({ id: `8453:${CORE}:22`, actionSteps: [aStep(target, 10)] })
    const otherContract = aClaimable({ id: `8453:${CORE}:33`, actionSteps: [aStep(anAddress('x'), 8453)] })
    await shared.save(...claimed(elsewhere, otherChain, otherContract))
    expect(await found(shared, `targetContract=${target}&chainId=8453`)).toEqual([elsewhere.id])
    expect(await found(shared, `chainId=10&targetContract=${inUpperCase(target)}`)).toEqual([otherChain.id])
    expect(await found(shared, `chainId=1&targetContract=${target}`)).toEqual([])
  })

  test('find a token as a reward asset and as the token the action deals in', async () => {
    const token = aToken()
    const paying = aClaimable({ incentives: [anErc20Incentive(inUpperCase(token.address))] })
    const dealing = aClaimable({ actionToken: { chainId: 8453, address: inUpperCase(token.address) } })
    const onOtherChain = aClaimable({ actionToken: { chainId: 10, address: token.address } })
    const asTarget = aClaimable({ actionSteps: [aStep(token.address)] })
    const asVenue = aClaimable({
      incentives: [{ type: 'PointsIncentive', venue: token.address, selector: '0x', reward: '1', limit: '9' }],
    })
    await shared.save(token, ...claimed(paying, dealing, onOtherChain, asTarget, asVenue))
    for (const address of [token.address, inUpperCase(token.address)]) {
      expect(await found(shared, `tokens=8453:${address}`)).toEqual(idsOf([dealing, paying]))
    }
    expect(await found(shared, `tokens=8453:${token.address},%2010:${token.address}`)).toEqual(
      idsOf([onOtherChain, dealing, paying]),
    )
  })

  test('find a collection as the NFT collection and as the target of a step', async () => {
    const collection = anAddress('collection')
    const byCollection = aClaimable({ nftCollection: { chainId: 10, address: inUpperCase(collection) } })
    const byTarget = aClaimable({ actionSteps: [aStep(collection, 10)] })
    const onOtherChain = aClaimable({ nftCollection: { chainId: 1, address: collection } })
    const asToken = aClaimable({ actionToken: { chainId: 10, address: collection } })
    await shared.save(...claimed(byCollection, byTarget, onOtherChain, asToken))
    for (const address of [collection, inUpperCase(collection)]) {
      expect(await found(shared, `tokens=10:${address}:collection`)).toEqual(idsOf([byTarget, byCollection]))
    }
  })

  test('find any of several distribution channels without regard to case', async () => {
    const web = aClaimable({ distributionChannels: ['Web Site', 'web site', 'Other'] })
    const street = aClaimable({ distributionChannels: ['STRASSE'] })
    await shared.save(...claimed(web, street, aClaimable({ distributionChannels: ['web'] })))
    expect(await found(shared, 'distributionChannel=WEB%20SITE')).toEqual([web.id])
    expect(await found(shared, 'distributionChannel=strasse,%20web%20site%20,other')).toEqual(idsOf([street, web]))
  })

  test('by default let only campaigns pass all of whose reward tokens are known and whitelisted', async () => {
    const owner = anAddress('owner of whitelisted ones')
    const [good, bad, onOtherChain] = [aToken(), aToken({ whitelisted: false }), aToken({ chainId: 10 })]
    const paying = (...assets: string[]) =>
      aClaimable({ owner, incentives: assets.map((asset) => anErc20Incentive(asset)) })
    const points = { type: 'PointsIncentive', venue: anAddress('venue'), selector: '0x', reward: '1', limit: '9' }
    const passing = [aClaimable({ owner }), aClaimable({ owner, incentives: [points] }), paying(good.address)]
    const hidden = [
      ...[paying(bad.address), paying(anAddress('unknown')), paying(onOtherChain.address)],
      paying(good.address, bad.address),
    ]
    await shared.save(good, bad, onOtherChain, ...claimed(...passing, ...hidden))
    const ofPassing = idsOf(passing.toReversed())
    for (const query of ['', 'tokenWhitelist=true', 'tokenWhitelist=', 'tokenWhitelist=null']) {
      expect(await found(shared, `owner=${owner}&${query}`), query).toEqual(ofPassing)
    }
    expect(await found(shared, `owner=${owner}&tokenWhitelist=false`)).toEqual([
      ...idsOf(hidden.toReversed()),
      ...ofPassing,
    ])
  })

  describe('by action type', () => {
    const owner = anAddress('owner of typed ones')
    const types = ['swap', 'MINT', 'Bridge Out', 'ΟΔΟΣ'] as const
    const templates = types.map((actionType) => anActionTemplate({ actionType }))
    const [swap, mint, bridge, street] = templates.map(({ id }) => aClaimable({ owner, actionTemplateId: id })) as [
      ...[CampaignRecord, CampaignRecord, CampaignRecord, CampaignRecord],
    ]
    const custom = aClaimable({ owner, actionTemplateId: templates[0]?.id as string, customAction: true })
    const without = aClaimable({ owner, templateId: templates[0]?.id as string })
    beforeAll(() => shared.save(...templates, ...claimed(swap, mint, bridge, street, custom, without)))

    test.each<[string, CampaignRecord[]]>([
      ['', [without, custom, street, bridge, mint, swap]],
      ['includeActionTypes=swap', [custom, swap]],
      ['includeActionTypes=SWAP', [custom, swap]],
      ['includeActionTypes=mint', [mint]],
      ['includeActionTypes=Mint,%20bridge%20OUT%20,mint', [bridge, mint]],
      [`includeActionTypes=${encodeURIComponent('ΟΔΟΣ')}`, [street]],
      ['includeActionTypes=bridge', []],
      ['includeActionTypes=other', []],
      ['excludeActionTypes=swap', [without, street, bridge, mint]],
      ['excludeActionTypes=Swap,mint', [without, street, bridge]],
      ['excludeActionTypes=other', [without, custom, street, bridge, mint, swap]],
      ['includeActionTypes=swap,mint&excludeActionTypes=swap', [mint]],
      ['includeActionTypes=swap&excludeActionTypes=SWAP', []],
    ])('find with %s', async (query, expected) => {
      expect(await found(shared, `owner=${owner}&${query}`)).toEqual(idsOf(expected))
    })
  })

  test('follow an action template that gets another action type', async () => {
    const template = anActionTemplate({ actionType: 'before' })
    const campaign = aClaimable({ actionTemplateId: template.id })
    await shared.save(template, ...claimed(campaign))
    const both = async () => [
      await found(shared, `owner=${campaign.owner}&includeActionTypes=before`),
      await found(shared, `owner=${campaign.owner}&includeActionTypes=after`),
    ]
    expect(await both()).toEqual([idsOf([campaign]), []])
    await shared.save({ ...template, actionType: 'After' })
    expect(await both()).toEqual([[], idsOf([campaign])])
  })

  test('combine with AND', async () => {
    const [user, token] = [anAddress('combining user'), aToken()]
    const [template, otherTemplate] = [
      anActionTemplate({ actionType: 'vote' }),
      anActionTemplate({ actionType: 'mint' }),
    ]
    const full: Partial<CampaignRecord> = {
      owner: anAddress('me'),
      creator: anAddress('my maker'),
      budget: anAddress('mine'),
      autocampaignId: 'my auto',
      actionSteps: [aStep(anAddress('my target'), 10)],
      incentives: [anErc20Incentive(token.address)],
      distributionChannels: ['my web'],
      actionTemplateId: template.id,
    }
    const denying = {
      owner: anAddress('o'),
      contractAddress: anAddress('c'),
      type: 'SimpleDenyList' as const,
      addresses: [user],
    }
    const match = aClaimable(full)
    const misses = [
      { owner: anAddress('you') },
      { creator: anAddress('your maker') },
      { budget: anAddress('yours') },
      { autocampaignId: 'your auto' },
      { actionSteps: [aStep(anAddress('my target'), 8453)] },
      { incentives: [place] },
      { distributionChannels: ['your web'] },
      { actionTemplateId: null },
      { actionTemplateId: otherTemplate.id },
      { allowList: denying },
      { endTime: '2025-12-31T23:59:59.999Z' },
      { incentives: [anErc20Incentive(token.address), anErc20Incentive(anAddress('unknown'))] },
    ].map((parts) => aClaimable({ ...full, ...parts }))
    const tooOld = aClaimable(full)
    await shared.save(token, template, otherTemplate, ...claimed(match, ...misses), tooOld, aClaimAgo(tooOld, HOUR))
    const query = [
      `owner=${anAddress('me')}`,
      `creator=${anAddress('my maker')}`,
      `budgetAccount=${anAddress('mine')}`,
      'autocampaignId=my%20auto',
      `targetContract=${anAddress('my target')}`,
      'chainId=10',
      `tokens=8453:${token.address}`,
      'distributionChannel=my%20web',
      'includeActionTypes=vote,mint',
      'excludeActionTypes=mint',
      `user=${user}`,
      'tokenWhitelist=true',
      'includeTokenMetadata=true',
      'period=1h',
    ]
    expect(query).toHaveLength(parameters.length)
    expect(await found(shared, query.join('&'))).toEqual([match.id])
    expect(await found(shared, `owner=${anAddress('me')}&distributionChannel=your%20web`)).toEqual(
      idsOf(misses.filter(({ distributionChannels }) => distributionChannels?.includes('your web'))),
    )
  })
})

describe('includeTokenMetadata', () => {
  const template = anActionTemplate()
  const known = aToken({ chainId: 10, decimals: 8, whitelisted: false })
  const dealing = (token: TokenRecord, actionTemplateId: string | null = template.id) =>
    aClaimable({ actionTemplateId, actionToken: { chainId: token.chainId, address: token.address } })
  /** The metadata that a campaign gets when asked so; the key is absent where it is. */
  const metadataOf = async (campaign: CampaignRecord, query = 'includeTokenMetadata=true') => {
    const entry = await entryOf(campaign, query)
    return 'actionTokenMetadata' in entry ? entry.actionTokenMetadata : 'absent'
  }
  const ofToken = ({ address, chainId, decimals }: TokenRecord) => ({
    ...{ tokenSymbol: 'TEST', tokenContract: address, chainId, decimals },
    tokenImage: 'https://images.example/test.png',
  })

  const nothing = { priceUsd: null, marketCap: null, priceChange24Hr: null, volume24Hr: null, holders: null }
  const zeros = { marketCap: 0, priceChange24Hr: 0, volume24Hr: 0, holders: 0 }
  const prices: [text: string, priceUsd: number][] = [
    ['0.1234567890123', 0.123456789012],
    ['0.1234567890125', 0.123456789013],
    ['0.00000000000000123456789012499', 1.23456789012e-15],
    ['98765432109876.5', 98765432109900],
    ['3120.55', 3120.55],
    ['999999999999.5', 1_000_000_000_000],
  ]
  const cases: { title: string; token: TokenRecord; actionType?: string; expected: object | 'absent' }[] = [
    { title: 'adds the token that a swap deals in', token: known, expected: ofToken(known) },
    {
      title: 'adds it also where the type is written otherwise',
      token: known,
      actionType: 'SWAP',
      expected: ofToken(known),
    },
    { title: 'adds nothing to another action type', token: known, actionType: 'mint', expected: 'absent' },
    {
      title: 'adds nothing to an action type that begins alike',
      token: known,
      actionType: 'swaps',
      expected: 'absent',
    },
    ...[aToken({ ...nothing })].map((token) => ({
      title: 'leaves out what is unknown of the token',
      token,
      expected: ofToken(token),
    })),
    ...[aToken({ ...zeros, priceUsd: '0' })].map((token) => ({
      title: 'knows 0 from unknown',
      token,
      expected: { ...ofToken(token), ...zeros, priceUsd: 0 },
    })),
    ...prices.map(([text, priceUsd]) => {
      const token = aToken({ priceUsd: text })
      const title = `rounds the price ${text} to 12 significant digits, half up`
      return { title, token, expected: { ...ofToken(token), priceUsd } }
    }),
  ]
  const prepared = cases.map(({ title, token, actionType, expected }) => {
    const own = actionType === undefined ? template : anActionTemplate({ actionType })
    const campaign = dealing(token, own.id)
    return { title, campaign, records: [token, own, ...claimed(campaign)], expected }
  })
  const swap = dealing(known)
  const withoutTemplate = dealing(known, null)
  const ofUnknown = dealing(aToken())
  const ofNone = aClaimable({ actionTemplateId: template.id })
  const onOtherChain = dealing({ ...known, chainId: 8453 })
  const others = [swap, withoutTemplate, ofUnknown, ofNone, onOtherChain]
  beforeAll(() => shared.save(...prepared.flatMap(({ records }) => records), ...claimed(...others)))

  for (const { title, campaign, expected } of prepared) {
    test(title, async () => expect(await metadataOf(campaign)).toEqual(expected))
  }

  test('adds nothing without a template, nor for an unknown token', async () => {
    for (const campaign of [withoutTemplate, ofUnknown, ofNone, onOtherChain]) {
      expect(await metadataOf(campaign)).toBe('absent')
    }
  })

  test.each(['', 'includeTokenMetadata=false', 'includeTokenMetadata=', 'includeTokenMetadata=null'])(
    'adds nothing unless it is true: "%s"',
    async (query) => expect(await metadataOf(swap, query)).toBe('absent'),
  )
})

describe('for a user', () => {
  const owner = anAddress('owner of listed ones')
  const [listed, member, stranger] = [anAddress('listed'), anAddress('member'), anAddress('stranger')]
  const withList = (type: 'OpenAllowList' | 'SimpleAllowList' | 'SimpleDenyList' | 'OffchainAccessList', parts = {}) =>
    aClaimable({
      owner,
      campaignName: type,
      allowList: { owner, contractAddress: anAddress('c'), type, addresses: [inUpperCase(listed)], ...parts },
    })
  const none = aClaimable({ owner })
  const open = withList('OpenAllowList')
  const allowing = withList('SimpleAllowList')
  const allowingNobody = withList('SimpleAllowList', { addresses: null })
  const denying = withList('SimpleDenyList')
  const denyingNobody = withList('SimpleDenyList', { addresses: [] })
  const offChain = withList('OffchainAccessList', { accessListId: 'trending-friends' })
  const offChainEmpty = withList('OffchainAccessList', { accessListId: 'trending-nobody' })
  const offChainUnnamed = withList('OffchainAccessList')
  const all = [none, open, allowing, allowingNobody, denying, denyingNobody, offChain, offChainEmpty, offChainUnnamed]
  const friends = anAccessList({ id: 'trending-friends', members: [inUpperCase(member)] })
  beforeAll(() => shared.save(friends, anAccessList({ id: 'trending-nobody' }), ...claimed(...all)))

  test.each([
    ['an address on the lists', listed, [denyingNobody, allowing, open, none]],
    ['a member of the access list', member, [offChain, denyingNobody, denying, open, none]],
    ['a stranger', stranger, [denyingNobody, denying, open, none]],
  ])('who is %s there are those that admit them', async (_who, user, expected) => {
    for (const value of [user, inUpperCase(user)]) {
      const entries = await trending(shared, `owner=${owner}&user=${value}`)
      expect(entries.map(({ id, accessStatus, status }) => ({ id, accessStatus, status }))).toEqual(
        expected.map(({ id }) => ({ id, accessStatus: 'allowed', status: 'active' })),
      )
    }
  })

  test('who is not named there are all, without accessStatus', async () => {
    const entries = await trending(shared, `owner=${owner}`)
    expect(idsOf(entries)).toEqual(idsOf(all.toReversed()))
    for (const entry of entries) expect(entry).not.toHaveProperty('accessStatus')
  })

  test('who joins or leaves an access list the answer follows', async () => {
    const guest = anAddress('guest')
    const campaign = withList('OffchainAccessList', { accessListId: 'trending-guests' })
    const guests = anAccessList({ id: 'trending-guests', members: [member] })
    await shared.save(guests, ...claimed({ ...campaign, owner: anAddress('owner of guests') }))
    const ofGuest = `owner=${anAddress('owner of guests')}&user=${guest}`
    expect(await found(shared, ofGuest)).toEqual([])
    await shared.save({ ...guests, members: [member, guest] })
    expect(await found(shared, ofGuest)).toEqual([campaign.id])
    await shared.save({ ...guests, members: [] })
    expect(await found(shared, ofGuest)).toEqual([])
  })

  describe('with claims and signatures', () => {
    const user = anAddress('claiming user')
    const twoPlaces = { incentives: [place, place, place] }
    const untouched = aClaimable(twoPlaces)
    const signed = aClaimable(twoPlaces)
    const signedForOther = aClaimable(twoPlaces)
    const done = aClaimable(twoPlaces)
    const doneLongAgo = aClaimable(twoPlaces)
    const doneLater = aClaimable(twoPlaces)
    const byUser = (campaign: CampaignRecord, ago: number, claimant = user) =>
      aClaimAgo(campaign, ago, { claimant, incentiveIndex: 1 })
    beforeAll(() =>
      shared.save(
        ...claimed(untouched, signed, signedForOther, done, doneLongAgo, doneLater),
        ...[2, 1].map((incentiveId) => aSignature(signed, inUpperCase(user), incentiveId)),
        aSignature(signed, stranger, 0),
        aSignature(signedForOther, stranger, 1),
        ...[aSignature(done, user, 0), byUser(done, 60, inUpperCase(user))],
        byUser(doneLongAgo, 400 * DAY),
        byUser(doneLater, -DAY),
      ),
    )
    const statusOf = async (campaign: CampaignRecord, query = `user=${user}`) => {
      const { status, signature } = await entryOf(campaign, query)
      return { status, signature }
    }

    test('the status is active where nothing is recorded for them', async () => {
      expect(await statusOf(untouched)).toEqual({ status: 'active' })
      expect(await statusOf(signedForOther)).toEqual({ status: 'active' })
    })

    test('the status is claimable where a signature is, and the one of the lowest incentive is there', async () => {
      const signature = { claimant: user, incentiveId: 1, signature: '0xSigned1', referrer: anAddress('referrer') }
      for (const value of [user, inUpperCase(user)]) {
        expect(await statusOf(signed, `user=${value}`)).toEqual({ status: 'claimable', signature })
      }
      expect(await statusOf(signed, `user=${stranger}`)).toEqual({
        status: 'claimable',
        signature: { ...signature, claimant: stranger, incentiveId: 0, signature: '0xSigned0' },
      })
    })

    test('the status is claimed where a claim is, whenever it was, and no signature is there', async () => {
      for (const campaign of [done, doneLongAgo, doneLater]) {
        const entry = await entryOf(campaign, `user=${user}`)
        expect(entry.status).toBe('claimed')
        expect(entry).not.toHaveProperty('signature')
      }
      expect(await statusOf(done, `user=${stranger}`)).toEqual({ status: 'active' })
    })

    test('the status is active without a user, and no signature is there', async () => {
      for (const campaign of [untouched, signed, signedForOther, done, doneLongAgo, doneLater]) {
        const entry = await entryOf(campaign)
        expect(entry.status).toBe('active')
        expect(entry).not.toHaveProperty('signature')
      }
    })
  })
})

describe('an answer', () => {
  test('shows what an import has committed', async () => {
    await using api = await startTestApp()
    api.setNow(NOW)
    const token = aToken({ whitelisted: false })
    const [first, second] = [aClaimable(), aClaimable()]
    const paying = aClaimable({ incentives: [anErc20Incentive(token.address)] })
    const claim = aClaimAgo(first, 60, { amountUsd: '1' })
    await api.save(token, first, second, paying, ...claimed(paying))
    expect(await found(api)).toEqual([])
    await api.save(claim)
    expect(await found(api)).toEqual([first.id])
    await api.save(aClaimAgo(second, 60, { amountUsd: '2' }))
    expect(await found(api)).toEqual([second.id, first.id])
    await api.save({ ...claim, amountUsd: '3' })
    expect(await found(api)).toEqual([first.id, second.id])
    await api.save({ ...token, whitelisted: true })
    expect(await found(api)).toEqual([first.id, second.id, paying.id])
    await api.save({ ...first, campaignName: 'renamed', maxParticipants: '2' })
    expect((await trending(api))[0]).toMatchObject({ id: first.id, campaignName: 'renamed', usdDistributed1Hr: 3 })
    await api.save({ ...first, maxParticipants: '1' })
    expect(await found(api)).toEqual([second.id, paying.id])
    await api.save({ ...claim, blockTimestamp: String(toSeconds(NOW) - 2 * DAY) }, { ...first, maxParticipants: '0' })
    expect(await found(api)).toEqual([second.id, paying.id])
  })

  test('has a tag that stays as long as the answer does, and changes when a claim leaves the window', async () => {
    await using api = await startTestApp()
    const campaign = aClaimable()
    await api.save(campaign, aClaimAgo(campaign, HOUR - 2), aClaimAgo(campaign, DAY - 10))
    const ask = async (millisecondsLater: number, tag?: string) => {
      api.setNow(new Date(NOW.getTime() + millisecondsLater))
      const headers = tag === undefined ? undefined : { 'if-none-match': tag }
      const { statusCode, body, headers: answered } = await api.get('/reward-kit/trending?period=1h', headers)
      return { statusCode, body, etag: String(answered.etag), cacheControl: answered['cache-control'] }
    }
    const first = await ask(0)
    expect(first.statusCode).toBe(200)
    expect(first.etag).toMatch(/^"[^"]+"$/)
    expect(first.cacheControl).toBe('public, max-age=5, stale-while-revalidate=30')
    expect(first.body).toContain(campaign.id)

    const unchanged = await ask(0, first.etag)
    expect(unchanged).toEqual({ ...first, statusCode: 304, body: '' })
    expect(await ask(1000, first.etag)).toEqual(unchanged)
    expect(await ask(1999, `"other", ${first.etag}`)).toEqual(unchanged)

    const later = await ask(2000, first.etag)
    expect(later.statusCode).toBe(200)
    expect(later.etag).not.toBe(first.etag)
    expect(JSON.parse(later.body)).toEqual({ trendingCampaigns: [] })
    expect((await ask(2000, later.etag)).statusCode).toBe(304)

    await api.save(aClaimAgo(campaign, 60))
    const imported = await ask(2000, later.etag)
    expect(imported.statusCode).toBe(200)
    expect(imported.body).toContain(campaign.id)
    expect(new Set([first.etag, later.etag, imported.etag]).size).toBe(3)
  })

  test('needs no credential, and ignores one', async () => {
    const url = `/reward-kit/trending?owner=${anAddress('nobody')}`
    const response = await shared.get(url, { authorization: 'Bearer nonsense' })
    expect({ status: response.statusCode, body: response.json() }).toEqual({
      status: 200,
      body: { trendingCampaigns: [] },
    })
  })
})

const parameters = [
  ...['period', 'budgetAccount', 'owner', 'autocampaignId', 'chainId', 'targetContract', 'tokens'],
  ...['distributionChannel', 'tokenWhitelist', 'creator', 'user', 'includeActionTypes', 'excludeActionTypes'],
  'includeTokenMetadata',
]

describe('a parameter', () => {
  async function refused(query: string): Promise<string> {
    const response = await shared.get(`/reward-kit/trending?${query}`)
    expect(response.statusCode, `${query}: ${response.body}`).toBe(400)
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    const body = response.json()
    expect(Object.keys(body)).toEqual(['error'])
    return body.error
  }

  const someone = anAddress('someone')
  const integers = ['1e3', '+1', '-1', '1.0', '%201', '0x10', 'NULL', '1,2', '9007199254740992']
  const booleans = ['TRUE', 'True', '1', '0', 'yes', '%20true', 'NULL']
  const addresses = [
    ...['', 'null', someone.slice(0, -1), `${someone}0`, `0X${someone.slice(2)}`, someone.slice(2), `%20${someone}`],
    ...[`${someone},${someone}`, `${someone.slice(0, -1)}g`],
  ]
  const names = ['', ',', '%20', 'a,', ',a', 'a,,b', 'x'.repeat(129), `a,${'x'.repeat(129)}`]
  const hundredAndOne = Array.from({ length: 101 }, (_, index) => `n${index}`)
  const cases: Record<string, string[]> = {
    period: ['', 'null', '1H', '24H', '6h', '7d', '1', '3600', '%201h', '1h%20', '1h,24h'],
    budgetAccount: [
      ...['', 'null', 'bob', `${someone},`, `,${someone}`, `${someone},,${someone}`, `${someone},x`, `${someone}0`],
      hundredAndOne.map(anAddress).join(','),
    ],
    owner: addresses,
    autocampaignId: ['', 'x'.repeat(129), '%00'],
    chainId: integers,
    targetContract: addresses.map((value) => `${value}&chainId=1`),
    tokens: [
      ...['', ',', someone, `8453:${someone}:`, `8453:${someone}:nft`, `8453:${someone}:COLLECTION`],
      ...[`08453:${someone}`, `x:${someone}`, `:${someone}`, `8453:0X${someone.slice(2)}`, `8453:${someone},`],
      hundredAndOne.map((name) => `1:${anAddress(name)}`).join(','),
    ],
    distributionChannel: [...names, hundredAndOne.join(',')],
    tokenWhitelist: booleans,
    creator: addresses,
    user: addresses,
    includeActionTypes: [...names, hundredAndOne.join(',')],
    excludeActionTypes: [...names, hundredAndOne.join(',')],
    includeTokenMetadata: booleans,
  }

  test('of every name is in the cases below', () => {
    expect(Object.keys(cases).toSorted()).toEqual(parameters.toSorted())
  })

  for (const [name, values] of Object.entries(cases)) {
    test.each(values.map((value) => [value.slice(0, 60), value]))(
      `is refused and named: ${name}=%s`,
      async (_, value) => {
        // A NUL byte is a fault of the query string as a whole.
        const named = value === '%00' ? /NUL/ : new RegExp(`\\b${name}\\b`)
        expect(await refused(`${name}=${value}`)).toMatch(named)
      },
    )
  }

  test.each([
    ...['chainId=', 'chainId=null', 'chainId=9007199254740991', 'tokenWhitelist=', 'includeTokenMetadata=null'],
    ...['period=1h', 'period=24h', `autocampaignId=${'x'.repeat(128)}`, `includeActionTypes=${'x'.repeat(128)}`],
    ...[`excludeActionTypes=${hundredAndOne.slice(1).join(',')},N1`, `tokens=0:${someone}:collection`, ''],
  ])('is accepted at its edge: %s', async (query) => {
    expect(await trending(shared, query)).toBeInstanceOf(Array)
  })

  test('targetContract is refused without chainId', async () => {
    for (const chain of ['', '&chainId=', '&chainId=null']) {
      expect(await refused(`targetContract=${someone}${chain}`)).toMatch(
        /targetContract.*chainId|chainId.*targetContract/,
      )
    }
  })

  const lists = ['budgetAccount', 'tokens', 'distributionChannel', 'includeActionTypes', 'excludeActionTypes']
  const single = parameters.filter((name) => !lists.includes(name))

  test.each(single)('is refused when it is given twice: %s', async (name) => {
    const value = (cases[name] === addresses && someone) || '1h'
    expect(await refused(`${name}=${value}&${name}=${value}`)).toMatch(new RegExp(`\\b${name}\\b.*once`))
  })

  test.each([
    ['periods', 'period'],
    ['includeActionType', 'includeActionTypes'],
    ['users', 'user'],
    ['Creator', 'creator'],
    ['includeTokenMetaData', 'includeTokenMetadata'],
    ['token', 'tokens'],
  ])('is refused when it is unknown: %s, and the message names the nearest, %s, and all', async (unknown, nearest) => {
    const error = await refused(`${unknown}=1`)
    expect(error).toContain(`"${unknown}"`)
    expect(error).toContain(`did you mean ${nearest}?`)
    for (const name of parameters) expect(error).toMatch(new RegExp(`\\b${name}\\b`))
  })

  test.each(['page', 'pageSize', 'sortBy', 'actionTemplateOnly', 'showActiveOnly', 'timeRange', '__proto__'])(
    'of another operation is refused: %s',
    async (name) => {
      expect(await refused(`${name}=1`)).toContain(`"${name}"`)
    },
  )

  test('is refused together with all others that break their rules, in one sentence', async () => {
    const error = await refused(
      `period=&owner=bob&creator=&user=x&chainId=-1&includeActionTypes=a,,b&includeTokenMetadata=1&tokens=q&unknown=1`,
    )
    const broken = ['period', 'owner', 'creator', 'user', 'chainId', 'includeActionTypes', 'includeTokenMetadata']
    for (const named of [...broken, '"q"', '"unknown"']) expect(error).toContain(named)
  })

  test('is refused with what is allowed and what was given', async () => {
    expect(await refused('period=6h')).toMatch(/period.*1h.*24h.*6h/)
    expect(await refused('user=bob')).toMatch(/user.*address.*bob/)
    expect(await refused('excludeActionTypes=a,,b')).toMatch(/excludeActionTypes.*""/)
    expect(await refused(`budgetAccount=${someone},bob`)).toMatch(/budgetAccount.*"bob"/)
  })
})
