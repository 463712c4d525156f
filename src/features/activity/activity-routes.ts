import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { ResponseCache } from '../../cache/response-cache.ts'
import { InvalidParameterError } from '../../http/request/errors/errors.ts'
import { responsesOf } from '../../http/request/responses.ts'
import { type ActivityRepository, rangeOf } from './activity-repository.ts'
import { ListActivityQuery, ListActivityResponse, MAX_INTERVALS } from './activity-schemas.ts'

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
      amountUsd: [
        ...Array.from({ length: 32 }, () => '0'),
        ...['2.5', '7.5', '30', '50', '77.5', '45', '17.5'],
        ...['10', '12.5', '22.500011'],
      ],
      claimants: [...Array.from({ length: 32 }, () => 0), ...[1, 3, 12, 19, 31, 18, 7, 4, 5, 9]],
      unvaluedClaims: Array.from({ length: 42 }, () => 0),
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
    'Returns the number of claims of campaigns in each interval of a time range, with their value, their claimants and totals of the range and of the previous one. A `timeRange` slides: it ends at the second of the response; `since`, `until` and `interval` ask for any other range, exact to the second. Ranges that begin with an hour, a day or a week (from Monday) in UTC are the fastest: intervals of these are read from totals, others are counted claim by claim, which of many claims may take too long and return 503. Without `campaignId`, all campaigns are counted together. Trending campaigns and contracts are ranked by the same totals.',
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
  app.get('/activity', { schema: listActivity }, (request, reply) => {
    const { query } = request
    refuseTooMany(query)
    responseCache.send(request, reply, () => activity.list(query), { changesEachSecond: query.interval === undefined })
  })
}

function refuseTooMany(query: ListActivityQuery) {
  const { count } = rangeOf(query, new Date(0))
  if (count > MAX_INTERVALS) {
    throw new InvalidParameterError(
      'interval',
      `since, until and interval ask for ${count} intervals: at most ${MAX_INTERVALS} are allowed`,
    )
  }
}
