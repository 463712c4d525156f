import type { CampaignListItem } from 'reward-campaigns-client'
import { RelativeTime } from '../parts/times.tsx'

type Timed = Pick<CampaignListItem, 'isActive' | 'startTime' | 'endTime'>

/** Whether a campaign is active, and when that changes. */
export function State({ campaign: { isActive, startTime, endTime } }: { campaign: Timed }) {
  const now = new Date()
  const isToStart = startTime !== null && new Date(startTime) > now
  const hasEnded = endTime !== null && new Date(endTime) <= now
  return (
    <p class="whether">
      <span class={`badge ${isActive ? 'good' : ''}`}>{isActive ? 'Active' : 'Not active'}</span>
      <span class="soft">
        {isToStart ? (
          <>
            starts <RelativeTime at={startTime} />
          </>
        ) : endTime === null ? (
          isActive ? (
            'no end date'
          ) : (
            'all claimed'
          )
        ) : (
          <>
            {hasEnded ? 'ended' : isActive ? 'ends' : 'all claimed, ends'} <RelativeTime at={endTime} />
          </>
        )}
      </span>
    </p>
  )
}
