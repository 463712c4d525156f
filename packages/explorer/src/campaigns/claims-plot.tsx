import { useAsked } from '../asked.ts'
import { Choice } from '../choice.tsx'
import { Plot } from '../plot.tsx'
import { client } from '../service.ts'
import { Shown } from '../shown.tsx'
import { plotPoints } from './plot-points.ts'
import { counted } from './prose.ts'

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
  const asked = useAsked(
    (signal) => client.listActivity({ campaignId: [id], timeRange }, { signal }),
    `${id} ${timeRange}`,
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
          const { totalClaims, before, claims } = campaign
          const title = `${counted(totalClaims, 'claim')}, and ${counted(before.totalClaims, 'claim')} in the time before`
          return <Plot title={title} of="Claims" points={plotPoints(activity, claims)} />
        }}
      </Shown>
    </>
  )
}
