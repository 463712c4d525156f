import { Choice } from '../choice.tsx'
import { Plot } from '../plot.tsx'
import { Shown } from '../request-result.tsx'
import { client } from '../service.ts'
import { useRequest } from '../use-request.ts'
import { plotPoints, plotTitle } from './plot-points.ts'

/** The first is that of an address without one. */
export const TIME_RANGES = [
  ['30d', '30 days'],
  ['7d', '7 days'],
  ['24h', '24 hours'],
  ['1h', '1 hour'],
] as const

export type TimeRange = (typeof TIME_RANGES)[number][0]

/** When a campaign was claimed. */
export function ClaimsPlot({ id, timeRange }: { id: string; timeRange: TimeRange }) {
  const asked = useRequest(
    (signal) => client.listActivity({ campaignId: [id], timeRange }, { signal }),
    `activity ${id} ${timeRange}`,
  )
  return (
    <>
      <div class="choices">
        <Choice legend="Time range" name="timeRange" options={TIME_RANGES} chosen={timeRange} />
      </div>
      <Shown asked={asked}>
        {(activity) => {
          const [campaign] = activity.campaigns
          if (campaign === undefined) return <p class="soft">Nothing is known of its claims.</p>
          const { totalClaims, previous, claims } = campaign
          const range = TIME_RANGES.find(([value]) => value === timeRange)?.[1] ?? timeRange
          const title = plotTitle(range, totalClaims, previous.totalClaims)
          return <Plot title={title} of="Claims" points={plotPoints(activity, claims)} />
        }}
      </Shown>
    </>
  )
}
