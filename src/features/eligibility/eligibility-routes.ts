import { type CachedRoutes, responsesOf } from '../../http/responses.ts'
import example from './eligibility-example.json' with { type: 'json' }
import type { EligibilityRepository } from './eligibility-repository.ts'
import { ListEligibilityQuery, ListEligibilityResponse } from './eligibility-schemas.ts'

const listEligibility = {
  operationId: 'listEligibility',
  summary: 'Check if an account can claim from campaigns',
  description:
    'For each incentive of some campaigns: whether an account can claim it, and every reason that holds, with the fact that proves it.',
  tags: ['Accounts'],
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

export const eligibilityRoutes: CachedRoutes<{ eligibility: EligibilityRepository }> = async (
  app,
  { eligibility, responseCache },
) => {
  app.get('/eligibility', { schema: listEligibility }, (request, reply) =>
    responseCache.send(request, reply, () => eligibility.list(request.query)),
  )
}
