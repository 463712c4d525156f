import type { ResponseOf } from 'reward-campaigns-client'
import { servicePath } from '../navigation/service-path.ts'
import { Tokens, Usd } from '../parts/amounts.tsx'
import { ClaimButton } from '../wallet/claim-button.tsx'
import { toCallsForAll } from '../wallet/claim-calls.ts'

type Rewards = ResponseOf<'listRewards'>

/** The parameters for a year, in UTC. */
const rangeOf = (year: number) => `since=${year}-01-01T00:00:00Z&until=${year + 1}-01-01T00:00:00Z`

/** What an account can claim now, of all pages, in one sentence; and all of it for a spreadsheet. */
export function ClaimableView({ response: { user, claimable, claimableUsd } }: { response: Rewards }) {
  const thisYear = new Date().getUTCFullYear()
  return (
    <>
      {claimable.length === 0 && <p class="claimable-now">No token can be claimed now.</p>}
      {claimable.length > 0 && (
        <p class="claimable-now">
          Claimable now:{' '}
          {claimable.map(({ chainId, asset, metadata, amount }, index) => (
            <span key={`${chainId}:${asset}`}>
              {index === 0 ? '' : index === claimable.length - 1 ? ' and ' : ', '}
              <Tokens baseUnits={amount} decimals={metadata?.decimals} symbol={metadata?.symbol} />
            </span>
          ))}
          {claimableUsd !== '0' && (
            <>
              , about <Usd value={claimableUsd} />
            </>
          )}
        </p>
      )}
      <ClaimButton
        label="Claim all"
        what="that can be claimed together"
        toCalls={claimable.length === 0 ? undefined : () => toCallsForAll(user)}
      />
      <p class="statement">
        <a href={servicePath(`/users/${user}/rewards?format=csv`)} download>
          Download as CSV
        </a>
        {[thisYear, thisYear - 1].map((year) => (
          <a key={year} href={servicePath(`/claims?claimant=${user}&${rangeOf(year)}&format=csv`)} download>
            Claims of {year}
            <span class="hidden"> as CSV</span>
          </a>
        ))}
      </p>
    </>
  )
}
