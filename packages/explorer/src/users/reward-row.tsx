import type { Reward } from 'reward-campaigns-client'
import { Paid } from '../campaigns/incentives/paid.tsx'
import { Transaction } from '../parts/address.tsx'
import { Count } from '../parts/amounts.tsx'
import { CampaignLink, campaignTitle } from '../parts/campaign-link.tsx'
import { ChainLabel } from '../parts/chain-label.tsx'
import { Mark } from '../parts/name.tsx'
import { RelativeTime } from '../parts/times.tsx'
import { ClaimButton } from '../wallet/claim-button.tsx'
import { toCalls } from '../wallet/claim-calls.ts'
import { HowToClaim } from './how-to-claim.tsx'
import { PaysNow } from './pays-now.tsx'
import { Reasons } from './reasons.tsx'
import { VerdictBadge } from './verdict-badge.tsx'

/** An incentive with what an account has claimed of it, and whether it can claim more. @param name what it is called. */
export function RewardRow({ reward, name, user }: { reward: Reward; name: string; user: string }) {
  const chainId = Number(reward.campaignId.split(':')[0])
  const campaign = { id: reward.campaignId, chainId, campaignName: reward.campaignName }
  return (
    <li>
      <div class="who">
        <Mark text={campaignTitle(campaign)} />
        <div>
          <CampaignLink campaign={campaign} user={user} />
          <div class="about">
            <ChainLabel chainId={chainId} />
            <span>{name}</span>
          </div>
        </div>
      </div>
      <div class="verdict">
        <VerdictBadge verdict={reward.verdict} reasons={reward.reasons} />
        <PaysNow reward={reward} />
        <Reasons verdict={reward.verdict} reasons={reward.reasons} chainId={chainId} />
        <ClaimButton
          label="Claim"
          what={campaignTitle(campaign)}
          toCalls={reward.transaction === undefined ? undefined : () => toCalls(reward)}
        />
        <HowToClaim chainId={chainId} claimable={reward} />
      </div>
      <Claimed reward={reward} name={name} chainId={chainId} />
    </li>
  )
}

function Claimed({ reward, name, chainId }: { reward: Reward; name: string; chainId: number }) {
  const { claims, claimedAmount, claimedAmountUsd, metadata, lastClaimedAt, lastTxHash } = reward
  if (claims === 0) return <p class="when soft">Nothing claimed yet</p>
  return (
    <div class="when">
      <p>
        <Paid
          incentiveType={reward.incentiveType}
          name={name}
          amount={claimedAmount}
          amountUsd={claimedAmountUsd}
          metadata={metadata}
        />
      </p>
      <p class="soft">
        <Count value={claims} /> {claims === 1 ? 'claim' : 'claims'}
        {lastClaimedAt !== null && lastTxHash !== null && (
          <>
            , last <RelativeTime at={lastClaimedAt} /> <Transaction chainId={chainId} hash={lastTxHash} />
          </>
        )}
      </p>
    </div>
  )
}
