import { type CachedRoutes, responsesOf } from '../../http/responses.ts'
import example from './outlook-example.json' with { type: 'json' }
import type { OutlookRepository } from './outlook-repository.ts'
import { ListOutlooksQuery, ListOutlooksResponse } from './outlook-schemas.ts'

const unknownCampaigns = ['8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:99999']

const listOutlooks = {
  operationId: 'listOutlooks',
  summary: 'List what incentives pay now and what is left of them',
  description:
    'Of each incentive of some campaigns the reward of this second, claims and budget left, the odds of a raffle, and how long the budget lasts at the pace of the past (no forecast).',
  tags: ['Campaigns'],
  querystring: ListOutlooksQuery,
  response: responsesOf(
    {
      ...{ description: 'The outlooks.', schema: ListOutlooksResponse, example },
      otherExamples: {
        unknown: [`/outlook?campaignId=${unknownCampaigns}`, { ...example, campaigns: [], unknownCampaigns }],
      },
    },
    { 400: 'campaignId is required' },
  ),
}

export const outlookRoutes: CachedRoutes<{ outlooks: OutlookRepository }> = async (
  app,
  { outlooks, responseCache },
) => {
  app.get('/outlook', { schema: listOutlooks }, (request, reply) =>
    responseCache.send(request, reply, () => outlooks.list(request.query), { changesEachSecond: true }),
  )
}
