import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { ResponseCache } from '../../cache/response-cache.ts'
import { responsesOf } from '../../http/request/responses.ts'
import { tokenExample } from '../../schemas/campaigns/tokens.ts'
import type { TrendingRepository } from './trending-repository.ts'
import { ListTrendingCampaignsQuery, ListTrendingCampaignsResponse, type TrendingCampaign } from './trending-schemas.ts'

/** A campaign of the real protocol as it might be claimed today; shown in the OpenAPI document. */
export const trendingExample: TrendingCampaign = {
  id: '8453:0x378632819f39c74c4f56b1429e760739c5fb51b7:12',
  chainId: 8453,
  incentives: [
    {
      type: 'ERC20VariableCriteriaIncentiveV2',
      assetAddress: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
      rewardAmount: '25000000',
      rewardAmountFormatted: '25',
      rewardUsdValue: 25.0025,
      maxReward: '25000000',
      maxRewardUsdValue: 25.0025,
      rewardPercentage: 2.5,
      rebatePercentage: 2.5,
      tokenSymbol: 'USDC',
      tokenImageUri: 'https://images.example/usdc.png',
      metadata: tokenExample,
    },
  ],
  actionTemplate: {
    id: '5f0c3f0e-8f0c-4b4f-9f3c-0d6f2f5a1c01',
    projectId: 'uniswap',
    actionType: 'swap',
    projectImage: 'https://images.example/uniswap.png',
    description: 'Swap into the token',
    category: 'defi',
  },
  status: 'claimable',
  accessStatus: 'allowed',
  signature: {
    claimant: '0x2fc9cdcca64f00a2bd83c6c61e413e8a7fec40ee',
    incentiveId: 0,
    signature: '0x1b1b1b',
    referrer: '0x0000000000000000000000000000000000000000',
  },
  txHash: '0x2dfc8f4f24b1a3a7ee73ea13b8a20a63fe7457d1c96b95178d3ea4126b6bf5ad',
  blockTimestamp: '1731373464',
  campaignName: 'Swap on Base',
  startTime: '2024-11-12T00:00:00.000Z',
  claimCount: 1204,
  totalBudget: '50000000000',
  rewardsDistributed: '9712500000',
  usdDistributed24Hr: 812.331205,
  usdDistributed1Hr: 40.5,
}

const listTrendingCampaigns = {
  operationId: 'listTrendingCampaigns',
  summary: 'List trending campaigns',
  description:
    'The active campaigns with claims in the period, by US dollars claimed in it; at most 100. The period ends at the second of the response.',
  tags: ['Campaigns'],
  querystring: ListTrendingCampaignsQuery,
  response: responsesOf(
    {
      description: 'The campaigns, largest volume first.',
      schema: ListTrendingCampaignsResponse,
      example: { trendingCampaigns: [trendingExample] },
      otherExamples: {
        empty: ['/reward-kit/trending?owner=0x0000000000000000000000000000000000000001', { trendingCampaigns: [] }],
      },
    },
    { 400: 'period must be one of 1h, 24h, got "7d"' },
  ),
}

export const trendingRoutes: FastifyPluginAsyncTypebox<{
  trending: TrendingRepository
  responseCache: ResponseCache
}> = async (app, { trending, responseCache }) => {
  app.get('/reward-kit/trending', { schema: listTrendingCampaigns }, (request, reply) =>
    responseCache.send(request, reply, async () => ({ body: await trending.list(request.query) }), {
      changesEachSecond: true,
    }),
  )
}
