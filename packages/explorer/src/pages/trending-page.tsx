import { useLocation } from 'preact-iso'
import { Choice, chosenOf } from '../navigation/choice.tsx'
import { pageOf } from '../navigation/page-query.ts'
import { Heading } from '../parts/heading.tsx'
import { ApiRequests } from '../requests/api-requests.tsx'
import { Shown } from '../requests/request-result.tsx'
import { client } from '../requests/service.ts'
import { useRequest } from '../requests/use-request.ts'
import { activityQueries, loadTrends } from '../trending/trends.ts'
import { PAGE_SIZE, TrendsView } from '../trending/trends-view.tsx'

const PERIODS = [
  ['24h', '24 hours'],
  ['1h', '1 hour'],
] as const

const ORDERS = [
  ['volume', 'Volume'],
  ['claims', 'Claims'],
] as const

export function TrendingPage() {
  const { query } = useLocation()
  const period = chosenOf(PERIODS, query.period)
  const order = chosenOf(ORDERS, query.sortBy)
  const request = useRequest((signal) => loadTrends(client, period, signal), `trends ${period}`)
  const ids = request.state === 'shown' ? request.response.trends.map(({ campaign }) => campaign.id) : []
  return (
    <>
      <Heading title="Trending" />
      <p class="lead">
        What is being claimed right now: the active campaigns of most volume, against the same time before.
      </p>
      <div class="choices">
        <Choice legend="Last" name="period" options={PERIODS} chosen={period} />
        <Choice legend="By" name="sortBy" options={ORDERS} chosen={order} />
      </div>
      <Shown request={request} lines={PAGE_SIZE}>
        {(trends) => <TrendsView trends={trends} order={order} page={pageOf(query.page)} />}
      </Shown>
      <ApiRequests
        requests={[
          { method: 'listTrendingCampaigns', path: '/reward-kit/trending', query: { period } },
          ...activityQueries(ids, period).map(
            (query) => ({ method: 'listActivity', path: '/activity', query }) as const,
          ),
        ]}
      />
    </>
  )
}
