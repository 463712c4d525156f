import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { ResponseCache } from '../../cache/response-cache.ts'
import { cursorHeaders } from '../../http/request/response-headers.ts'
import { responsesOf } from '../../http/request/responses.ts'
import { tokenExample } from '../../schemas/campaigns/tokens.ts'
import type { RewardRepository } from './reward-repository.ts'
import { ListRewardsParams, ListRewardsQuery, ListRewardsResponse } from './reward-schemas.ts'

const token = {
  asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  metadata: tokenExample,
}

const lastTxHash = '0x2dfc8f4f24b1a3a7ee73ea13b8a20a63fe7457d1c96b95178d3ea4126b6bf5ad'
const lastClaimedAt = '2026-01-31T12:00:00.000Z'

const example: ListRewardsResponse = {
  user: '0x1ed08f5f7ed154e19d18f21e6b7f4a8402033aaa',
  rewards: [
    {
      campaignId: '8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1657',
      campaignName: 'Swap on Base',
      incentiveIndex: 0,
      incentiveType: 'PointsIncentive',
      ...{ asset: null, metadata: null },
      verdict: 'blocked',
      reasons: [
        { code: 'already-claimed', txHash: lastTxHash, at: lastClaimedAt, allowed: 1 },
        { code: 'signature-missing' },
      ],
      claims: 1,
      claimedAmount: '100',
      claimedAmountUsd: null,
      lastClaimedAt,
      lastTxHash,
    },
  ],
  totals: [
    { chainId: 8453, ...token, claims: 1, claimedAmount: '2500000', claimedAmountUsd: '2.5', unvaluedClaims: 0 },
  ],
  nextCursor: 'QmzYQ2pzM1ZrTG0x',
}

const unknown: ListRewardsResponse = {
  user: '0x0000000000000000000000000000000000000001',
  rewards: [],
  totals: [],
  nextCursor: null,
}

const listRewards = {
  operationId: 'listRewards',
  summary: 'List the rewards of an account',
  description:
    'What an account has claimed or has a signature for, by incentive, across campaigns and chains, with the verdict on each and totals by token. An unknown account has none.',
  tags: ['Users'],
  params: ListRewardsParams,
  querystring: ListRewardsQuery,
  response: responsesOf(
    {
      ...{ description: 'The rewards of the page, and the totals.', schema: ListRewardsResponse, example },
      headers: cursorHeaders,
      otherExamples: { empty: [`/users/${unknown.user}/rewards`, unknown] },
    },
    { 400: 'state must be one of claimable, claimed, got "open"' },
  ),
}

export const rewardRoutes: FastifyPluginAsyncTypebox<{
  rewards: RewardRepository
  responseCache: ResponseCache
}> = async (app, { rewards, responseCache }) => {
  app.get('/users/:address/rewards', { schema: listRewards }, (request, reply) =>
    responseCache.send(request, reply, (version) =>
      rewards.list({ ...request.query, user: request.params.address }, version),
    ),
  )
}
