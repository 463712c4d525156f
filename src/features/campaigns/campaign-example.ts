import { tokenExample } from '../../schemas/campaigns/tokens.ts'
import type { CampaignDetail, CampaignListItem, ListCampaignsResponse } from './campaign-schemas.ts'

/** A campaign of the real protocol: the example of both operations in the OpenAPI document. */
const common = {
  id: '8453:0x378632819f39c74c4f56b1429e760739c5fb51b7:12',
  action: '0x842622db27d483ccc49ac9f58920eadb90af5e73',
  campaignIndex: '12',
  budget: '0xa904ef32d569e2ada8f4de6244bf68f36fa219f6',
  incentiveCount: '1',
  owner: '0x84dc02a3b41ff6fb0b9288234b2b8051b641bf00',
  validator: '0xff1daa985e5fd471cfc6218ef702ae4dcbeb3d35',
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
      claimedAmount: '500000',
      totalAmountClaimed: '500000',
      totalClaims: '1',
      metadata: tokenExample,
    },
  ],
  isActive: true,
  availableBudgetUsd: '4.50045',
  campaignName: 'Mint a drop on Base',
  actionTemplateId: '5f0c3f0e-8f0c-4b4f-9f3c-0d6f2f5a1c01',
  projectImageUri: null,
  tokenImageUri: null,
  nftImageUri: null,
  nftName: null,
  startTime: '2024-11-12T00:00:00.000Z',
  endTime: null,
} satisfies Partial<CampaignListItem>

const allowList = {
  owner: '0x84dc02a3b41ff6fb0b9288234b2b8051b641bf00',
  contractAddress: '0xeecfd74f70ee663e42955b8e13d699f075736d07',
  type: 'OpenAllowList',
} as const

const actionSteps = [
  {
    chainId: 8453,
    claimant: '0x84dc02a3b41ff6fb0b9288234b2b8051b641bf00',
    signature: '0xb362243af1e2070d7d5bf8d713f2e0fab64203f1b71462afbe20572909788c5e',
    signatureName: 'Purchased(address,address,uint256,uint256,uint256)',
    signatureType: 'event' as const,
    actionType: 0,
    targetContract: '0x9d2fc5ffe5939efd1d573f975bc5eefd364779ae',
    parameters: { filterType: 0, fieldType: 0, fieldIndex: 2, filterData: '0x03' },
  },
]

export const listItemExample: CampaignListItem = {
  ...common,
  allowList: { ...allowList, addresses: null },
  actionSteps: null,
}

export const countsExample: ListCampaignsResponse = {
  campaigns: [],
  totalCampaigns: 1000,
  facets: {
    incentiveType: [
      { value: 'ERC20Incentive', count: 535 },
      { value: 'ERC20PeggedIncentive', count: 95 },
    ],
    distributionChannel: [
      { value: 'public', count: 713 },
      { value: 'farcaster', count: 322 },
    ],
  },
  facetsWithMore: ['incentiveType', 'distributionChannel'],
}

export const detailExample: CampaignDetail = {
  ...common,
  incentives: [{ type: 'AllowListIncentive', allowListAddress: allowList.contractAddress, limit: '10' }],
  availableBudgetUsd: null,
  allowList: { ...allowList, addresses: [] },
  actionSteps,
  createdAt: '2024-11-12T01:04:24.000Z',
  createdAtBlockchainNumbers: { '8453': '22222222' },
  templateId: null,
  nftMetadataId: null,
}
