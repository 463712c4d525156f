import { Choice } from '../../navigation/choice.tsx'
import { type ChosenRange, rangeQuery } from '../../outlook/chosen-range.ts'
import { RangeForm } from '../../outlook/range-form.tsx'
import { Plot } from '../../plots/plot.tsx'
import { Shown } from '../../requests/request-result.tsx'
import { client } from '../../requests/service.ts'
import { useRequest } from '../../requests/use-request.ts'
import { plotPoints, plotTitle, rangeTitle } from './plot-points.ts'

/** The first is that of an address without one. */
export const TIME_RANGES = [
  ['30d', '30 days'],
  ['7d', '7 days'],
  ['24h', '24 hours'],
  ['1h', '1 hour'],
] as const

export type TimeRange = (typeof TIME_RANGES)[number][0]

/** The request for when a campaign was claimed: in some days, or in a time range up to now. */
export const activityOf = (id: string, timeRange: TimeRange, range: ChosenRange | undefined) => ({
  campaignId: [id],
  ...(range === undefined ? { timeRange } : rangeQuery(range)),
})

/** When a campaign was claimed. */
export function ClaimsPlot({
  id,
  timeRange,
  range,
}: {
  id: string
  timeRange: TimeRange
  range: ChosenRange | undefined
}) {
  const request = useRequest(
    (signal) => client.listActivity(activityOf(id, timeRange, range), { signal }),
    `activity ${id} ${timeRange} ${range?.from} ${range?.to}`,
  )
  return (
    <>
      <div class="choices">
        <Choice legend="Time range" name="timeRange" options={TIME_RANGES} chosen={timeRange} />
      </div>
      <RangeForm range={range} />
      <Shown request={request}>
        {(activity) => {
          const [campaign] = activity.campaigns
          if (campaign === undefined) return <p class="soft">Nothing is known of its claims.</p>
          const { totalClaims, previous, claims } = campaign
          const name = TIME_RANGES.find(([value]) => value === timeRange)?.[1] ?? timeRange
          const title =
            range === undefined ? plotTitle(name, totalClaims, previous.totalClaims) : rangeTitle(range, totalClaims)
          return <Plot title={title} of="Claims" points={plotPoints(activity, claims)} />
        }}
      </Shown>
    </>
  )
}
