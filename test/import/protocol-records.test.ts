import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { unsaidIn } from '../../src/database/campaign-fields.ts'
import { importRecords } from '../../src/import/importer.ts'
import { toFileSource } from '../../src/import/sources.ts'
import type { TestDatabase } from '../setup/database.ts'
import { borrowTestApp } from '../setup/test-app.ts'

type Row = Record<string, unknown>

const templateId = '5f0c3f0e-8f0c-4b4f-9f3c-0d6f2f5a1c01'

const core = '0xea11a7937809b8585e63b12cc86bf91a72a5b08a'

describe('the campaigns of the real protocol read back field by field', () => {
  const importProtocolCampaigns = (database: TestDatabase) =>
    importRecords(database.url, [
      toFileSource(join(import.meta.dirname, '../../sample-data/protocol-campaigns.ndjson'), () => undefined),
    ])
  const purchase = '0x9d2fc5ffe5939efd1d573f975bc5eefd364779ae'
  const dropOwner = '0x84dc02a3b41ff6fb0b9288234b2b8051b641bf00'
  const action = '0x842622db27d483ccc49ac9f58920eadb90af5e73'
  const validator = '0xff1daa985e5fd471cfc6218ef702ae4dcbeb3d35'

  test('a fixed ERC-20 reward whose total is left open', async () => {
    await using api = await borrowTestApp()
    await importProtocolCampaigns(api.database)
    const response = await api.get('/campaigns/8453:0x378632819F39C74c4F56B1429E760739c5fb51b7:12')
    expect(response.json()).toEqual({
      ...unsaidIn('detail'),
      id: '8453:0x378632819f39c74c4f56b1429e760739c5fb51b7:12',
      action,
      campaignIndex: '12',
      budget: '0xa904ef32d569e2ada8f4de6244bf68f36fa219f6',
      incentiveCount: '1',
      owner: dropOwner,
      validator,
      blockTimestamp: '1731373464',
      txHash: '0x2dfc8f4f24b1a3a7ee73ea13b8a20a63fe7457d1c96b95178d3ea4126b6bf5ad',
      chainId: 8453,
      protocolFee: '1000',
      maxParticipants: '10',
      incentives: [
        {
          type: 'ERC20Incentive',
          asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
          strategy: 0,
          reward: '500000',
          limit: '9',
          totalClaims: '1',
          claimedAmount: '500000',
          totalAmountClaimed: '500000',
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
      ],
      isActive: true,
      availableBudgetUsd: '4.50045',
      campaignName: 'Mint a drop on Base',
      actionTemplateId: templateId,
      startTime: '2024-11-12T00:00:00.000Z',
      createdAt: '2024-11-12T01:04:24.000Z',
      createdAtBlockchainNumbers: { '8453': '22222222' },
      allowList: {
        owner: dropOwner,
        contractAddress: '0xeecfd74f70ee663e42955b8e13d699f075736d07',
        type: 'OpenAllowList',
        addresses: [],
      },
      actionSteps: [
        {
          chainId: 8453,
          claimant: dropOwner,
          signature: '0xb362243af1e2070d7d5bf8d713f2e0fab64203f1b71462afbe20572909788c5e',
          signatureName: 'Purchased(address,address,uint256,uint256,uint256)',
          signatureType: 'event',
          actionType: 0,
          targetContract: purchase,
          parameters: { filterType: 0, fieldType: 0, fieldIndex: 2, filterData: '0x03' },
        },
      ],
    })
  })

  test('a variable criteria reward without an allow list', async () => {
    await using api = await borrowTestApp()
    await importProtocolCampaigns(api.database)
    const response = await api.get('/campaigns/42161:0x4faf2485c49f3c3984e68eb9fc80adaa32bd3dd2:7')
    const owner = '0xb629c117fab3baa951a220f2175a02a4bdbcf734'
    const router = '0xdef171fe48cf0115b1d80b88dc8eab59176fee57'
    const topic = '0xe00361d207b252a464323eb23d45d42583e391f2031acdd2e9fa36efddd43cb0'
    expect(response.json()).toEqual({
      ...unsaidIn('detail'),
      id: '42161:0x4faf2485c49f3c3984e68eb9fc80adaa32bd3dd2:7',
      action,
      campaignIndex: '7',
      budget: '0xa904ef32d569e2ada8f4de6244bf68f36fa219f6',
      incentiveCount: '2',
      owner,
      validator,
      blockTimestamp: '1743000000',
      txHash: '0x0b4a6de84ce4067864681adf7a4e314fea2ac098d29b146d4019a9dc2fd78a29',
      chainId: 42161,
      protocolFee: '1000',
      maxParticipants: '10000',
      incentives: [
        {
          type: 'ERC20VariableCriteriaIncentiveV2',
          asset: '0x912ce59144191c1204e64559fe8253a0e49e6548',
          reward: '70000000000000000',
          limit: '5000000000000000000000',
          maxReward: '10000000000000000000',
          rebatePercentage: 7,
          criteria: { criteriaType: 0, signature: topic, fieldIndex: 7, targetContract: router, valueType: 1 },
          claimedAmount: '17000000000000000000',
          totalAmountClaimed: '17000000000000000000',
          totalClaims: '2',
          metadata: {
            id: '42161:0x912ce59144191c1204e64559fe8253a0e49e6548',
            chainId: 42161,
            address: '0x912ce59144191c1204e64559fe8253a0e49e6548',
            decimals: 18,
            name: 'Arbitrum',
            symbol: 'ARB',
            imageUri: 'https://images.example/arb.png',
          },
        },
        { type: 'AllowListIncentive', allowListAddress: '0xb5a8a95878a72557e53d920e239a97cf70ee4da8', limit: '50' },
      ],
      isActive: true,
      // (5000 − 17) × 0.51
      availableBudgetUsd: '2541.33',
      campaignName: 'Swap to ARB',
      actionTemplateId: '5f0c3f0e-8f0c-4b4f-9f3c-0d6f2f5a1c03',
      createdAt: '2025-03-26T14:40:00.000Z',
      createdAtBlockchainNumbers: { '42161': '259734460' },
      allowList: { owner, contractAddress: `0x${'0'.repeat(40)}`, type: 'OpenAllowList', addresses: [] },
      actionSteps: [
        {
          chainId: 42161,
          signature: topic,
          signatureName: 'SwappedV3(bytes16,address,uint256,address,address,address,address,uint256,uint256,uint256)',
          signatureType: 'event',
          actionType: 0,
          targetContract: router,
          parameters: { filterType: 2, fieldType: 0, fieldIndex: 7, filterData: '0x00' },
        },
      ],
    })
  })

  test('the list has all but the one whose token is not whitelisted, newest first', async () => {
    await using api = await borrowTestApp()
    const summary = await importProtocolCampaigns(api.database)
    expect(summary).toEqual({
      records: {
        token: 7,
        tokenPrice: 0,
        contract: 6,
        actionTemplate: 3,
        accessList: 1,
        campaign: 7,
        campaignMetadata: 0,
        claim: 5,
        claimSignature: 1,
        claimProof: 0,
        profile: 1,
        removal: 0,
      },
      hiddenCampaigns: 1,
      missingTokens: [{ token: '8453:0xb0ffa8000886e57f86dd5264b9582b2ad87b2b91', campaigns: 1 }],
    })
    const { campaigns, totalCampaigns }: { campaigns: Row[]; totalCampaigns: number } = (
      await api.get('/campaigns')
    ).json()
    expect(totalCampaigns).toBe(6)
    expect(campaigns.map(({ id }) => id)).toEqual([
      `8453:${core}:1657`,
      '42161:0x4faf2485c49f3c3984e68eb9fc80adaa32bd3dd2:7',
      `8453:${core}:20`,
      `10:${core}:3`,
      '8453:0x378632819f39c74c4f56b1429e760739c5fb51b7:12',
      '11155111:0x378632819f39c74c4f56b1429e760739c5fb51b7:33',
    ])
    const degen = '0x4ed4e862860bed51a9570b96d89af5e1b0efefed'
    const mint = {
      chainId: 7777777,
      signature: '0x00000000000000000000000000000000000000000000000000000000a836f32f',
      signatureName:
        'mint(address mintTo,uint256 quantity,address collection,uint256 tokenId,address mintReferral,string comment)',
      signatureType: 'function',
      actionType: 0,
      targetContract: '0x777777722d078c97c6ad07d9f36801e653e356ae',
    }
    expect(campaigns[2]).toEqual({
      ...unsaidIn('list'),
      id: `8453:${core}:20`,
      action,
      campaignIndex: '20',
      budget: '0x1a3e67ace4bf9969f4ce48a65cd8653a24b10983',
      incentiveCount: '2',
      owner: dropOwner,
      validator,
      blockTimestamp: '1741000000',
      txHash: '0x0000000000000000000000000000000000000000000000000000000000002020',
      chainId: 8453,
      protocolFee: '1000',
      maxParticipants: '100',
      incentives: [
        {
          type: 'ERC20PeggedIncentive',
          asset: degen,
          peg: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
          reward: '1000000',
          limit: '1000000000000000000000',
          claimedAmount: '237360000000000000000',
          totalAmountClaimed: '237360000000000000000',
          totalClaims: '1',
          metadata: {
            id: `8453:${degen}`,
            chainId: 8453,
            address: degen,
            decimals: 18,
            name: 'Degen',
            symbol: 'DEGEN',
            imageUri: 'https://images.example/degen.png',
          },
        },
        {
          type: 'PointsIncentive',
          venue: '0x6916153295803dbf4eb4f5024067714e7cdc0b83',
          selector: '0x40c10f19',
          reward: '100',
          limit: '1000',
        },
      ],
      isActive: true,
      // (1000 − 237.36) × 0.004213 = 3.21300232
      availableBudgetUsd: '3.213002',
      campaignName: 'Collect on Zora',
      actionTemplateId: templateId,
      nftImageUri: 'ipfs://bafybeigdyrzt/1.png',
      nftName: 'Timed sale',
      allowList: {
        owner: dropOwner,
        contractAddress: '0x26d4e00813e1a4f93c3dc91b6161ccbf24e57e07',
        type: 'SimpleDenyList',
        addresses: ['0x71cb1dc5ae0389f1828a5dfefb8476bd3bea2af2'],
      },
      actionSteps: [
        {
          ...mint,
          parameters: {
            filterType: 0,
            fieldType: 1,
            fieldIndex: 2,
            filterData: '0x3263023c87502f1676f00df902b1237f93da26a9',
          },
        },
        { ...mint, parameters: { filterType: 6, fieldType: 0, fieldIndex: 1, filterData: '0x01' } },
      ],
    })
  })
})
