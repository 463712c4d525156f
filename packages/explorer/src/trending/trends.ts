import type { Client, ResponseOf, TrendingCampaign } from 'reward-campaigns-client'

type Activity = ResponseOf<'listActivity'>['campaigns'][number]
export type Period = '1h' | '24h'
export type Order = 'volume' | 'claims'

/** What is shown of a trending campaign: half of what there is. */
const FIELDS = [
  'id',
  'chainId',
  'campaignName',
  'actionTemplate',
  'incentives',
  'nftName',
  'nftImageUri',
  'tokenImageUri',
] as const

/** A trending campaign, with when it was claimed. */
export interface Trend {
  campaign: Pick<TrendingCampaign, (typeof FIELDS)[number]>
  activity: Activity
}

export interface Trends {
  trends: Trend[]
  intervalSeconds: number
}

/** How many campaigns the activity may be asked of at a time. */
const MAX_AT_A_TIME = 50

export const trendsQuery = (period: Period) => ({ period, fields: [...FIELDS] })

/** The trending campaigns of a period with their claims in it, in the order of the service. */
export async function loadTrends(client: Client, period: Period, signal: AbortSignal): Promise<Trends> {
  const { trendingCampaigns } = await client.listTrendingCampaigns(trendsQuery(period), { signal })
  const responses = await Promise.all(
    activityQueries(
      trendingCampaigns.map(({ id }) => id),
      period,
    ).map((query) => client.listActivity(query, { signal })),
  )
  const activities = new Map(responses.flatMap(({ campaigns }) => campaigns).map((activity) => [activity.id, activity]))
  return {
    intervalSeconds: responses[0]?.intervalSeconds ?? 0,
    trends: trendingCampaigns.flatMap((campaign) => {
      const activity = activities.get(campaign.id)
      // One that was withdrawn meanwhile trends no more.
      return activity === undefined ? [] : [{ campaign, activity }]
    }),
  }
}

/** What the activity of campaigns is asked by. */
export function activityQueries(ids: readonly string[], timeRange: Period) {
  return Array.from({ length: Math.ceil(ids.length / MAX_AT_A_TIME) }, (_, part) => ({
    campaignId: ids.slice(part * MAX_AT_A_TIME, (part + 1) * MAX_AT_A_TIME),
    timeRange,
  }))
}

/** By the figures that are shown, the highest first; those with equal ones as the service has them. */
export function inOrder(trends: readonly Trend[], order: Order): Trend[] {
  const volume = ({ activity }: Trend) => activity.totalAmountClaimedUsd
  const claims = ({ activity }: Trend) => activity.totalClaims
  const [first, second] = order === 'volume' ? [volume, claims] : [claims, volume]
  return trends.toSorted((one, other) => first(other) - first(one) || second(other) - second(one))
}
