import { NotFoundError } from 'reward-campaigns-strict-http/request/errors/errors'
import { type Form, unsaidIn } from '../../database/campaign-fields.ts'
import { pageHeaders, walkHeaders } from '../../http/response-headers.ts'
import { type CachedRoutes, responsesOf } from '../../http/responses.ts'
import examples from './campaign-examples.json' with { type: 'json' }
import type { CampaignRepository } from './campaign-repository.ts'
import {
  CampaignDetail,
  GetCampaignParams,
  GetCampaignQuery,
  ListCampaignsQuery,
  ListCampaignsResponse,
} from './campaign-schemas.ts'

/** An example as a form shows it: a field that it does not name is one that its record leaves out. */
const shownIn = <Campaign extends object>(form: Form, campaign: Campaign) => ({
  ...campaign,
  ...unsaidIn(form),
  ...campaign,
})

const listCampaigns = {
  operationId: 'listCampaigns',
  summary: 'List campaigns',
  description:
    'One page of the campaigns that match all filters, and their total number. `page` asks for a page by its number. To read everything, begin with `cursor=start&tokenWhitelist=false`: each campaign then comes exactly once, even if the data changes meanwhile.',
  tags: ['Campaigns'],
  querystring: ListCampaignsQuery,
  response: responsesOf(
    {
      description: 'The page.',
      headers: { ...pageHeaders, ...walkHeaders },
      schema: ListCampaignsResponse,
      example: { ...examples.list, campaigns: examples.list.campaigns.map((campaign) => shownIn('list', campaign)) },
      otherExamples: {
        counts: [
          '/campaigns?pageSize=0&tokenWhitelist=false&facets=incentiveType,distributionChannel&facetSize=2',
          examples.counts,
        ],
        empty: ['/campaigns?owner=0x0000000000000000000000000000000000000001', { campaigns: [], totalCampaigns: 0 }],
      },
    },
    { 400: 'pageSize must be an integer from 0 to 100, got 101' },
  ),
}

/** A campaign of the sample data. */
const exampleOf = (campaign: { id: string }, what: string): [string, unknown, string] => [
  `/campaigns/${campaign.id}`,
  shownIn('detail', campaign),
  `, which ${what}`,
]

const getCampaign = {
  operationId: 'getCampaign',
  summary: 'Get one campaign',
  description: 'A campaign with all its details; they include everything in its list item.',
  tags: ['Campaigns'],
  params: GetCampaignParams,
  querystring: GetCampaignQuery,
  response: responsesOf(
    {
      description: 'The campaign.',
      schema: CampaignDetail,
      example: shownIn('detail', examples.detail),
      otherExamples: {
        tokens: exampleOf(examples.tokens, 'pays a fixed amount of a token'),
        points: exampleOf(examples.points, 'pays points'),
        raffle: exampleOf(examples.raffle, 'draws lots'),
        ended: exampleOf(examples.ended, 'has ended'),
      },
    },
    {
      400: 'id must be a campaign ID <chainId>:<campaignCoreAddress>:<identifier>, got "1657"',
      404: `there is no campaign ${examples.detail.id}`,
    },
  ),
}

export const campaignRoutes: CachedRoutes<{ campaigns: CampaignRepository }> = async (
  app,
  { campaigns, responseCache },
) => {
  app.get('/campaigns', { schema: listCampaigns }, (request, reply) =>
    responseCache.send(request, reply, (version) => campaigns.list(request.query, version)),
  )

  app.get('/campaigns/:id', { schema: getCampaign }, (request, reply) =>
    responseCache.send(request, reply, async (version) => {
      const campaign = await campaigns.find(request.params.id, version, request.query.fields)
      if (campaign === undefined) throw new NotFoundError(`there is no campaign ${request.params.id}`)
      return campaign
    }),
  )
}
