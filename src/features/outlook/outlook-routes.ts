import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { ResponseCache } from '../../cache/response-cache.ts'
import { responsesOf } from '../../http/request/responses.ts'
import type { OutlookRepository } from './outlook-repository.ts'
import { ListOutlooksQuery, ListOutlooksResponse } from './outlook-schemas.ts'

const example: ListOutlooksResponse = {
  at: '2026-01-31T12:00:00.000Z',
  basis: '24h',
  campaigns: [
    {
      id: '8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1657',
      incentives: [
        {
          incentiveIndex: 0,
          type: 'CGDAIncentive',
          asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
          rewardNow: '2350000',
          rewardNowUsd: '2.35',
          budgetLeft: '480000000',
          budgetLeftUsd: '480',
          spentShare: 0.52,
          claimsInBasis: 40,
          spentInBasis: '96000000',
          secondsLeft: '432000',
          exhaustsAt: '2026-02-05T12:00:00.000Z',
        },
      ],
    },
  ],
  unknownCampaigns: [],
}

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

export const outlookRoutes: FastifyPluginAsyncTypebox<{
  outlooks: OutlookRepository
  responseCache: ResponseCache
}> = async (app, { outlooks, responseCache }) => {
  app.get('/outlook', { schema: listOutlooks }, (request, reply) =>
    responseCache.send(request, reply, () => outlooks.list(request.query), { changesEachSecond: true }),
  )
}
