import { Count, isValued, UsdOfClaims } from '../parts/amounts.tsx'
import { CampaignLink, campaignTitle } from '../parts/campaign-link.tsx'
import { ChainLabel } from '../parts/chain-label.tsx'
import { PercentChangeLabel } from '../parts/percent-change-label.tsx'
import { RowHead } from '../parts/row-head.tsx'
import { Sparkline } from '../plots/sparkline.tsx'
import { roundCount, roundUsd } from '../texts/format-numbers.ts'
import { rewardsInWords } from '../texts/rewards.ts'
import type { Trend } from './trends.ts'

/** A campaign with what was claimed of it in the period. @param step how long an interval of the activity is. */
export function TrendingRow({ trend, rank, step }: { trend: Trend; rank: number; step: string }) {
  const { campaign, activity } = trend
  const { totalClaims, totalAmountClaimedUsd, previous } = activity
  const isComparable =
    isValued(totalAmountClaimedUsd, totalClaims) && isValued(previous.totalAmountClaimedUsd, previous.totalClaims)
  return (
    <li>
      <RowHead
        rank={rank}
        mark={campaignTitle(campaign)}
        pictures={[campaign.nftImageUri, campaign.actionTemplate?.projectImage, campaign.tokenImageUri]}
      >
        <CampaignLink campaign={campaign} />
        <div class="about">
          <ChainLabel chainId={campaign.chainId} />
          <bdi>{rewardsInWords(campaign.incentives)}</bdi>
        </div>
      </RowHead>
      <dl>
        <div>
          <dt>Paid</dt>
          <dd>
            <UsdOfClaims value={totalAmountClaimedUsd} claims={totalClaims} />{' '}
            {isComparable && (
              <PercentChangeLabel
                now={totalAmountClaimedUsd}
                before={previous.totalAmountClaimedUsd}
                shown={roundUsd(previous.totalAmountClaimedUsd).short}
              />
            )}
          </dd>
        </div>
        <div>
          <dt>Claims</dt>
          <dd>
            <Count value={totalClaims} />{' '}
            <PercentChangeLabel
              now={totalClaims}
              before={previous.totalClaims}
              shown={roundCount(previous.totalClaims).short}
            />
          </dd>
        </div>
      </dl>
      <Sparkline values={activity.claims} of="claims" step={step} />
    </li>
  )
}
