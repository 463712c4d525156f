import type { CampaignListItem, Incentive } from 'reward-campaigns-client'
import { Usd } from '../parts/amounts.tsx'
import { CampaignLink, campaignTitle } from '../parts/campaign-link.tsx'
import { ChainLabel } from '../parts/chain-label.tsx'
import { RelativeTime } from '../parts/times.tsx'
import { Picture } from '../pictures/picture.tsx'
import { picturesOf } from './campaign-pictures.ts'
import { claimDollars } from './incentives/dollars.ts'
import type { Rewarding } from './incentives/incentive-budget.ts'
import { isForList } from './incentives/incentive-sentences.ts'
import { isFunded } from './incentives/incentive-variants.ts'
import { payoutOf } from './incentives/incentive-words.ts'
import { Remainder } from './incentives/remainder.tsx'
import { counted } from './prose.ts'
import { Prose } from './prose-view.tsx'
import { State } from './state.tsx'
import { stepsInWords } from './steps/steps-in-words.ts'
import type { KnownTokens } from './tokens/known-tokens.ts'

/** What fits into a row; the page of the campaign has them all. */
const SHOWN_INCENTIVES = 2

/** What a row shows: the rest of a campaign need not be loaded for it. */
export const ROW_FIELDS = [
  ...(['id', 'chainId', 'campaignName', 'nftName', 'nftImageUri', 'projectImageUri', 'tokenImageUri'] as const),
  ...(['blockTimestamp', 'isActive', 'startTime', 'endTime', 'allowList', 'actionSteps'] as const),
  ...(['incentives', 'availableBudgetUsd'] as const),
] as const

type Row = Pick<CampaignListItem, (typeof ROW_FIELDS)[number]>

/** The entries of the list. */
export function CampaignRows({ campaigns, tokens }: { campaigns: readonly Row[]; tokens: KnownTokens }) {
  return (
    <ol class="rows campaigns">
      {campaigns.map((campaign) => (
        <CampaignRow key={campaign.id} campaign={{ ...campaign, tokens }} />
      ))}
    </ol>
  )
}

/** A campaign as an entry of the list. */
function CampaignRow({ campaign }: { campaign: Row & Rewarding }) {
  const { incentives, availableBudgetUsd } = campaign
  const actionSteps = campaign.actionSteps ?? []
  const [first, ...others] = actionSteps
  const more = incentives.length - SHOWN_INCENTIVES
  return (
    <li>
      <div class="who">
        <Picture text={campaignTitle(campaign)} uris={picturesOf(campaign)} />
        <div>
          <CampaignLink campaign={campaign} />
          <div class="about">
            {others.length > 0 ? (
              <Prose sentence={stepsInWords(actionSteps, { actionSteps })} />
            ) : (
              <ChainLabel chainId={campaign.chainId} />
            )}
            {others.length === 0 && first !== undefined && first.chainId !== campaign.chainId && (
              <span>
                to be done on <ChainLabel chainId={first.chainId} />
              </span>
            )}
            <span>
              deployed <RelativeTime at={campaign.blockTimestamp} />
            </span>
          </div>
        </div>
      </div>
      <ul class="payouts" aria-label="Incentives">
        {incentives.slice(0, SHOWN_INCENTIVES).map((incentive, index) => (
          <li key={index}>
            <p>
              <Prose sentence={payoutOf(campaign, incentive)} />
              <ClaimDollars campaign={campaign} incentive={incentive} />
            </p>
            <Remainder campaign={campaign} incentive={incentive} />
          </li>
        ))}
        {more > 0 && <li class="soft">and {counted(more, 'more incentive')}</li>}
        {incentives.length === 0 && <li class="soft">No incentive</li>}
      </ul>
      <div class="when">
        <State campaign={campaign} />
        {isForList(campaign.allowList?.type) && <p class="badge">For a list of accounts</p>}
        {availableBudgetUsd !== null && incentives.some(isFunded) && (
          <p class="soft">
            <Usd value={availableBudgetUsd} /> left
          </p>
        )}
      </div>
    </li>
  )
}

function ClaimDollars({ campaign, incentive }: { campaign: Rewarding; incentive: Incentive }) {
  const dollars = claimDollars(campaign, incentive)
  if (dollars === undefined) return null
  return (
    <>
      ,{' '}
      <strong>
        {dollars.isMaximum ? 'up to' : 'about'} <Usd value={dollars.usd} /> a claim
      </strong>
    </>
  )
}
