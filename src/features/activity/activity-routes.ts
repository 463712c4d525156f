import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { ResponseCache } from '../../cache/response-cache.ts'
import { responsesOf } from '../../http/request/responses.ts'
import type { ActivityRepository } from './activity-repository.ts'
import { ListActivityQuery, ListActivityResponse } from './activity-schemas.ts'

const example: ListActivityResponse = {
  timeRange: '7d',
  since: '2026-01-24T12:00:00.000Z',
  until: '2026-01-31T12:00:00.000Z',
  intervalSeconds: 14_400,
  campaigns: [
    {
      id: '8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1657',
      claims: [
        ...[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ...[1, 3, 12, 20, 31, 18, 7, 4, 5, 9],
      ],
      totalClaims: 110,
      totalAmountClaimedUsd: 275.000011,
      previous: { totalClaims: 0, totalAmountClaimedUsd: 0 },
    },
  ],
}

const listActivity = {
  operationId: 'listActivity',
  summary: 'List claim activity over time',
  description:
    'Returns the number of claims of campaigns in each interval of a time range, with totals of the range and of the previous one. The time range slides: it ends at the second of the response. Trending campaigns and contracts are ranked by the same totals.',
  tags: ['Campaigns'],
  querystring: ListActivityQuery,
  response: responsesOf(
    {
      ...{ description: 'The claims of each campaign.', schema: ListActivityResponse, example },
      otherExamples: { empty: ['/activity?timeRange=7d', { ...example, campaigns: [] }] },
    },
    { 400: 'timeRange must be one of 1h, 24h, 7d, 30d, got "6h"' },
  ),
}

export const activityRoutes: FastifyPluginAsyncTypebox<{
  activity: ActivityRepository
  responseCache: ResponseCache
}> = async (app, { activity, responseCache }) => {
  app.get('/activity', { schema: listActivity }, (request, reply) =>
    responseCache.send(request, reply, () => activity.list(request.query), { changesEachSecond: true }),
  )
}
