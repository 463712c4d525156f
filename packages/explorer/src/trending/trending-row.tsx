import type { TrendingCampaign } from 'reward-campaigns-client'
import { Usd } from '../amounts.tsx'
import { CampaignLink, campaignTitle } from '../campaign-link.tsx'
import { ChainLabel } from '../chain-label.tsx'
import { Mark } from '../name.tsx'
import { rewardsInWords } from '../rewards.ts'

/** A campaign with what was claimed of it in the period. */
export function TrendingRow({ campaign, rank, period }: { campaign: TrendingCampaign; rank: number; period: string }) {
  return (
    <li>
      <div class="who">
        <span class="rank" aria-hidden="true">
          {rank}
        </span>
        <Mark text={campaignTitle(campaign)} />
        <div>
          <CampaignLink campaign={campaign} />
          <div class="about">
            <ChainLabel chainId={campaign.chainId} />
            <bdi>{rewardsInWords(campaign.incentives)}</bdi>
          </div>
        </div>
      </div>
      <dl>
        <div>
          <dt>Volume</dt>
          <dd>
            <Usd value={period === '1h' ? campaign.usdDistributed1Hr : campaign.usdDistributed24Hr} />
          </dd>
        </div>
      </dl>
    </li>
  )
}
