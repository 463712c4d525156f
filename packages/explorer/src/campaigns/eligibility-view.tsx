import { useLocation } from 'preact-iso'
import type { Campaign } from 'reward-campaigns-client'
import { withQuery } from '../navigation/page-query.ts'
import { Shown } from '../requests/request-result.tsx'
import { client } from '../requests/service.ts'
import { useRequest } from '../requests/use-request.ts'
import { AddressForm } from '../users/address-form.tsx'
import { HowToClaim } from '../users/how-to-claim.tsx'
import { Reasons } from '../users/reasons.tsx'
import { UserLink } from '../users/user-link.tsx'
import { VerdictBadge } from '../users/verdict-badge.tsx'
import { incentiveName, incentiveTypeName } from './incentives/incentive-words.ts'

/** Whether an account can claim a campaign; the address of the page says which account. */
export function EligibilityView({ campaign, user }: { campaign: Campaign; user: string | undefined }) {
  const { url } = useLocation()
  return (
    <>
      <AddressForm address={user} toUrl={(address) => withQuery(url, { user: address })} label="Account" />
      {user !== undefined && <OfUser key={user} campaign={campaign} user={user} />}
    </>
  )
}

function OfUser({ campaign: { id, chainId, incentives }, user }: { campaign: Campaign; user: string }) {
  const nameOf = (index: number, type: string | null) => {
    const incentive = incentives[index]
    return incentive === undefined ? incentiveTypeName(type) : incentiveName(incentive)
  }
  const request = useRequest(
    (signal) => client.listEligibility({ user, campaignId: [id] }, { signal }),
    `eligibility ${user} ${id}`,
  )
  return (
    <Shown request={request} lines={2}>
      {({ campaigns: [found] }) => (
        <>
          <p class="soft">
            All rewards of <UserLink address={user} />
          </p>
          <ol class="eligibility">
            {found?.incentives.map(({ incentiveIndex, type, verdict, reasons, ...claimable }) => (
              <li key={incentiveIndex} class="card">
                <p>
                  {nameOf(incentiveIndex, type)} <VerdictBadge verdict={verdict} reasons={reasons} />
                </p>
                <Reasons verdict={verdict} reasons={reasons} chainId={chainId} />
                <HowToClaim chainId={chainId} claimable={claimable} />
              </li>
            ))}
          </ol>
        </>
      )}
    </Shown>
  )
}
