import { useLocation } from 'preact-iso'
import type { ResponseOf } from 'reward-campaigns-client'
import { withQuery } from '../navigation/page-query.ts'
import { Empty } from '../requests/request-result.tsx'
import { ClaimableView } from './claimable-view.tsx'
import { RewardRow } from './reward-row.tsx'
import { TotalsView } from './totals-view.tsx'
import { useNames } from './use-names.ts'

/** What each choice shows; the first is that of an address without one. */
export const STATES = [
  ['all', 'All'],
  ['claimable', 'To claim now'],
  ['claimed', 'Claimed'],
] as const

export type State = (typeof STATES)[number][0]

const NOTHING: Readonly<Record<State, string>> = {
  all: 'Nothing is recorded of this account: no claim, and no signature.',
  claimable: 'There is nothing to claim now for which a signature is recorded.',
  claimed: 'This account has claimed nothing.',
}

/** A page of the rewards of an account. @param cursor of this page; absent: it is the first. */
export function RewardsView({
  response,
  state,
  cursor,
}: {
  response: ResponseOf<'listRewards'>
  state: State
  cursor: string | undefined
}) {
  const { user, rewards, totals, nextCursor } = response
  const { url } = useLocation()
  const nameOf = useNames(rewards)
  // Of rewards to claim, the response adds up only what these have paid before.
  const claimedSoFar = state === 'claimable' ? [] : totals
  return (
    <>
      <ClaimableView response={response} claimedSoFar={claimedSoFar} />
      {rewards.length === 0 ? (
        <Empty>
          <p>{cursor === undefined ? NOTHING[state] : 'The list ends before this page.'}</p>
        </Empty>
      ) : (
        <ol class="rows rewards">
          {rewards.map((reward) => (
            <RewardRow
              key={`${reward.campaignId} ${reward.incentiveIndex}`}
              reward={reward}
              name={nameOf(reward)}
              user={user}
            />
          ))}
        </ol>
      )}
      {(cursor !== undefined || nextCursor !== null) && (
        <nav class="pager" aria-label="Pages of the list">
          {cursor === undefined ? (
            <span class="soft">First</span>
          ) : (
            <a href={withQuery(url, { cursor: undefined })}>First</a>
          )}
          {nextCursor === null ? (
            <span class="soft">Next</span>
          ) : (
            <a href={withQuery(url, { cursor: nextCursor })} rel="next">
              Next
            </a>
          )}
        </nav>
      )}
      <TotalsView totals={claimedSoFar} />
    </>
  )
}
