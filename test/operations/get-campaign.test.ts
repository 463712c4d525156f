import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unsaidIn } from '../../src/database/campaign-fields.ts'
import type { CampaignRecord } from '../../src/ingest/campaign-records.ts'
import {
  aCampaign,
  aClaim,
  aHash,
  anActionTemplate,
  anAddress,
  anErc20Incentive,
  anIncentiveOfEachVariant,
  aStep,
  aToken,
  inUpperCase,
} from '../setup/records.ts'
import { type BorrowedTestApp, borrowTestApp } from '../setup/test-app.ts'

const CORE = '0xea11a7937809b8585e63b12cc86bf91a72a5b08a'
const ZERO = '0x0000000000000000000000000000000000000000'
const MAX = (2n ** 256n - 1n).toString()

/** All tests of this file share one app; each brings campaigns of its own. */
let api: BorrowedTestApp
beforeAll(async () => {
  api = await borrowTestApp()
  api.setNow(new Date('2026-01-01T00:00:00.000Z'))
})
afterAll(() => api[Symbol.asyncDispose]())

async function detail(id: string) {
  const response = await api.get(`/campaigns/${id}`)
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

async function refused(path: string, status: number) {
  const response = await api.get(path)
  expect(response.statusCode, response.body).toBe(status)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  const body = response.json()
  expect(Object.keys(body)).toEqual(['error'])
  return body.error as string
}

const completeCampaign = (): CampaignRecord => ({
  type: 'campaign',
  id: `8453:${inUpperCase(CORE)}:777`,
  action: inUpperCase(anAddress('action')),
  budget: inUpperCase(anAddress('budget')),
  owner: inUpperCase(anAddress('owner')),
  validator: inUpperCase(anAddress('validator')),
  blockTimestamp: '1731373464',
  txHash: inUpperCase(aHash('complete')),
  protocolFee: '1000',
  maxParticipants: '10',
  incentives: [
    anErc20Incentive(inUpperCase(anAddress('asset')), { reward: '1500000', limit: '3' }),
    { type: 'AllowListIncentive', allowListAddress: inUpperCase(anAddress('allow list')), limit: '5' },
  ],
  allowList: {
    owner: inUpperCase(anAddress('list owner')),
    contractAddress: inUpperCase(anAddress('list')),
    type: 'SimpleAllowList',
    addresses: ['0xFF00000000000000000000000000000000000000', '0x0100000000000000000000000000000000000000'],
  },
  actionSteps: [{ ...aStep(inUpperCase(anAddress('target'))), claimant: inUpperCase(anAddress('claimant')) }],
  campaignIndex: '42',
  actionClaimant: {
    signature: '0xABcd',
    signatureName: 'Bought(address)',
    signatureType: 'event',
    fieldIndex: 255,
    targetContract: inUpperCase(anAddress('claimant contract')),
    targetContractName: 'Shop',
    chainId: 10,
  },
  createdAtBlockchainNumbers: { '8453': '22222222', '10': '0' },
  creator: anAddress('creator'),
  campaignName: 'Buy something',
  templateId: 'template-1',
  actionTemplateId: '5f0c3f0e-8f0c-4b4f-9f3c-0d6f2f5a1c01',
  customAction: true,
  nftImageUri: 'nft image',
  nftName: 'nft name',
  nftMetadataId: 'nft metadata',
  projectImageUri: 'project image',
  projectUrl: 'project url',
  tokenImageUri: 'token image',
  startTime: '2025-01-01T00:00:00Z',
  endTime: '2027-01-01T00:00:00.123456Z',
  verificationLevel: 'high',
  distributionChannels: ['web'],
  autocampaignId: 'auto',
  actionToken: { chainId: 1, address: anAddress('dealt in') },
  nftCollection: { chainId: 1, address: anAddress('collection') },
})

describe('a detail', () => {
  test('has every key, with what the records say', async () => {
    const token = aToken({ address: anAddress('asset'), decimals: 6, priceUsd: '0.333333' })
    const campaign = completeCampaign()
    await api.save(
      token,
      anActionTemplate({ id: '5f0c3f0e-8f0c-4b4f-9f3c-0d6f2f5a1c01' }),
      campaign,
      aClaim(campaign, { amount: '250' }),
    )
    const response = await api.get(`/campaigns/8453:${CORE}:777`)
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(response.json()).toStrictEqual({
      ...unsaidIn('detail'),
      id: `8453:${CORE}:777`,
      action: anAddress('action'),
      actionSteps: [{ ...aStep(anAddress('target')), claimant: anAddress('claimant') }],
      actionClaimant: {
        signature: '0xABcd',
        signatureName: 'Bought(address)',
        signatureType: 'event',
        fieldIndex: 255,
        targetContract: anAddress('claimant contract'),
        targetContractName: 'Shop',
        chainId: 10,
      },
      actionTemplateId: '5f0c3f0e-8f0c-4b4f-9f3c-0d6f2f5a1c01',
      allowList: {
        owner: anAddress('list owner'),
        contractAddress: anAddress('list'),
        type: 'SimpleAllowList',
        addresses: ['0x0100000000000000000000000000000000000000', '0xff00000000000000000000000000000000000000'],
      },
      availableBudgetUsd: '1.499999',
      blockTimestamp: '1731373464',
      budget: anAddress('budget'),
      campaignIndex: '42',
      campaignName: 'Buy something',
      chainId: 8453,
      createdAt: '2024-11-12T01:04:24.000Z',
      createdAtBlockchainNumbers: { '8453': '22222222', '10': '0' },
      endTime: '2027-01-01T00:00:00.123Z',
      incentiveCount: '2',
      incentives: [
        {
          type: 'ERC20Incentive',
          asset: anAddress('asset'),
          strategy: 0,
          reward: '1500000',
          limit: '3',
          claimedAmount: '250',
          totalAmountClaimed: '250',
          totalClaims: '1',
          metadata: {
            id: `8453:${anAddress('asset')}`,
            chainId: 8453,
            address: anAddress('asset'),
            decimals: 6,
            name: 'Test Token',
            symbol: 'TEST',
            imageUri: 'https://images.example/test.png',
          },
        },
        { type: 'AllowListIncentive', allowListAddress: anAddress('allow list'), limit: '5' },
      ],
      isActive: true,
      maxParticipants: '10',
      nftImageUri: 'nft image',
      nftMetadataId: 'nft metadata',
      nftName: 'nft name',
      owner: anAddress('owner'),
      projectImageUri: 'project image',
      protocolFee: '1000',
      startTime: '2025-01-01T00:00:00.000Z',
      templateId: 'template-1',
      tokenImageUri: 'token image',
      txHash: aHash('complete'),
      validator: anAddress('validator'),
    })
  })

  test('has every required key also where the record says the least', async () => {
    const campaign = aCampaign({ id: `1:${CORE}:5`, blockTimestamp: '0' })
    await api.save(campaign)
    expect(await detail(campaign.id)).toStrictEqual({
      ...unsaidIn('detail'),
      id: campaign.id,
      action: campaign.action,
      actionSteps: [],
      allowList: { owner: campaign.owner, contractAddress: ZERO, type: 'OpenAllowList', addresses: [] },
      availableBudgetUsd: null,
      blockTimestamp: '0',
      budget: campaign.budget,
      campaignIndex: '5',
      chainId: 1,
      createdAt: '1970-01-01T00:00:00.000Z',
      incentiveCount: '0',
      incentives: [],
      isActive: true,
      maxParticipants: '0',
      owner: campaign.owner,
      protocolFee: '1000',
      txHash: campaign.txHash,
      validator: campaign.validator,
    })
  })

  test.each([undefined, null, []])('has [] for addresses that the record gives as %j', async (addresses) => {
    const allowList = { owner: anAddress('o'), contractAddress: anAddress('c'), type: 'OffchainAccessList' as const }
    const campaign = aCampaign({ allowList: addresses === undefined ? allowList : { ...allowList, addresses } })
    await api.save(campaign)
    expect((await detail(campaign.id)).allowList).toStrictEqual({ ...allowList, addresses: [] })
  })

  test.each([100, 101, 2500])('has all %i addresses of an allow list, in ascending order', async (count) => {
    const addresses = Array.from({ length: count }, (_, index) => anAddress(`user ${index}`))
    const allowList = { owner: anAddress('o'), contractAddress: anAddress('c'), type: 'SimpleDenyList' as const }
    const campaign = aCampaign({ allowList: { ...allowList, addresses } })
    await api.save(campaign)
    expect((await detail(campaign.id)).allowList).toStrictEqual({ ...allowList, addresses: addresses.toSorted() })
  })

  test('has the full incentives of all ten variants', async () => {
    const campaign = aCampaign({
      id: `10:${CORE}:10`,
      incentives: anIncentiveOfEachVariant((word) => inUpperCase(anAddress(word))),
    })
    await api.save(campaign)
    const withoutMetadata = ['AllowListIncentive', 'CGDAIncentive', 'PointsIncentive']
    expect((await detail(campaign.id)).incentives).toStrictEqual(
      anIncentiveOfEachVariant(anAddress).map((incentive) =>
        withoutMetadata.includes(incentive.type) ? incentive : { ...incentive, metadata: null },
      ),
    )
  })

  test('contains the list item', async () => {
    const steps = [aStep(anAddress('target')), aStep(anAddress('other'))]
    const allowList = {
      owner: anAddress('o'),
      contractAddress: anAddress('c'),
      type: 'SimpleAllowList' as const,
      addresses: [anAddress('user')],
    }
    const owner = anAddress('owner of two')
    await api.save(
      aCampaign({ owner, allowList, actionSteps: steps, incentives: anIncentiveOfEachVariant(anAddress) }),
      aCampaign({ owner, endTime: '2025-01-01T00:00:00Z', allowList, actionSteps: steps }),
    )
    const { campaigns } = (await api.get(`/campaigns?tokenWhitelist=false&owner=${owner}`)).json()
    expect(campaigns).toHaveLength(2)
    for (const item of campaigns) expect(await detail(item.id)).toMatchObject(item)
  })

  test('is there also for a campaign that the default list hides', async () => {
    const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('unknown'))] })
    await api.save(campaign)
    expect((await detail(campaign.id)).id).toBe(campaign.id)
  })

  test('stops being active when its end comes, with nothing written', async () => {
    await using own = await borrowTestApp()
    const campaign = aCampaign({ endTime: '2026-01-01T00:00:00.000Z' })
    await own.save(campaign)
    own.setNow(new Date('2025-12-31T23:59:59.999Z'))
    expect((await own.get(`/campaigns/${campaign.id}`)).json().isActive).toBe(true)
    own.setNow(new Date('2026-01-01T00:00:00.000Z'))
    expect((await own.get(`/campaigns/${campaign.id}`)).json().isActive).toBe(false)
  })

  test('shows what was committed before the request', async () => {
    const campaign = aCampaign({ campaignName: 'before' })
    await api.save(campaign)
    expect((await detail(campaign.id)).campaignName).toBe('before')
    await api.save({ ...campaign, campaignName: 'after' })
    expect((await detail(campaign.id)).campaignName).toBe('after')
  })
})

describe('an ID', () => {
  test('is matched without regard to case', async () => {
    const campaign = aCampaign({ id: `8453:${CORE}:9001` })
    await api.save(campaign)
    for (const id of [`8453:${inUpperCase(CORE)}:9001`, `8453%3A${CORE}%3a9001`, `8453:${CORE}:9001/`]) {
      expect((await detail(id)).id).toBe(campaign.id)
    }
  })

  test('may have an identifier of 78 digits', async () => {
    expect(MAX).toHaveLength(78)
    const campaign = aCampaign({ id: `9007199254740991:${CORE}:${MAX}` })
    await api.save(campaign)
    expect(await detail(campaign.id)).toMatchObject({
      id: campaign.id,
      chainId: 9_007_199_254_740_991,
      campaignIndex: MAX,
    })
  })

  test.each([`8453:${CORE}:424242`, `1:${CORE}:9001`, `8453:${anAddress('core')}:9001`, `0:${ZERO}:0`])(
    'of no campaign is 404: %s',
    async (id) => {
      expect(await refused(`/campaigns/${id}`, 404)).toContain(id)
    },
  )
})
