import './campaigns.css'
import { useLocation } from 'preact-iso'
import type { Campaign } from 'reward-campaigns-client'
import { picturesOf } from '../campaigns/campaign-pictures.ts'
import {
  actionTypeQuery,
  type CampaignResponse,
  fetchCampaign,
  projectUrlQuery,
} from '../campaigns/campaign-request.ts'
import { summaryOf } from '../campaigns/campaign-summary.ts'
import { CampaignView } from '../campaigns/campaign-view.tsx'
import { activityOf, TIME_RANGES, type TimeRange } from '../campaigns/claims/claims-plot.tsx'
import { newestClaimsOf } from '../campaigns/claims/newest-claims.tsx'
import { Prose } from '../campaigns/prose-view.tsx'
import { tokensOf } from '../campaigns/tokens/known-tokens.ts'
import { chosenOf } from '../navigation/choice.tsx'
import { servicePath } from '../navigation/service-path.ts'
import { type ChosenRange, chosenRange } from '../outlook/chosen-range.ts'
import { outlookOf } from '../outlook/outlook-view.tsx'
import { campaignTitle } from '../parts/campaign-link.tsx'
import { Heading } from '../parts/heading.tsx'
import { Picture } from '../pictures/picture.tsx'
import { ApiRequests } from '../requests/api-requests.tsx'
import { Shown } from '../requests/request-result.tsx'
import type { RequestMade } from '../requests/request-text.ts'
import { client } from '../requests/service.ts'
import { useRequest } from '../requests/use-request.ts'

export function CampaignPage({ id = '' }: { id?: string }) {
  const request = useRequest((signal) => fetchCampaign(client, id, signal), `campaign ${id}`)
  const { query } = useLocation()
  const timeRange = chosenOf(TIME_RANGES, query.timeRange)
  const { user } = query
  const range = chosenRange(query)
  const title = request.state === 'shown' ? campaignTitle(request.response.campaign) : 'Campaign'
  const path = `/campaigns/${encodeURIComponent(id).replaceAll('%3A', ':')}`
  return (
    <>
      <p class="way">
        <a href={servicePath('/explorer/campaigns')}>Campaigns</a>
      </p>
      <div class="title">
        <Picture text={title} uris={request.state === 'shown' ? picturesOf(request.response.campaign) : []} />
        <Heading title={title} />
      </div>
      <Shown request={request} lines={5}>
        {(response, at) => (
          <>
            <Lead response={response} now={at} />
            <CampaignView response={response} now={at} timeRange={timeRange} range={range} user={user} />
          </>
        )}
      </Shown>
      <ApiRequests
        requests={[
          { method: 'getCampaign', path, id },
          ...(request.state === 'shown' ? furtherRequests(request.response.campaign, { timeRange, range, user }) : []),
        ]}
      />
    </>
  )
}

/** The requests behind what else the page shows. */
function furtherRequests(
  campaign: Campaign,
  { timeRange, range, user }: { timeRange: TimeRange; range: ChosenRange | undefined; user: string | undefined },
): RequestMade[] {
  const { id } = campaign
  return [
    { method: 'listTrendingCampaigns', path: '/reward-kit/trending', query: projectUrlQuery(campaign) },
    { method: 'listCampaigns', path: '/campaigns', query: actionTypeQuery(id) },
    { method: 'listOutlooks', path: '/outlook', query: outlookOf(id) },
    { method: 'listActivity', path: '/activity', query: activityOf(id, timeRange, range) },
    { method: 'listClaims', path: '/claims', query: newestClaimsOf(id) },
    ...(user === undefined
      ? []
      : [{ method: 'listEligibility', path: '/eligibility', query: { user, campaignId: [id] } } as const]),
  ]
}

/** The campaign in a line, for who reads no more. */
function Lead({ response: { campaign, tokens, actionType }, now }: { response: CampaignResponse; now: Date }) {
  const { isActive, nftName } = campaign
  const rewarding = { ...campaign, tokens: new Map([...tokensOf([campaign]), ...tokens]) }
  return (
    <p class="about-campaign">
      <span class={`badge ${isActive ? 'good' : ''}`}>{isActive ? 'Active' : 'Not active'}</span>{' '}
      <Prose sentence={summaryOf(rewarding, actionType, now)} />
      {nftName !== null && /\S/.test(nftName) && (
        <>
          {' '}
          NFT{' '}
          <bdi class="symbol" title={nftName}>
            {nftName}
          </bdi>
        </>
      )}
    </p>
  )
}
