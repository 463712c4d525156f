import { cursorHeaders } from '../../http/response-headers.ts'
import { type CachedRoutes, responsesOf } from '../../http/responses.ts'
import examples from './reward-examples.json' with { type: 'json' }
import type { RewardRepository } from './reward-repository.ts'
import { ListRewardsParams, ListRewardsQuery, ListRewardsResponse } from './reward-schemas.ts'

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
      ...{
        description: 'The rewards of the page, and the totals.',
        schema: ListRewardsResponse,
        example: examples.plain,
      },
      headers: cursorHeaders,
      otherExamples: { empty: [`/users/${examples.unknown.user}/rewards`, examples.unknown] },
    },
    { 400: 'state must be one of claimable, claimed, got "open"' },
  ),
}

export const rewardRoutes: CachedRoutes<{ rewards: RewardRepository }> = async (app, { rewards, responseCache }) => {
  app.get('/users/:address/rewards', { schema: listRewards }, (request, reply) =>
    responseCache.send(request, reply, (version) =>
      rewards.list({ ...request.query, user: request.params.address }, version),
    ),
  )
}
