import { useMemo } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { budgetQuery, fetchBudgets } from '../earn/budgets.ts'
import { EarnView, rankedQuery } from '../earn/earn-view.tsx'
import { ACTIVE_QUERY, PAID_QUERY, TotalsView } from '../earn/totals-view.tsx'
import { Choice, chosenOf } from '../navigation/choice.tsx'
import { pageOf } from '../navigation/page-query.ts'
import { Heading } from '../parts/heading.tsx'
import { ApiRequests } from '../requests/api-requests.tsx'
import { Shown } from '../requests/request-result.tsx'
import { client } from '../requests/service.ts'
import { useRequest } from '../requests/use-request.ts'
import { activityQueries, loadTrends, trendsQuery } from '../trending/trends.ts'
import { PAGE_SIZE, TrendsView } from '../trending/trends-view.tsx'

const PERIODS = [
  ['24h', '24 hours'],
  ['1h', '1 hour'],
] as const

const ORDERS = [
  ['volume', 'Paid'],
  ['claims', 'Claims'],
] as const

/** Budgets change with claims and prices; what is shown of a campaign is asked for by itself. */
const BUDGETS_REFRESH_MS = 60_000

/** The first page: what there is to earn, and what is being claimed. */
export function EarnPage() {
  const { query } = useLocation()
  const period = chosenOf(PERIODS, query.period)
  const order = chosenOf(ORDERS, query.sortBy)
  const request = useRequest((signal) => loadTrends(client, period, signal), `trends ${period}`)
  const budgets = useRequest((signal) => fetchBudgets(client, signal), 'budgets', BUDGETS_REFRESH_MS)
  const trending = request.state === 'shown' ? request.response.trends.map(({ campaign }) => campaign.id) : []
  const page = pageOf(query.page)
  // Made again only for other trends: what else comes on the page does not render all of their rows again.
  const trends = useMemo(
    () => (
      <Shown request={request} lines={PAGE_SIZE}>
        {(shown) => <TrendsView trends={shown} order={order} page={page} />}
      </Shown>
    ),
    [request, order, page],
  )
  const ranked = budgets.state === 'shown' ? budgets.response.ranked : []
  return (
    <>
      <Heading title="Earn" />
      <p class="lead">Campaigns pay for what you do on chain: do what one asks for, then claim its reward.</p>
      {/* What the service does not vouch for any more is not shown. */}
      {request.state !== 'failed' && (
        <>
          <TotalsView leftUsd={budgets.state === 'shown' ? budgets.response.totalUsd : undefined} />
          <EarnView budgets={budgets} />
        </>
      )}
      <section class="trends" aria-labelledby="trending">
        <h2 id="trending">Trending</h2>
        <div class="choices">
          <Choice legend="Last" name="period" options={PERIODS} chosen={period} />
          <Choice legend="By" name="sortBy" options={ORDERS} chosen={order} />
        </div>
        {trends}
      </section>
      <ApiRequests
        requests={[
          { method: 'listCampaigns', path: '/campaigns', query: ACTIVE_QUERY },
          { method: 'listActivity', path: '/activity', query: PAID_QUERY },
          { method: 'listCampaigns', path: '/campaigns', query: budgetQuery(1) },
          ...(ranked.length === 0
            ? []
            : [{ method: 'listCampaigns', path: '/campaigns', query: rankedQuery(ranked) } as const]),
          { method: 'listTrendingCampaigns', path: '/reward-kit/trending', query: trendsQuery(period) },
          ...activityQueries(trending, period).map(
            (query) => ({ method: 'listActivity', path: '/activity', query }) as const,
          ),
        ]}
      />
    </>
  )
}
