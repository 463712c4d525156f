import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { ResponseCache } from '../../cache/response-cache.ts'
import { responsesOf } from '../../http/request/responses.ts'
import type { EligibilityRepository } from './eligibility-repository.ts'
import { ListEligibilityQuery, ListEligibilityResponse } from './eligibility-schemas.ts'

const example: ListEligibilityResponse = {
  user: '0x1ed08f5f7ed154e19d18f21e6b7f4a8402033aaa',
  campaigns: [
    {
      id: '8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1657',
      verdict: 'blocked',
      incentives: [
        {
          incentiveIndex: 0,
          type: 'ERC20Incentive',
          verdict: 'blocked',
          reasons: [
            { code: 'ended', at: '2026-01-31T12:00:00.000Z' },
            {
              code: 'already-claimed',
              txHash: '0x2dfc8f4f24b1a3a7ee73ea13b8a20a63fe7457d1c96b95178d3ea4126b6bf5ad',
              at: '2026-01-30T09:00:00.000Z',
              allowed: 1,
            },
            { code: 'signature-missing' },
          ],
        },
      ],
    },
  ],
  unknownCampaigns: ['8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:99999'],
}

const listEligibility = {
  operationId: 'listEligibility',
  summary: 'List what an account can claim',
  description:
    'For each incentive of some campaigns: whether an account can claim it, and every reason that holds, with the fact that proves it.',
  tags: ['Users'],
  querystring: ListEligibilityQuery,
  response: responsesOf(
    {
      ...{ description: 'The verdicts.', schema: ListEligibilityResponse, example },
      otherExamples: {
        unknown: [
          `/eligibility?user=${example.user}&campaignId=${example.unknownCampaigns}`,
          { ...example, campaigns: [] },
        ],
      },
    },
    { 400: 'user is required; campaignId is required' },
  ),
}

export const eligibilityRoutes: FastifyPluginAsyncTypebox<{
  eligibility: EligibilityRepository
  responseCache: ResponseCache
}> = async (app, { eligibility, responseCache }) => {
  app.get('/eligibility', { schema: listEligibility }, (request, reply) =>
    responseCache.send(request, reply, () => eligibility.list(request.query)),
  )
}
