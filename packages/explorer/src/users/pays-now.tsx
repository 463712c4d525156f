import type { Reward } from 'reward-campaigns-client'
import { Count, Tokens, Usd } from '../parts/amounts.tsx'
import { RelativeTime } from '../parts/times.tsx'

/** What a claim pays now, what it is worth, and until when; nothing where that is not known. */
export function PaysNow({ reward }: { reward: Reward }) {
  const { rewardNow, rewardNowUsd, raffle, claimUntil, exhaustsAt, asset, metadata, incentiveType } = reward
  const token = { decimals: metadata?.decimals, symbol: metadata?.symbol }
  // Claims go on after its end, and an open-ended one pays at a rate of its own.
  const isTimeBased = incentiveType === 'TimeBasedIncentive'
  if (rewardNow === undefined && raffle === undefined) return null
  return (
    <p class="pays-now">
      {raffle !== undefined && (
        <>
          A raffle of <Tokens baseUnits={raffle.reward} {...token} />, <Count value={raffle.entries} />{' '}
          {raffle.entries === '1' ? 'entry' : 'entries'} so far
        </>
      )}
      {rewardNow !== undefined && asset === null && (
        <>
          Pays <Count value={rewardNow} /> points
        </>
      )}
      {rewardNow !== undefined && asset !== null && (
        <>
          Pays <Tokens baseUnits={rewardNow} {...token} />
          {rewardNowUsd !== undefined && (
            <>
              , <Usd value={rewardNowUsd} />
            </>
          )}
        </>
      )}
      {claimUntil !== undefined && (
        <>
          , {isTimeBased ? 'can be claimed until' : 'ends'} <RelativeTime at={claimUntil} />
        </>
      )}
      {exhaustsAt !== undefined && (
        <>
          ; {isTimeBased ? '' : 'at the pace of the last day '}the budget ends <RelativeTime at={exhaustsAt} />
        </>
      )}
    </p>
  )
}
