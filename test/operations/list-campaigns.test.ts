import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CampaignListItem, ListCampaignsResponse } from '../../src/features/campaigns/campaign-schemas.ts'
import type { CampaignRecord, ClaimRecord, ImportRecord, TokenRecord } from '../../src/ingest/records.ts'
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
  mintingStep,
} from '../setup/records.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

const NOW = new Date('2026-01-01T00:00:00.000Z')
const CORE = '0xea11a7937809b8585e63b12cc86bf91a72a5b08a'
const MAX = (2n ** 256n - 1n).toString()

async function list(api: TestApp, query = ''): Promise<ListCampaignsResponse> {
  const response = await api.get(`/campaigns?${query}`)
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

/** The IDs of the first hundred that match, in their order; the total has to say the same. */
async function found(api: TestApp, query = '') {
  const { campaigns, totalCampaigns } = await list(api, `pageSize=100&${query}`)
  expect(totalCampaigns).toBe(campaigns.length)
  return idsOf(campaigns)
}

const idsOf = (campaigns: { id: string }[]) => campaigns.map(({ id }) => id)

/** The one item there is, whatever its tokens. */
async function theOnly(api: TestApp): Promise<CampaignListItem> {
  const { campaigns } = await list(api, 'tokenWhitelist=false')
  expect(campaigns).toHaveLength(1)
  return campaigns[0] as CampaignListItem
}

/** An app that several tests put campaigns of their own into; it never holds more than a page of them. */
let shared: TestApp
beforeAll(async () => {
  shared = await startTestApp()
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
    await using api = await startTestApp()
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
      campaignName: null,
      isActive: true,
      startTime: null,
      endTime: null,
      availableBudgetUsd: null,
      actionTemplateId: null,
      projectImageUri: null,
      tokenImageUri: null,
      nftImageUri: null,
      nftName: null,
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

describe('incentives', () => {
  test('of all ten variants are read back field by field, addresses lower-case', async () => {
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
    expect(expected).toHaveLength(10)
    expect(item.incentives).toStrictEqual(expected)
    expect(item.incentiveCount).toBe('10')
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

describe('filters', () => {
  test('let everything pass when there are none', async () => {
    await using api = await startTestApp()
    const [first, second] = [aCampaign(), aCampaign()]
    await api.save(first, second)
    expect(await found(api)).toEqual([second.id, first.id])
  })

  test('answer an empty list and the total 0 when nothing matches', async () => {
    await using api = await startTestApp()
    expect(await list(api)).toEqual({ campaigns: [], totalCampaigns: 0 })
    await api.save(aCampaign())
    expect(await list(api, `owner=${anAddress('nobody')}`)).toEqual({ campaigns: [], totalCampaigns: 0 })
  })

  test('find an owner without regard to case', async () => {
    await using api = await startTestApp()
    const mine = aCampaign({ owner: inUpperCase(anAddress('somebody')) })
    await api.save(mine, aCampaign({ creator: anAddress('somebody') }))
    expect(await found(api, `owner=${anAddress('somebody')}`)).toEqual([mine.id])
    expect(await found(api, `owner=${inUpperCase(anAddress('somebody'))}`)).toEqual([mine.id])
  })

  test('find any of several budget accounts, trimmed and without regard to case', async () => {
    await using api = await startTestApp()
    const [one, two, three] = ['one', 'two', 'three'].map((word) => aCampaign({ budget: anAddress(word) }))
    await api.save(one as CampaignRecord, two as CampaignRecord, three as CampaignRecord)
    expect(await found(api, `budgetAccount=${anAddress('one')}`)).toEqual([one?.id])
    const several = `${anAddress('three')}, ${inUpperCase(anAddress('one'))} ,${anAddress('one')}`
    expect(await found(api, `budgetAccount=${encodeURIComponent(several)}`)).toEqual([three?.id, one?.id])
  })

  test('find an autocampaign by its exact ID', async () => {
    await using api = await startTestApp()
    const mine = aCampaign({ autocampaignId: 'Auto, 1 & ü' })
    await api.save(mine, aCampaign({ autocampaignId: 'auto, 1 & ü' }), aCampaign())
    expect(await found(api, `autocampaignId=${encodeURIComponent('Auto, 1 & ü')}`)).toEqual([mine.id])
    expect(await found(api, 'autocampaignId=Auto')).toEqual([])
  })

  test('find the campaigns created on a chain', async () => {
    await using api = await startTestApp()
    const mine = aCampaign({ id: `10:${CORE}:1`, actionSteps: [aStep(anAddress('target'), 8453)] })
    const other = aCampaign({ id: `8453:${CORE}:2`, actionSteps: [aStep(anAddress('target'), 10)] })
    await api.save(mine, other)
    expect(await found(api, 'chainId=10')).toEqual([mine.id])
    expect(await found(api, 'chainId=010')).toEqual([mine.id])
    expect(await found(api, 'chainId=0')).toEqual([])
    expect(await found(api, 'chainId=9007199254740991')).toEqual([])
    for (const any of ['', 'null']) expect(await found(api, `chainId=${any}`)).toEqual([other.id, mine.id])
  })

  test('find a target contract on the chain of the contract, wherever the campaign was created', async () => {
    await using api = await startTestApp()
    const target = anAddress('target')
    const elsewhere = aCampaign({ id: `10:${CORE}:1`, actionSteps: [aStep(anAddress('x')), aStep(target, 8453)] })
    const otherChain = aCampaign({ id: `8453:${CORE}:2`, actionSteps: [aStep(target, 10)] })
    const otherContract = aCampaign({ id: `8453:${CORE}:3`, actionSteps: [aStep(anAddress('x'), 8453)] })
    await api.save(elsewhere, otherChain, otherContract)
    expect(await found(api, `targetContract=${target}&chainId=8453`)).toEqual([elsewhere.id])
    expect(await found(api, `chainId=10&targetContract=${inUpperCase(target)}`)).toEqual([otherChain.id])
    expect(await found(api, `chainId=1&targetContract=${target}`)).toEqual([])
  })

  test('take neither the criteria nor the claimant of an action for a target contract', async () => {
    await using api = await startTestApp()
    const incentives = anIncentiveOfEachVariant(anAddress)
    await api.save(aCampaign({ incentives, actionSteps: [mintingStep] }), aCampaign({ incentives }))
    expect(await found(api, `tokenWhitelist=false&chainId=8453&targetContract=${anAddress('criteria')}`)).toEqual([])
  })

  test('find a token as a reward asset and as the token the action deals in', async () => {
    await using api = await startTestApp()
    const token = aToken()
    const paying = aCampaign({ incentives: [anErc20Incentive(inUpperCase(token.address))] })
    const dealing = aCampaign({ actionToken: { chainId: 8453, address: inUpperCase(token.address) } })
    const onOtherChain = aCampaign({ id: `10:${CORE}:7`, incentives: [anErc20Incentive(token.address)] })
    const dealingOnOtherChain = aCampaign({
      id: `10:${CORE}:8`,
      actionToken: { chainId: 8453, address: token.address },
    })
    const asCollection = aCampaign({ nftCollection: { chainId: 8453, address: token.address } })
    const asTarget = aCampaign({ actionSteps: [aStep(token.address)] })
    const asVenue = aCampaign({
      incentives: [{ type: 'PointsIncentive', venue: token.address, selector: '0x', reward: '1', limit: '1' }],
    })
    await api.save(token, paying, dealing, onOtherChain, dealingOnOtherChain, asCollection, asTarget, asVenue)
    const expected = [dealingOnOtherChain.id, dealing.id, paying.id]
    expect(await found(api, `tokenWhitelist=false&tokens=8453:${token.address}`)).toEqual(expected)
    expect(await found(api, `tokenWhitelist=false&tokens=8453:${inUpperCase(token.address)}`)).toEqual(expected)
  })

  test('find the asset of every variant that pays a token, and never its peg', async () => {
    await using api = await startTestApp()
    const paying = anIncentiveOfEachVariant(anAddress)
      .filter(({ asset }) => asset !== undefined)
      .map((incentive) => aCampaign({ incentives: [incentive] }))
    await api.save(...paying)
    expect(paying).toHaveLength(8)
    const all = idsOf(paying.toReversed())
    expect(await found(api, `tokenWhitelist=false&tokens=8453:${anAddress('asset')}`)).toEqual(all)
    expect(await found(api, `tokenWhitelist=false&tokens=8453:${anAddress('peg')}`)).toEqual([])
  })

  test('find a collection as the NFT collection and as the target of a step', async () => {
    await using api = await startTestApp()
    const collection = anAddress('collection')
    const byCollection = aCampaign({ nftCollection: { chainId: 10, address: inUpperCase(collection) } })
    const byTarget = aCampaign({ actionSteps: [aStep(anAddress('x'), 10), aStep(collection, 10)] })
    const onOtherChain = aCampaign({ nftCollection: { chainId: 1, address: collection } })
    const asToken = aCampaign({ actionToken: { chainId: 10, address: collection } })
    await api.save(byCollection, byTarget, onOtherChain, asToken)
    const expected = [byTarget.id, byCollection.id]
    expect(await found(api, `tokens=10:${collection}:collection`)).toEqual(expected)
    expect(await found(api, `tokens=10:${inUpperCase(collection)}:collection`)).toEqual(expected)
    expect(await found(api, `tokens=10:${collection}:collection,10:${collection}`)).toEqual([asToken.id, ...expected])
  })

  test('find any of several tokens, each campaign once', async () => {
    await using api = await startTestApp()
    const [a, b] = [aToken(), aToken({ chainId: 10 })]
    const both = aCampaign({
      incentives: [anErc20Incentive(a.address)],
      actionToken: { chainId: 10, address: b.address },
    })
    const one = aCampaign({ actionToken: { chainId: 10, address: b.address } })
    await api.save(a, b, both, one, aCampaign())
    expect(await found(api, `tokens=8453:${a.address}, 10:${b.address}`.replaceAll(' ', '%20'))).toEqual([
      one.id,
      both.id,
    ])
  })

  test('find any of several distribution channels without regard to case', async () => {
    await using api = await startTestApp()
    const web = aCampaign({ distributionChannels: ['Web Site', 'web site', 'Other'] })
    const street = aCampaign({ distributionChannels: ['STRASSE'] })
    await api.save(web, street, aCampaign({ distributionChannels: ['web'] }), aCampaign())
    expect(await found(api, 'distributionChannel=WEB%20SITE')).toEqual([web.id])
    expect(await found(api, 'distributionChannel=strasse,%20web%20site%20,other')).toEqual([street.id, web.id])
  })

  test.each(['ÄÖÜ', 'İSTANBUL', 'ΟΔΟΣ', 'ẞ', 'ДЖ'])('find the channel %s as it is written', async (channel) => {
    await using api = await startTestApp()
    const mine = aCampaign({ distributionChannels: [channel] })
    await api.save(mine, aCampaign({ distributionChannels: ['other'] }))
    expect(await found(api, `distributionChannel=${encodeURIComponent(channel)}`)).toEqual([mine.id])
  })

  test('by default let only campaigns pass all of whose reward tokens are known and whitelisted', async () => {
    await using api = await startTestApp()
    const [good, bad, onOtherChain] = [aToken(), aToken({ whitelisted: false }), aToken({ chainId: 10 })]
    const { whitelisted: _, ...silent } = aToken()
    const paying = (...assets: string[]) => aCampaign({ incentives: assets.map((asset) => anErc20Incentive(asset)) })
    const passing = [
      aCampaign(),
      aCampaign({
        incentives: [
          { type: 'PointsIncentive', venue: anAddress('venue'), selector: '0x', reward: '1', limit: '1' },
          { type: 'AllowListIncentive', allowListAddress: anAddress('list'), limit: '1' },
        ],
      }),
      paying(good.address),
      paying(good.address, good.address),
    ]
    const hidden = [
      paying(bad.address),
      paying(silent.address),
      paying(anAddress('unknown')),
      paying(good.address, bad.address),
      paying(good.address, anAddress('unknown')),
      paying(onOtherChain.address),
    ]
    await api.save(good, bad, silent, onOtherChain, ...passing, ...hidden)
    const ofPassing = idsOf(passing.toReversed())
    for (const query of ['', 'tokenWhitelist=true', 'tokenWhitelist=', 'tokenWhitelist=null']) {
      expect(await found(api, query), query).toEqual(ofPassing)
    }
    expect(await found(api, 'tokenWhitelist=false')).toEqual([...idsOf(hidden.toReversed()), ...ofPassing])
  })

  test('follow a token that is whitelisted later, and one that no longer is', async () => {
    await using api = await startTestApp()
    const token = aToken({ whitelisted: false })
    const campaign = aCampaign({ incentives: [anErc20Incentive(token.address)] })
    await api.save(token, campaign)
    expect(await found(api)).toEqual([])
    await api.save({ ...token, whitelisted: true })
    expect(await found(api)).toEqual([campaign.id])
    await api.save({ ...token, whitelisted: false })
    expect(await found(api)).toEqual([])
  })

  test('find the campaigns that use an action template as it is', async () => {
    await using api = await startTestApp()
    const template = anActionTemplate()
    const asItIs = aCampaign({ actionTemplateId: template.id })
    const notCustom = aCampaign({ actionTemplateId: template.id, customAction: false })
    const custom = aCampaign({ actionTemplateId: template.id, customAction: true })
    const without = aCampaign({ templateId: template.id })
    await api.save(template, asItIs, notCustom, custom, without)
    expect(await found(api, 'actionTemplateOnly=true')).toEqual([notCustom.id, asItIs.id])
    const all = [without.id, custom.id, notCustom.id, asItIs.id]
    expect(await found(api, 'actionTemplateOnly=false')).toEqual(all)
    expect(await found(api)).toEqual(all)
  })

  test('combine with AND', async () => {
    await using api = await startTestApp()
    api.setNow(NOW)
    const template = anActionTemplate()
    const token = aToken()
    const full: Partial<CampaignRecord> = {
      owner: anAddress('me'),
      budget: anAddress('mine'),
      autocampaignId: 'auto',
      actionSteps: [aStep(anAddress('target'), 10)],
      incentives: [anErc20Incentive(token.address)],
      distributionChannels: ['web'],
      actionTemplateId: template.id,
    }
    const match = aCampaign(full)
    const misses = [
      { owner: anAddress('you') },
      { budget: anAddress('yours') },
      { autocampaignId: 'other' },
      { actionSteps: [aStep(anAddress('target'), 8453)] },
      { incentives: [] },
      { distributionChannels: ['app'] },
      { actionTemplateId: null },
      { endTime: '2025-12-31T23:59:59.999Z' },
      { incentives: [anErc20Incentive(token.address), anErc20Incentive(anAddress('unknown'))] },
    ].map((parts) => aCampaign({ ...full, ...parts }))
    await api.save(template, token, match, ...misses)
    const query = [
      `owner=${anAddress('me')}`,
      `budgetAccount=${anAddress('mine')}`,
      'autocampaignId=auto',
      `targetContract=${anAddress('target')}`,
      'chainId=10',
      `tokens=8453:${token.address}`,
      'distributionChannel=web',
      'actionTemplateOnly=true',
      'showActiveOnly=true',
      'sortBy=active',
      'tokenWhitelist=true',
      'page=1',
      'pageSize=100',
    ]
    expect(query).toHaveLength(13)
    const { campaigns, totalCampaigns } = await list(api, query.join('&'))
    expect({ ids: idsOf(campaigns), totalCampaigns }).toEqual({ ids: [match.id], totalCampaigns: 1 })
  })
})

describe('a campaign is active', () => {
  const times: [string, Partial<CampaignRecord>, boolean][] = [
    ['without times', {}, true],
    ['from its very start', { startTime: '2026-01-01T00:00:00.000Z' }, true],
    ['not a millisecond before its start', { startTime: '2026-01-01T00:00:00.001Z' }, false],
    ['until a millisecond before its end', { endTime: '2026-01-01T00:00:00.001Z' }, true],
    ['not at its very end', { endTime: '2026-01-01T00:00:00.000Z' }, false],
    ['between its start and its end', { startTime: '2025-01-01T00:00:00Z', endTime: '2027-01-01T00:00:00Z' }, true],
    ['with null as its times', { startTime: null, endTime: null }, true],
  ]
  const participants: [string, Partial<CampaignRecord>, string[], boolean][] = [
    ['whoever has claimed, when maxParticipants is "0"', { maxParticipants: '0' }, ['a', 'b'], true],
    ['while fewer than maxParticipants have claimed', { maxParticipants: '3' }, ['a', 'b'], true],
    ['while the same few claim again and again', { maxParticipants: '2' }, ['a', 'a', 'A'], true],
    ['not once as many distinct claimants have claimed', { maxParticipants: '2' }, ['a', 'a', 'b'], false],
    ['not once more than that have claimed', { maxParticipants: '1' }, ['a', 'b'], false],
  ]
  const spending: [string, CampaignRecord['incentives'], { index?: number; amount: string }[], boolean][] = []
  const claims = (...amounts: string[]) => amounts.map((amount) => ({ amount }))
  const asset = anAddress('asset')
  const allowList = (limit: string) => ({ type: 'AllowListIncentive', allowListAddress: anAddress('list'), limit })
  const points = { type: 'PointsIncentive', venue: anAddress('venue'), selector: '0x', reward: '5', limit: '2' }
  const auction = {
    ...{ type: 'CGDAIncentive', asset, initialReward: '5', rewardDecay: '1', rewardBoost: '1' },
    totalBudget: '100',
  }
  spending.push(
    ['AllowListIncentive: while there are fewer claims than its limit', [allowList('2')], claims('9'), true],
    ['AllowListIncentive: not once there are as many', [allowList('2')], claims('0', '0'), false],
    ['PointsIncentive: while there are fewer claims than its limit', [points], claims('9'), true],
    ['PointsIncentive: not once there are as many', [points], claims('5', '5'), false],
    ['ERC20Incentive: while claims remain', [anErc20Incentive(asset, { limit: '1' })], claims('100', '100'), true],
    ['ERC20Incentive: not when its limit is "0"', [anErc20Incentive(asset, { limit: '0' })], [], false],
    ['CGDAIncentive: while less than its budget is claimed', [auction], claims('98', '1'), true],
    ['CGDAIncentive: not once its budget is claimed', [auction], claims('99', '1'), false],
  )
  for (const complete of anIncentiveOfEachVariant(anAddress)) {
    const { remainingBalance: _, claimedAmount: __, totalAmountClaimed: ___, totalClaims: ____, ...variant } = complete
    const { type } = variant
    if (!('claimedAmount' in complete)) continue
    spending.push(
      [`${type}: while its remaining balance is not "0"`, [{ ...variant, remainingBalance: '1' }], [], true],
      [`${type}: not when its remaining balance is "0"`, [{ ...variant, remainingBalance: '0' }], [], false],
    )
    if (type === 'ERC20Incentive') continue
    const limited = { ...variant, limit: '100' }
    spending.push(
      [`${type}: while less than its limit is claimed`, [limited], claims('98', '1'), true],
      [`${type}: not once its limit is claimed`, [limited], claims('99', '1'), false],
      [`${type}: not once more than its limit is claimed`, [limited], claims(MAX), false],
      [`${type}: as the recorded amount says`, [{ ...limited, totalAmountClaimed: '100' }], [], false],
      [`${type}: as the recorded amount says first`, [{ ...limited, totalAmountClaimed: '99' }], claims('100'), true],
      [`${type}: as the claims say for ""`, [{ ...limited, totalAmountClaimed: '' }], claims('100'), false],
      [`${type}: whatever the other figures`, [{ ...limited, claimedAmount: '100', totalClaims: '100' }], [], true],
      [
        `${type}: not once its limit is claimed, whatever its balance`,
        [{ ...limited, totalAmountClaimed: '100', remainingBalance: '7' }],
        [],
        false,
      ],
    )
  }
  spending.push(
    ['while one of its incentives is not spent', [allowList('1'), allowList('2')], claims('0'), true],
    [
      'not once all its incentives are spent',
      [allowList('1'), allowList('2')],
      [{ amount: '0' }, { index: 1, amount: '0' }, { index: 1, amount: '0' }],
      false,
    ],
    ['as each incentive counts its own claims', [allowList('1'), allowList('1')], claims('0', '0'), true],
    ['when it has no incentives', [], [], true],
  )

  const cases: { title: string; campaign: CampaignRecord; claims: ClaimRecord[]; isActive: boolean }[] = [
    ...times.map(([title, parts, isActive]) => ({ title, campaign: aCampaign(parts), claims: [], isActive })),
    ...participants.map(([title, parts, claimants, isActive]) => {
      const campaign = aCampaign({ ...parts, incentives: [allowList('99'), allowList('99')] })
      const all = claimants.map((word, index) => {
        const claimant = anAddress(word.toLowerCase())
        return aClaim(campaign, {
          incentiveIndex: index % 2,
          claimant: word === 'A' ? inUpperCase(claimant) : claimant,
        })
      })
      return { title, campaign, claims: all, isActive }
    }),
    ...spending.map(([title, incentives, made, isActive]) => {
      const campaign = aCampaign({ incentives })
      const all = made.map(({ index = 0, amount }) => aClaim(campaign, { incentiveIndex: index, amount }))
      return { title, campaign, claims: all, isActive }
    }),
  ]

  let api: TestApp
  let active: Set<string>
  let activity: Map<string, boolean>
  beforeAll(async () => {
    api = await startTestApp()
    api.setNow(NOW)
    await api.save(...cases.flatMap(({ campaign, claims: made }) => [campaign, ...made]))
    active = new Set(await found(api, 'tokenWhitelist=false&showActiveOnly=true'))
    const { campaigns } = await list(api, 'tokenWhitelist=false&pageSize=100')
    activity = new Map(campaigns.map(({ id, isActive }) => [id, isActive]))
  })
  afterAll(() => api[Symbol.asyncDispose]())

  test('or not in each of the cases below', () => {
    expect(cases.length).toBeGreaterThan(60)
    expect(activity.size).toBe(cases.length)
  })

  for (const { title, campaign, isActive } of cases) {
    test(title, () => {
      expect(activity.get(campaign.id)).toBe(isActive)
      expect(active.has(campaign.id)).toBe(isActive)
    })
  }

  test('until it ends, with nothing written between two answers', async () => {
    await using api = await startTestApp()
    const starting = aCampaign({ startTime: '2026-01-01T00:00:00.000Z' })
    const ending = aCampaign({ endTime: '2026-01-01T00:00:00.000Z' })
    await api.save(starting, ending)
    const activity = async () => (await list(api)).campaigns.map(({ id, isActive }) => [id, isActive])

    api.setNow(new Date('2025-12-31T23:59:59.999Z'))
    expect(await activity()).toEqual([
      [ending.id, true],
      [starting.id, false],
    ])
    expect(await found(api, 'showActiveOnly=true')).toEqual([ending.id])
    expect(await found(api, 'sortBy=active')).toEqual([ending.id, starting.id])

    api.setNow(NOW)
    expect(await activity()).toEqual([
      [ending.id, false],
      [starting.id, true],
    ])
    expect(await found(api, 'showActiveOnly=true')).toEqual([starting.id])
    expect(await found(api, 'sortBy=active')).toEqual([starting.id, ending.id])
  })

  test('again when it is replaced by one with more to give, its claims kept', async () => {
    await using api = await startTestApp()
    const campaign = aCampaign({ incentives: [allowList('1')] })
    await api.save(campaign, aClaim(campaign))
    expect((await theOnly(api)).isActive).toBe(false)
    await api.save({ ...campaign, incentives: [allowList('2')] })
    expect((await theOnly(api)).isActive).toBe(true)
    await api.save({ ...campaign, incentives: [allowList('2')], maxParticipants: '1' })
    expect((await theOnly(api)).isActive).toBe(false)
  })
})

describe('the order', () => {
  test('is newest first, by default and when asked for', async () => {
    await using api = await startTestApp()
    const timestamps = ['9', '1750000000', '0', '253402300799', '10', '1749999999']
    const campaigns = timestamps.map((blockTimestamp) => aCampaign({ blockTimestamp }))
    await api.save(...campaigns)
    const newestFirst = idsOf(campaigns.toSorted((a, b) => Number(b.blockTimestamp) - Number(a.blockTimestamp)))
    expect(await found(api)).toEqual(newestFirst)
    expect(await found(api, 'sortBy=recently-deployed')).toEqual(newestFirst)
  })

  test('is active first with sortBy=active, each group newest first', async () => {
    await using api = await startTestApp()
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
      await using api = await startTestApp()
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
    await using api = await startTestApp()
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
    await using api = await startTestApp()
    await api.save(...onChainsOfTheirOwn.flatMap(({ records }) => records))
    const { campaigns } = await list(api, 'tokenWhitelist=false&pageSize=100')
    budgets = new Map(campaigns.map(({ id, availableBudgetUsd }) => [id, availableBudgetUsd]))
  })

  for (const { title, campaign, expected } of onChainsOfTheirOwn) {
    test(title, () => expect(budgets.get(campaign.id)).toBe(expected))
  }

  test('follows the price of the token', async () => {
    await using api = await startTestApp()
    await api.save(token(), aCampaign({ incentives: [of('ERC20VariableIncentive', million)] }))
    expect((await theOnly(api)).availableBudgetUsd).toBe('2')
    await api.save(token({ priceUsd: '0.123456789' }))
    expect((await theOnly(api)).availableBudgetUsd).toBe('0.123457')
  })
})
