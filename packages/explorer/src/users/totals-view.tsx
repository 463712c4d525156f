import type { ResponseOf } from 'reward-campaigns-client'
import { Address } from '../parts/address.tsx'
import { Count, Tokens, Usd } from '../parts/amounts.tsx'
import { ChainLabel } from '../parts/chain-label.tsx'

/** What an account has claimed of each token. */
export function TotalsView({ totals }: { totals: ResponseOf<'listRewards'>['totals'] }) {
  if (totals.length === 0) return null
  return (
    <section aria-labelledby="totals">
      <h2 id="totals">Claimed so far</h2>
      <ul class="cards totals">
        {totals.map(({ chainId, asset, metadata, claims, claimedAmount, claimedAmountUsd, unvaluedClaims }) => (
          <li class="card" key={`${chainId}:${asset}`}>
            <p>
              {asset === null ? (
                'Points, and slots on lists'
              ) : (
                <Tokens baseUnits={claimedAmount} decimals={metadata?.decimals} symbol={metadata?.symbol} />
              )}
            </p>
            <p class="soft">
              {asset !== null && claimedAmountUsd !== null && (
                <>
                  <Usd value={claimedAmountUsd} /> in{' '}
                </>
              )}
              <Count value={claims} /> {claims === 1 ? 'claim' : 'claims'}
              {asset !== null && unvaluedClaims > 0 && (
                <>, {unvaluedClaims < claims && <Count value={unvaluedClaims} />} of unknown value</>
              )}
            </p>
            <p class="about">
              <ChainLabel chainId={chainId} />{' '}
              {asset !== null && <Address chainId={chainId} address={asset} what="token" />}
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}
