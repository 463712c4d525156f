import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unsaidIn } from '../../src/database/campaign-fields.ts'
import type { CampaignListItem, ListCampaignsResponse } from '../../src/features/campaigns/campaign-schemas.ts'
import type { CampaignRecord } from '../../src/ingest/campaign-records.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { aCampaign, aHash, anActionTemplate, anAddress, aStep, inUpperCase } from '../setup/records.ts'
import { type BorrowedTestApp, borrowTestApp } from '../setup/test-app.ts'

const NOW = new Date('2026-01-01T00:00:00.000Z')

const CORE = '0xea11a7937809b8585e63b12cc86bf91a72a5b08a'

const MAX = (2n ** 256n - 1n).toString()

async function list(api: BorrowedTestApp, query = ''): Promise<ListCampaignsResponse> {
  const response = await api.get(`/campaigns?${query}`)
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

/** The IDs of the first hundred that match, in their order; the total has to say the same. */
async function found(api: BorrowedTestApp, query = '') {
  const { campaigns, totalCampaigns } = await list(api, `pageSize=100&${query}`)
  expect(totalCampaigns).toBe(campaigns.length)
  return idsOf(campaigns)
}

const idsOf = (campaigns: { id: string }[]) => campaigns.map(({ id }) => id)

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

describe('an item', () => {
  test('has every key, with what the records say', async () => {
    await using api = await borrowTestApp()
    api.setNow(NOW)
    await api.save(
      {
        type: 'token',
        chainId: 8453,
        address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        decimals: 6,
        name: 'USD Coin',
        symbol: 'USDC',
        imageUri: 'https://images.example/usdc.png',
        whitelisted: true,
        priceUsd: '1.0001',
        marketCap: 5,
        holders: 6,
      },
      anActionTemplate({ id: '5f0c3f0e-8f0c-4b4f-9f3c-0d6f2f5a1c01' }),
      {
        type: 'campaign',
        id: '8453:0x378632819F39C74C4F56B1429E760739C5FB51B7:12',
        action: '0x842622DB27D483CCC49AC9F58920EADB90AF5E73',
        budget: '0xA904EF32D569E2ADA8F4DE6244BF68F36FA219F6',
        owner: '0x84DC02A3B41FF6FB0B9288234B2B8051B641BF00',
        validator: '0xFF1DAA985E5FD471CFC6218EF702AE4DCBEB3D35',
        blockTimestamp: '1731373464',
        txHash: '0x2DFC8F4F24B1A3A7EE73EA13B8A20A63FE7457D1C96B95178D3EA4126B6BF5AD',
        protocolFee: '1000',
        maxParticipants: '10',
        campaignIndex: '7',
        incentives: [
          {
            type: 'ERC20Incentive',
            asset: '0x833589FCD6EDB6E08F4C7C32D4F71B54BDA02913',
            strategy: 0,
            reward: '500000',
            limit: '9',
          },
          { type: 'AllowListIncentive', allowListAddress: '0xBB1DAA985E5FD471CFC6218EF702AE4DCBEB3D35', limit: '3' },
        ],
        allowList: {
          owner: '0x84DC02A3B41FF6FB0B9288234B2B8051B641BF00',
          contractAddress: '0xEECFD74F70EE663E42955B8E13D699F075736D07',
          type: 'SimpleDenyList',
          addresses: ['0xFF00000000000000000000000000000000000002', '0x0000000000000000000000000000000000000001'],
        },
        actionSteps: [
          {
            chainId: 10,
            claimant: '0x84DC02A3B41FF6FB0B9288234B2B8051B641BF00',
            signature: '0xb362243A',
            signatureName: 'Purchased(address)',
            signatureType: 'function',
            actionType: 99,
            targetContract: '0x9D2FC5FFE5939EFD1D573F975BC5EEFD364779AE',
            parameters: { filterType: 42, fieldType: 43, fieldIndex: 2, filterData: '0xAB' },
          },
        ],
        actionClaimant: {
          signature: '0xb362243a',
          signatureName: 'Purchased(address)',
          signatureType: 'function',
          fieldIndex: 0,
          targetContract: anAddress('claimant contract'),
          targetContractName: 'Shop',
          chainId: 10,
        },
        createdAtBlockchainNumbers: { '8453': '22222222' },
        creator: anAddress('creator'),
        campaignName: 'Mint a drop',
        templateId: 'template',
        actionTemplateId: '5f0c3f0e-8f0c-4b4f-9f3c-0d6f2f5a1c01',
        customAction: true,
        nftImageUri: 'https://images.example/nft.png',
        nftName: 'Drop',
        nftMetadataId: 'metadata',
        projectImageUri: 'https://images.example/project.png',
        projectUrl: 'https://project.example',
        tokenImageUri: 'https://images.example/token.png',
        startTime: '2025-06-01T00:00:00Z',
        endTime: '2026-02-01T00:00:00.5Z',
        verificationLevel: 'high',
        distributionChannels: ['web'],
        autocampaignId: 'auto',
        actionToken: { chainId: 1, address: anAddress('dealt in') },
        nftCollection: { chainId: 1, address: anAddress('collection') },
      },
    )
    const response = await api.get('/campaigns')
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(response.json()).toStrictEqual({
      campaigns: [
        {
          ...unsaidIn('list'),
          id: '8453:0x378632819f39c74c4f56b1429e760739c5fb51b7:12',
          action: '0x842622db27d483ccc49ac9f58920eadb90af5e73',
          allowList: {
            owner: '0x84dc02a3b41ff6fb0b9288234b2b8051b641bf00',
            contractAddress: '0xeecfd74f70ee663e42955b8e13d699f075736d07',
            type: 'SimpleDenyList',
            addresses: ['0x0000000000000000000000000000000000000001', '0xff00000000000000000000000000000000000002'],
          },
          campaignIndex: '7',
          budget: '0xa904ef32d569e2ada8f4de6244bf68f36fa219f6',
          incentiveCount: '2',
          owner: '0x84dc02a3b41ff6fb0b9288234b2b8051b641bf00',
          validator: '0xff1daa985e5fd471cfc6218ef702ae4dcbeb3d35',
          blockTimestamp: '1731373464',
          txHash: '0x2dfc8f4f24b1a3a7ee73ea13b8a20a63fe7457d1c96b95178d3ea4126b6bf5ad',
          chainId: 8453,
          actionSteps: [
            {
              chainId: 10,
              claimant: '0x84dc02a3b41ff6fb0b9288234b2b8051b641bf00',
              signature: '0xb362243A',
              signatureName: 'Purchased(address)',
              signatureType: 'function',
              actionType: 99,
              targetContract: '0x9d2fc5ffe5939efd1d573f975bc5eefd364779ae',
              parameters: { filterType: 42, fieldType: 43, fieldIndex: 2, filterData: '0xAB' },
            },
          ],
          protocolFee: '1000',
          maxParticipants: '10',
          incentives: [
            {
              type: 'ERC20Incentive',
              asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
              strategy: 0,
              reward: '500000',
              limit: '9',
              claimedAmount: '0',
              totalAmountClaimed: '0',
              totalClaims: '0',
              metadata: {
                id: '8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
                chainId: 8453,
                address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
                decimals: 6,
                name: 'USD Coin',
                symbol: 'USDC',
                imageUri: 'https://images.example/usdc.png',
              },
            },
            { type: 'AllowListIncentive', allowListAddress: '0xbb1daa985e5fd471cfc6218ef702ae4dcbeb3d35', limit: '3' },
          ],
          campaignName: 'Mint a drop',
          isActive: true,
          startTime: '2025-06-01T00:00:00.000Z',
          endTime: '2026-02-01T00:00:00.500Z',
          availableBudgetUsd: '4.50045',
          actionTemplateId: '5f0c3f0e-8f0c-4b4f-9f3c-0d6f2f5a1c01',
          projectImageUri: 'https://images.example/project.png',
          tokenImageUri: 'https://images.example/token.png',
          nftImageUri: 'https://images.example/nft.png',
          nftName: 'Drop',
        },
      ],
      totalCampaigns: 1,
    })
  })

  test('has every key also where the record says the least', async () => {
    expect(
      await listed({
        type: 'campaign',
        id: `1:${CORE}:0`,
        action: anAddress('action'),
        budget: anAddress('budget'),
        owner: anAddress('owner'),
        validator: anAddress('validator'),
        blockTimestamp: '0',
        txHash: aHash('deed'),
        protocolFee: '0',
        maxParticipants: '0',
        incentives: [],
      }),
    ).toStrictEqual({
      ...unsaidIn('list'),
      id: `1:${CORE}:0`,
      action: anAddress('action'),
      allowList: null,
      campaignIndex: '0',
      budget: anAddress('budget'),
      incentiveCount: '0',
      owner: anAddress('owner'),
      validator: anAddress('validator'),
      blockTimestamp: '0',
      txHash: aHash('deed'),
      chainId: 1,
      actionSteps: null,
      protocolFee: '0',
      maxParticipants: '0',
      incentives: [],
      isActive: true,
      availableBudgetUsd: null,
    })
  })

  test('has null for an empty list of action steps', async () => {
    expect((await listed(aCampaign({ actionSteps: [] }))).actionSteps).toBeNull()
  })

  test('keeps amounts exact up to 2^256 - 1', async () => {
    const { protocolFee, maxParticipants, campaignIndex, id } = await listed(
      aCampaign({ id: `1:${CORE}:${MAX}`, protocolFee: MAX, maxParticipants: MAX }),
    )
    expect({ protocolFee, maxParticipants, campaignIndex, id }).toEqual({
      protocolFee: MAX,
      maxParticipants: MAX,
      campaignIndex: MAX,
      id: `1:${CORE}:${MAX}`,
    })
  })

  test('keeps the order of incentives and of action steps', async () => {
    const limits = Array.from({ length: 12 }, (_, index) => String(100 - index))
    const steps = Array.from({ length: 12 }, (_, index) => aStep(anAddress(`target ${index % 5}`), index))
    const item = await listed(
      aCampaign({
        incentives: limits.map((limit) => ({
          type: 'AllowListIncentive',
          allowListAddress: anAddress('allow list'),
          limit,
        })),
        actionSteps: steps,
      }),
    )
    expect(item.incentives).toEqual(
      limits.map((limit) => ({ type: 'AllowListIncentive', allowListAddress: anAddress('allow list'), limit })),
    )
    expect(item.incentiveCount).toBe('12')
    expect(item.actionSteps).toEqual(steps)
  })

  test.each([
    { count: 0, addresses: null },
    { count: 1, addresses: 'all' },
    { count: 100, addresses: 'all' },
    { count: 101, addresses: null },
  ])('shows of an allow list with $count addresses: $addresses', async ({ count, addresses }) => {
    const all = Array.from({ length: count }, (_, index) => anAddress(`user ${index}`))
    const allowList = { owner: anAddress('o'), contractAddress: anAddress('c'), type: 'SimpleAllowList' as const }
    const item = await listed(aCampaign({ allowList: { ...allowList, addresses: all } }))
    expect(item.allowList).toStrictEqual({ ...allowList, addresses: addresses === 'all' ? all.toSorted() : null })
  })

  test('counts an address of an allow list once, in whatever case it is repeated', async () => {
    const all = Array.from({ length: 100 }, (_, index) => anAddress(`user ${index}`))
    const allowList = { owner: anAddress('o'), contractAddress: anAddress('c'), type: 'SimpleDenyList' as const }
    const item = await listed(aCampaign({ allowList: { ...allowList, addresses: [...all, ...all.map(inUpperCase)] } }))
    expect(item.allowList?.addresses).toEqual(all.toSorted())
  })

  test('never shows the access list that an off-chain allow list stands for', async () => {
    const allowList = { owner: anAddress('o'), contractAddress: anAddress('c'), type: 'OffchainAccessList' as const }
    const item = await listed(
      { type: 'accessList', id: 'friends', userId: 'u', name: 'Friends', createdAt: '2025-01-01T00:00:00Z' },
      aCampaign({ allowList: { ...allowList, accessListId: 'friends' } }),
    )
    expect(item.allowList).toStrictEqual({ ...allowList, addresses: null })
  })
})

describe('the order', () => {
  test('is newest first, by default and when asked for', async () => {
    await using api = await borrowTestApp()
    const timestamps = ['9', '1750000000', '0', '253402300799', '10', '1749999999']
    const campaigns = timestamps.map((blockTimestamp) => aCampaign({ blockTimestamp }))
    await api.save(...campaigns)
    const newestFirst = idsOf(campaigns.toSorted((a, b) => Number(b.blockTimestamp) - Number(a.blockTimestamp)))
    expect(await found(api)).toEqual(newestFirst)
    expect(await found(api, 'sortBy=recently-deployed')).toEqual(newestFirst)
  })

  test('is active first with sortBy=active, each group newest first', async () => {
    await using api = await borrowTestApp()
    api.setNow(NOW)
    const made = (blockTimestamp: string, isActive: boolean) =>
      aCampaign({ blockTimestamp, ...(isActive ? {} : { endTime: '2025-01-01T00:00:00Z' }) })
    const [a, b, c, d, e] = [made('5', false), made('4', true), made('3', false), made('2', true), made('1', true)]
    await api.save(a, b, c, d, e)
    const expected = idsOf([b, d, e, a, c])
    expect(await found(api, 'sortBy=active')).toEqual(expected)
    expect(await found(api, 'sortBy=active&showActiveOnly=true')).toEqual(idsOf([b, d, e]))
    for (let page = 1; page <= 4; page++) {
      const { campaigns, totalCampaigns } = await list(api, `sortBy=active&pageSize=2&page=${page}`)
      expect(idsOf(campaigns)).toEqual(expected.slice(2 * page - 2, 2 * page))
      expect(totalCampaigns).toBe(5)
    }
  })

  test.each(['recently-deployed', 'active'])(
    'of equals under %s ascends by chain, core address and identifier as a number',
    async (sortBy) => {
      await using api = await borrowTestApp()
      const [low, high] = [`0x${'0'.repeat(39)}a`, `0x${'f'.repeat(40)}`]
      const ids = [
        ...[`2:${low}:0`, `2:${low}:9`, `2:${low}:10`, `2:${low}:100`, `2:${low}:${MAX}`],
        ...[`2:${high}:1`, `2:${high}:2`],
        ...[`10:${low}:1`, `10:${high}:0`],
        ...[`8453:${low}:3`],
      ]
      const shuffled = [...ids.filter((_, index) => index % 2 === 0).toReversed(), ...ids.filter((_, i) => i % 2 === 1)]
      await api.save(...shuffled.map((id) => aCampaign({ id, blockTimestamp: '1750000000' })))
      expect(await found(api, `sortBy=${sortBy}`)).toEqual(ids)
      const onPages = []
      for (let page = 1; page <= 4; page++) {
        onPages.push(...idsOf((await list(api, `sortBy=${sortBy}&pageSize=3&page=${page}`)).campaigns))
      }
      expect(onPages).toEqual(ids)
    },
  )
})

describe('a page', () => {
  test.each(['', 'sortBy=active&'])('has the size and place asked for, with the exact total (%s)', async (sorted) => {
    await using api = await borrowTestApp()
    const campaigns = Array.from({ length: 105 }, () => aCampaign())
    await api.save(...campaigns)
    const all = idsOf(campaigns.toReversed())
    const pages: [query: string, from: number, to: number][] = [
      ['', 0, 10],
      ['page=0', 0, 10],
      ['page=1', 0, 10],
      ['page=2', 10, 20],
      ['page=', 0, 10],
      ['page=null&pageSize=null', 0, 10],
      ['pageSize=', 0, 10],
      ['pageSize=1', 0, 1],
      ['pageSize=100', 0, 100],
      ['pageSize=100&page=2', 100, 105],
      ['page=011', 100, 105],
      ['page=12', 0, 0],
      ['pageSize=100&page=3', 0, 0],
      ['pageSize=0', 0, 0],
      ['pageSize=0&page=7', 0, 0],
      ['page=9007199254740991', 0, 0],
      ['page=9007199254740991&pageSize=100', 0, 0],
    ]
    for (const [query, from, to] of pages) {
      const { campaigns: page, totalCampaigns } = await list(api, sorted + query)
      expect({ query, ids: idsOf(page), totalCampaigns }).toEqual({
        query,
        ids: all.slice(from, to),
        totalCampaigns: 105,
      })
    }
  })
})
