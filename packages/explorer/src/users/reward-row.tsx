import type { Reward } from 'reward-campaigns-client'
import { incentiveTypeName } from '../campaigns/incentives/incentive-names.ts'
import { Transaction } from '../parts/address.tsx'
import { Count, Tokens, Usd } from '../parts/amounts.tsx'
import { CampaignLink, campaignTitle } from '../parts/campaign-link.tsx'
import { ChainLabel } from '../parts/chain-label.tsx'
import { Mark } from '../parts/name.tsx'
import { RelativeTime } from '../parts/times.tsx'
import { HowToClaim } from './how-to-claim.tsx'
import { Reasons } from './reasons.tsx'
import { VerdictBadge } from './verdict-badge.tsx'

/** An incentive with what an account has claimed of it, and whether it can claim more. */
export function RewardRow({ reward, user }: { reward: Reward; user: string }) {
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
            <span>{incentiveTypeName(reward.incentiveType)}</span>
          </div>
        </div>
      </div>
      <div class="verdict">
        <VerdictBadge verdict={reward.verdict} />
        <Reasons reasons={reward.reasons} chainId={chainId} />
        <HowToClaim chainId={chainId} claimable={reward} />
      </div>
      <Claimed reward={reward} chainId={chainId} />
    </li>
  )
}

function Claimed({ reward, chainId }: { reward: Reward; chainId: number }) {
  const { claims, claimedAmount, claimedAmountUsd, metadata, lastClaimedAt, lastTxHash } = reward
  if (claims === 0) return <p class="when soft">Nothing claimed yet</p>
  return (
    <div class="when">
      <p>
        <Tokens baseUnits={claimedAmount} decimals={metadata?.decimals} symbol={metadata?.symbol} />{' '}
        <span class="soft">
          (<Usd value={claimedAmountUsd} />)
        </span>
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
