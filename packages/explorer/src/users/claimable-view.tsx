import { type ResponseOf, toBaseUnits, toTokens } from 'reward-campaigns-client'
import { listUrl } from '../campaigns/campaign-query.ts'
import { counted } from '../campaigns/prose.ts'
import { servicePath } from '../navigation/service-path.ts'
import { Tokens, Usd } from '../parts/amounts.tsx'
import { ClaimButton } from '../wallet/claim-button.tsx'
import { toCallsForAll } from '../wallet/claim-calls.ts'

type Rewards = ResponseOf<'listRewards'>

/** The parameters for a year, in UTC. */
const rangeOf = (year: number) => `since=${year}-01-01T00:00:00Z&until=${year + 1}-01-01T00:00:00Z`

/** What an account can claim now, of all pages, in one sentence; and all of it for a spreadsheet. */
export function ClaimableView({
  response: { user, claimable, claimableUsd },
  claimedSoFar,
}: {
  response: Rewards
  claimedSoFar: Rewards['totals']
}) {
  const thisYear = new Date().getUTCFullYear()
  return (
    <>
      {claimable.length === 0 && (
        <>
          <p class="claimable-now">No token can be claimed now.</p>
          {claimedSoFar.length > 0 && <ClaimedSoFar totals={claimedSoFar} />}
          <p>
            To earn a reward, do what one of the <a href={listUrl({})}>active campaigns</a> asks for. It can be claimed
            here once what you did is confirmed.
          </p>
        </>
      )}
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
              , {claimable.every(({ amountUsd }) => amountUsd !== null) ? 'about' : 'at least'}{' '}
              <Usd value={claimableUsd} />
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

/** Decimals of US dollars in responses. */
const DECIMALS = 6

/** All claims of an account in one sentence. */
function ClaimedSoFar({ totals }: { totals: Rewards['totals'] }) {
  const claims = totals.reduce((sum, total) => sum + total.claims, 0)
  // Points, and slots on lists, are worth no dollars.
  const tokens = totals.filter(({ asset }) => asset !== null)
  const valued = tokens.flatMap(({ claimedAmountUsd: usd }) => (usd === null ? [] : [toBaseUnits(usd, DECIMALS)]))
  const isAllValued = tokens.every(({ unvaluedClaims }) => unvaluedClaims === 0)
  return (
    <p class="claimed-so-far">
      Claimed so far: {counted(claims, 'claim')}
      {valued.length > 0 && (
        <>
          , {!isAllValued && 'at least '}
          <Usd
            value={toTokens(
              valued.reduce((sum, usd) => sum + usd, 0n),
              DECIMALS,
            )}
          />
        </>
      )}
      .
    </p>
  )
}
