import { InvalidParameterError } from 'reward-campaigns-strict-http/request/errors/errors'
import { type CachedRoutes, responsesOf } from '../../http/responses.ts'
import { MAX_INTERVALS } from '../../schemas/parameters/shared-parameters.ts'
import examples from './activity-examples.json' with { type: 'json' }
import { type ActivityRepository, rangeOf } from './activity-repository.ts'
import { ListActivityQuery, ListActivityResponse } from './activity-schemas.ts'

const listActivity = {
  operationId: 'listActivity',
  summary: 'List claim activity over time',
  description:
    'Claims, their value and claimants in each interval of a time range, with totals of it and of the previous one. A `timeRange` ends at the second of the response; `since`, `until` and `interval` ask for any other range, exact to the second.',
  tags: ['Campaigns'],
  querystring: ListActivityQuery,
  response: responsesOf(
    {
      ...{ description: 'The claims of each campaign.', schema: ListActivityResponse, example: examples.plain },
      otherExamples: {
        empty: ['/activity?timeRange=7d&campaignId=1:0x0000000000000000000000000000000000000001:1', examples.empty],
      },
    },
    { 400: 'timeRange must be one of 1h, 24h, 7d, 30d, got "6h"' },
  ),
}

export const activityRoutes: CachedRoutes<{ activity: ActivityRepository }> = async (
  app,
  { activity, responseCache },
) => {
  app.get('/activity', { schema: listActivity }, (request, reply) => {
    const { query } = request
    rejectTooMany(query)
    responseCache.send(request, reply, () => activity.list(query), { changesEachSecond: query.interval === undefined })
  })
}

function rejectTooMany(query: ListActivityQuery) {
  const { count } = rangeOf(query, new Date(0))
  if (count > MAX_INTERVALS) {
    throw new InvalidParameterError(
      'interval',
      `since, until and interval ask for ${count} intervals: at most ${MAX_INTERVALS} are allowed`,
    )
  }
}
