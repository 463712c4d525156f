import { useLocation } from 'preact-iso'
import { withQuery } from '../navigation/page-query.ts'
import { Pager } from '../navigation/pager.tsx'
import { servicePath } from '../navigation/service-path.ts'
import { HowToImport } from '../requests/how-to-import.tsx'
import { Empty } from '../requests/request-result.tsx'
import { duration } from '../texts/format-times.ts'
import { TrendingRow } from './trending-row.tsx'
import { inOrder, type Order, type Trends } from './trends.ts'

export const PAGE_SIZE = 20

/** A page of the trending campaigns. */
export function TrendsView({
  trends: { trends, intervalSeconds },
  order,
  page,
}: {
  trends: Trends
  order: Order
  page: number
}) {
  const { url } = useLocation()
  const shown = inOrder(trends, order).slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)
  if (shown.length === 0) {
    return (
      <Empty>
        {trends.length === 0 ? (
          <>
            <p>
              Nothing was claimed in this period. <a href={servicePath('/explorer/campaigns')}>All campaigns</a>
            </p>
            <HowToImport />
          </>
        ) : (
          <p>
            The list ends before this page. <a href={withQuery(url, { page: undefined })}>To its beginning</a>
          </p>
        )}
      </Empty>
    )
  }
  return (
    <>
      <div class="columns trending" aria-hidden="true">
        <span>Campaign</span>
        <span>Paid</span>
        <span>Claims</span>
        <span>Claims over time</span>
      </div>
      <ol class="rows trending" start={(page - 1) * PAGE_SIZE + 1}>
        {shown.map((trend, index) => (
          <TrendingRow
            key={trend.campaign.id}
            trend={trend}
            rank={(page - 1) * PAGE_SIZE + index + 1}
            step={duration(intervalSeconds)}
          />
        ))}
      </ol>
      <Pager page={page} pageSize={PAGE_SIZE} total={trends.length} what="campaigns" />
    </>
  )
}
