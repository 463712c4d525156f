import type { Campaign } from 'reward-campaigns-client'
import { Transaction } from '../../parts/address.tsx'
import { RelativeTime } from '../../parts/times.tsx'
import { Shown } from '../../requests/request-result.tsx'
import { client } from '../../requests/service.ts'
import { useRequest } from '../../requests/use-request.ts'
import { UserLink } from '../../users/user-link.tsx'
import { incentiveName } from '../incentives/incentive-words.ts'
import { Paid } from '../incentives/paid.tsx'
import { counted } from '../prose.ts'

/** How many are shown; the request below has the way to the others. */
const SHOWN_CLAIMS = 10

export const newestClaimsOf = (id: string) => ({ campaignId: [id], pageSize: SHOWN_CLAIMS })

/** Who has claimed a campaign lately, and what that paid. */
export function NewestClaims({ campaign: { id, chainId, incentives } }: { campaign: Campaign }) {
  const nameOf = (index: number) => {
    const incentive = incentives[index]
    return incentive === undefined ? '' : incentiveName(incentive)
  }
  const request = useRequest((signal) => client.listClaims(newestClaimsOf(id), { signal }), `claims ${id}`)
  return (
    <Shown request={request} lines={3}>
      {({ claims, totalClaims }) => {
        if (claims.length === 0) return <p class="soft">Nobody has claimed it yet.</p>
        return (
          <>
            {totalClaims !== undefined && <p class="soft">{counted(totalClaims, 'claim')} in all</p>}
            <ol class="claims">
              {claims.map((claim) => (
                <li key={`${claim.txHash} ${claim.logIndex}`}>
                  <UserLink address={claim.claimant} />
                  <span>
                    <Paid {...claim} name={nameOf(claim.incentiveIndex)} />
                  </span>
                  <span class="soft">
                    <RelativeTime at={claim.blockTimestamp} />
                    {claim.isFinal === false && ', not final yet'}
                  </span>
                  <Transaction chainId={chainId} hash={claim.txHash} />
                </li>
              ))}
            </ol>
          </>
        )
      }}
    </Shown>
  )
}
