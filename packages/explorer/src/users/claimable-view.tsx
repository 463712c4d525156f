import type { ResponseOf } from 'reward-campaigns-client'
import { servicePath } from '../navigation/service-path.ts'
import { Tokens, Usd } from '../parts/amounts.tsx'
import { client } from '../requests/service.ts'
import { ClaimButton } from '../wallet/claim-button.tsx'

type Rewards = ResponseOf<'listRewards'>

/** The transactions that claim all. */
async function claimAll(user: string) {
  const { claimTransactions = [] } = await client.listRewards(user, { claimTransactions: true, pageSize: 0 })
  return claimTransactions.map((call) => ({ ...call, isMulticall: true }))
}

/** What an account can claim now, of all pages, in one sentence; and all of it for a spreadsheet. */
export function ClaimableView({ response: { user, claimable, claimableUsd } }: { response: Rewards }) {
  const year = new Date().getUTCFullYear()
  const rewards = claimable.reduce((sum, one) => sum + one.rewards, 0)
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
      {rewards > 0 && (
        <ClaimButton
          label={rewards === 1 ? 'Claim it' : 'Claim all'}
          what="of all pages"
          user={user}
          callsOf={() => claimAll(user)}
        />
      )}
      <p class="statement">
        <a href={servicePath(`/users/${user}/rewards?format=csv`)} download>
          Download as CSV
        </a>{' '}
        <a href={servicePath(`/claims?claimant=${user}&since=${year}-01-01T00:00:00Z&format=csv`)} download>
          Claims of {year} as CSV
        </a>
      </p>
    </>
  )
}
