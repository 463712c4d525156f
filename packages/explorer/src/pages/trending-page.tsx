import { useLocation } from 'preact-iso'
import { useAsked } from '../asked.ts'
import { Choice, chosenOf } from '../choice.tsx'
import { Heading } from '../heading.tsx'
import { RequestShown } from '../request-shown.tsx'
import { client } from '../service.ts'
import { Empty, Shown } from '../shown.tsx'
import { TrendingRow } from '../trending/trending-row.tsx'

const PERIODS = [
  ['24h', '24 hours'],
  ['1h', '1 hour'],
] as const

export function TrendingPage() {
  const { query } = useLocation()
  const period = chosenOf(PERIODS, query.period)
  const asked = useAsked((signal) => client.listTrendingCampaigns({ period }, { signal }), period)
  return (
    <>
      <Heading title="Trending" />
      <p class="lead">Active campaigns that are being claimed, by what was claimed.</p>
      <div class="choices">
        <Choice legend="Period" name="period" options={PERIODS} chosen={period} />
      </div>
      <Shown asked={asked} lines={12}>
        {({ trendingCampaigns }) =>
          trendingCampaigns.length === 0 ? (
            <Empty>
              <p>Nothing was claimed in this period.</p>
            </Empty>
          ) : (
            <>
              <div class="columns trending" aria-hidden="true">
                <span>Campaign</span>
                <span>Volume</span>
              </div>
              <ol class="rows trending">
                {trendingCampaigns.map((campaign, index) => (
                  <TrendingRow key={campaign.id} campaign={campaign} rank={index + 1} period={period} />
                ))}
              </ol>
            </>
          )
        }
      </Shown>
      <RequestShown request={{ method: 'listTrendingCampaigns', path: '/reward-kit/trending', query: { period } }} />
    </>
  )
}
