import type { ResponseOf } from 'reward-campaigns-client'
import { servicePath } from '../navigation/service-path.ts'
import { Tokens, Usd } from '../parts/amounts.tsx'

type Rewards = ResponseOf<'listRewards'>

/** What an account can claim now, of all pages, in one sentence; and all of it for a spreadsheet. */
export function ClaimableView({ response: { user, claimable, claimableUsd } }: { response: Rewards }) {
  return (
    <>
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
      <p class="statement">
        <a href={servicePath(`/users/${user}/rewards?format=csv`)} download>
          Download as CSV
        </a>
      </p>
    </>
  )
}
