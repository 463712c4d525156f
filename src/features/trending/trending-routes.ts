import { type CachedRoutes, responsesOf } from '../../http/responses.ts'
import example from './trending-example.json' with { type: 'json' }
import type { TrendingRepository } from './trending-repository.ts'
import { ListTrendingCampaignsQuery, ListTrendingCampaignsResponse } from './trending-schemas.ts'

const listTrendingCampaigns = {
  operationId: 'listTrendingCampaigns',
  summary: 'List trending campaigns',
  description:
    'The active campaigns with claims in the period, by US dollars claimed in it; at most 100. The period ends at the second of the response.',
  tags: ['Campaigns'],
  querystring: ListTrendingCampaignsQuery,
  response: responsesOf(
    {
      description: 'The campaigns, largest volume first.',
      schema: ListTrendingCampaignsResponse,
      example: { trendingCampaigns: [example] },
      otherExamples: {
        empty: ['/reward-kit/trending?owner=0x0000000000000000000000000000000000000001', { trendingCampaigns: [] }],
      },
    },
    { 400: 'period must be one of 1h, 24h, got "7d"' },
  ),
}

export const trendingRoutes: CachedRoutes<{ trending: TrendingRepository }> = async (
  app,
  { trending, responseCache },
) => {
  app.get('/reward-kit/trending', { schema: listTrendingCampaigns }, (request, reply) =>
    responseCache.send(request, reply, async (version) => ({ body: await trending.list(request.query, version) }), {
      changesEachSecond: true,
    }),
  )
}
