import type { Reward } from 'reward-campaigns-client'
import { traitsOf } from '../campaigns/incentives/incentive-variants.ts'
import { Count, Tokens, Usd } from '../parts/amounts.tsx'
import { Day, Remaining } from '../parts/times.tsx'

/** What a claim pays now, what it is worth, and until when; nothing where that is not known. */
export function PaysNow({ reward }: { reward: Reward }) {
  const { rewardNow, rewardNowUsd, raffle, claimUntil, exhaustsAt, asset, metadata, incentiveType } = reward
  const token = { decimals: metadata?.decimals, symbol: metadata?.symbol }
  // What is proven stays owed until the deadline, however long the rest of the budget lasts.
  const isOwed = traitsOf(incentiveType)?.reward === 'proof'
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
      <Deadline claimUntil={claimUntil} exhaustsAt={isOwed ? undefined : exhaustsAt} />
    </p>
  )
}

/** Until when it can be claimed, and whether the budget may end before. */
function Deadline({ claimUntil, exhaustsAt }: { claimUntil: string | undefined; exhaustsAt: string | undefined }) {
  const isSooner = exhaustsAt !== undefined && (claimUntil === undefined || exhaustsAt < claimUntil)
  return (
    <>
      {claimUntil !== undefined && (
        <>
          , until <Day at={claimUntil} />
        </>
      )}
      {isSooner && (
        <>
          {claimUntil === undefined ? '; ' : ', or sooner: '}at the pace of the last day the budget lasts{' '}
          <Remaining until={exhaustsAt} />
        </>
      )}
    </>
  )
}
