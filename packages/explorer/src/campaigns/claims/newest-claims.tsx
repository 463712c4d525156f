import { Transaction } from '../../parts/address.tsx'
import { Tokens, Usd } from '../../parts/amounts.tsx'
import { RelativeTime } from '../../parts/times.tsx'
import { Shown } from '../../requests/request-result.tsx'
import { client } from '../../requests/service.ts'
import { useRequest } from '../../requests/use-request.ts'
import { UserLink } from '../../users/user-link.tsx'
import { counted } from '../prose.ts'

/** How many are shown; the request below has the way to the others. */
const SHOWN_CLAIMS = 10

export const newestClaimsOf = (id: string) => ({ campaignId: [id], pageSize: SHOWN_CLAIMS })

/** Who has claimed a campaign lately, and what that paid. */
export function NewestClaims({ id, chainId }: { id: string; chainId: number }) {
  const request = useRequest((signal) => client.listClaims(newestClaimsOf(id), { signal }), `claims ${id}`)
  return (
    <Shown request={request} lines={3}>
      {({ claims, totalClaims }) => {
        if (claims.length === 0) return <p class="soft">Nobody has claimed it yet.</p>
        return (
          <>
            {totalClaims !== undefined && <p class="soft">{counted(totalClaims, 'claim')} in all</p>}
            <ol class="claims">
              {claims.map(({ txHash, logIndex, claimant, amount, amountUsd, metadata, blockTimestamp, isFinal }) => (
                <li key={`${txHash} ${logIndex}`}>
                  <UserLink address={claimant} />
                  <span>
                    <Tokens baseUnits={amount} decimals={metadata?.decimals} symbol={metadata?.symbol} />{' '}
                    <span class="soft">
                      (<Usd value={amountUsd} />)
                    </span>
                  </span>
                  <span class="soft">
                    <RelativeTime at={blockTimestamp} />
                    {isFinal === false && ', not final yet'}
                  </span>
                  <Transaction chainId={chainId} hash={txHash} />
                </li>
              ))}
            </ol>
          </>
        )
      }}
    </Shown>
  )
}
