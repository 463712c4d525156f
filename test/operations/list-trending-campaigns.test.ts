import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TrendingCampaign } from '../../src/features/trending/trending-schemas.ts'
import type { CampaignRecord } from '../../src/ingest/campaign-records.ts'
import type { ClaimRecord, ClaimSignatureRecord, ImportRecord } from '../../src/ingest/records.ts'
import {
  aCampaign,
  aClaim,
  aHash,
  anActionTemplate,
  anAddress,
  anErc20Incentive,
  aStep,
  aToken,
  inUpperCase,
} from '../setup/records.ts'
import { type BorrowedTestApp, borrowTestApp } from '../setup/test-app.ts'

const NOW = new Date('2026-01-01T00:00:00.000Z')

const HOUR = 3600

const DAY = 24 * HOUR

const toSeconds = (instant: Date) => instant.getTime() / 1000

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

const aSignature = (campaign: CampaignRecord, claimant: string, incentiveId = 0): ClaimSignatureRecord => ({
  type: 'claimSignature',
  campaignId: campaign.id,
  incentiveId,
  claimant,
  signature: `0xSigned${incentiveId}`,
  referrer: anAddress('referrer'),
})

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

describe('an entry', () => {
  test('has every field, with what the records say', async () => {
    await using api = await borrowTestApp()
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
    await using api = await borrowTestApp()
    expect((await api.get('/reward-kit/trending')).json()).toEqual({ trendingCampaigns: [] })
    await api.save(aClaimable())
    expect((await api.get('/reward-kit/trending')).json()).toEqual({ trendingCampaigns: [] })
  })
})

describe('an answer', () => {
  test('shows what an import has committed', async () => {
    await using api = await borrowTestApp()
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
    await using api = await borrowTestApp()
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
