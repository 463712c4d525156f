import { cursorHeaders } from '../../http/response-headers.ts'
import { type CachedRoutes, responsesOf } from '../../http/responses.ts'
import { readFormat, toStatement, toStatementQuery } from '../../http/statements.ts'
import examples from './reward-examples.json' with { type: 'json' }
import type { RewardRepository } from './reward-repository.ts'
import { ListRewardsParams, ListRewardsQuery, ListRewardsResponse } from './reward-schemas.ts'
import { toRewardStatement } from './reward-statement.ts'
import csvExample from './reward-statement-example.json' with { type: 'json' }

const listRewards = {
  operationId: 'listRewards',
  summary: 'List what an account can claim and has claimed',
  description:
    'What an account has claimed or has a signature for, by incentive, across campaigns and chains, with the verdict on each and totals by token. An account that is not known gets empty arrays.',
  tags: ['Accounts'],
  params: ListRewardsParams,
  querystring: ListRewardsQuery,
  response: responsesOf(
    {
      ...{
        description: 'The rewards of the page, and the totals.',
        schema: ListRewardsResponse,
        example: examples.plain,
        csvExample: csvExample.join('\r\n'),
      },
      headers: cursorHeaders,
      otherExamples: { empty: [`/users/${examples.unknown.user}/rewards`, examples.unknown] },
    },
    { 400: 'state must be one of claimable, claimed, got "open"' },
  ),
}

export const rewardRoutes: CachedRoutes<{ rewards: RewardRepository }> = async (app, { rewards, responseCache }) => {
  app.get('/users/:address/rewards', { schema: listRewards, onRequest: readFormat }, (request, reply) => {
    const { address } = request.params
    const query = toStatementQuery(request)
    responseCache.send(request, reply, async (version) => {
      const page = await rewards.list({ ...query, user: address }, version)
      if (query.format !== 'csv') return page
      const text = await toRewardStatement(page.body.rewards)
      const { nextCursor } = page.body
      return { dependencies: page.dependencies, nextCursor, ...toStatement(text, `rewards-${address}`) }
    })
  })
}
