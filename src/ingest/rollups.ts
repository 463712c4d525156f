import { changeClaimHours, refreshClaimHours } from '../read-models/claim-hours/maintain.ts'
import { refreshTrendingCampaigns } from '../read-models/claim-windows/maintain.ts'
import { campaignTotals, contractCounts, contractTotals, countChanges, countForContracts } from './claim-totals.ts'
import { campaignFlagsOf, incentiveFiguresOf } from './figure-definitions.ts'
import type { Step } from './steps.ts'

/*
 * Columns that are derived from the facts, for all campaigns in the temporary table `touched_campaigns`, in the
 * transaction that changes the facts. Counts and sums of claims change by `claim_changes`; everything else is computed
 * anew from them and from the records.
 */

/** Counts and sums move on by the claims of the batch. */
const incentiveFigures = `with changes as (
    select campaign_key, incentive_position as position, sum(direction) as claim_count,
      sum(direction * amount) as claimed_amount
    from claim_changes group by campaign_key, incentive_position
  ), figures as (
    select incentive.campaign_key, incentive.position, incentive.type, incentive.asset, incentive.definition,
      incentive.claim_count + coalesce(changes.claim_count, 0) as claim_count,
      incentive.claimed_amount + coalesce(changes.claimed_amount, 0) as claimed_amount
    from touched_campaigns touched
    join incentives incentive on incentive.campaign_key = touched.key
    left join changes on changes.campaign_key = incentive.campaign_key and changes.position = incentive.position
  ), derived as (${incentiveFiguresOf('figures')})
  update incentives target
  set claim_count = derived.claim_count, claimed_amount = derived.claimed_amount,
    remaining_budget = derived.remaining_budget, is_spent = derived.is_spent
  from derived
  where target.campaign_key = derived.campaign_key and target.position = derived.position
    and (target.claim_count, target.claimed_amount, target.remaining_budget, target.is_spent)
      is distinct from (derived.claim_count, derived.claimed_amount, derived.remaining_budget, derived.is_spent)`

/** After the figures of the incentives, which they depend on. Notes which campaigns are found otherwise from now on. */
const campaignFlags = `with derived as (${campaignFlagsOf('touched_campaigns')}), flipped as (
    update campaigns target
    set has_whitelisted_rewards = derived.has_whitelisted_rewards, is_exhausted = derived.is_exhausted
    from derived
    where target.key = derived.key
      and (target.has_whitelisted_rewards, target.is_exhausted)
        is distinct from (derived.has_whitelisted_rewards, derived.is_exhausted)
    returning target.key
  )
  insert into flipped_campaigns select key from flipped`

const scoreCounts = `merge into profile_score_counts counts
  using (
    select touched_scores.score_bucket, count(user_address) as profile_count
    from touched_scores left join profiles using (score_bucket)
    group by touched_scores.score_bucket
  ) figures
  on counts.score_bucket = figures.score_bucket
  when matched and figures.profile_count = 0 then delete
  when matched and counts.profile_count <> figures.profile_count
    then update set profile_count = figures.profile_count
  when not matched and figures.profile_count > 0
    then insert (score_bucket, profile_count) values (figures.score_bucket, figures.profile_count)`

export const rollUpSteps: Step[] = [
  { of: ['campaign', 'incentive', 'claim', 'withdrawnClaim'], needs: 'touched_campaigns', sql: incentiveFigures },
  { of: ['campaign', 'incentive', 'claim', 'withdrawnClaim', 'token'], needs: 'touched_campaigns', sql: campaignFlags },
  { of: ['claim', 'withdrawnClaim'], sql: countChanges, fills: 'counted_changes' },
  { of: ['claim', 'withdrawnClaim'], sql: campaignTotals },
  { of: ['claim', 'withdrawnClaim'], needs: 'counted_changes', sql: changeClaimHours },
  {
    of: ['claim', 'withdrawnClaim'],
    needs: 'counted_changes',
    sql: refreshClaimHours('select distinct campaign_key from counted_changes'),
  },
  { of: ['campaign', 'claim', 'withdrawnCampaign', 'withdrawnClaim'], sql: countForContracts('after') },
  {
    of: ['campaign', 'incentive', 'claim', 'withdrawnClaim', 'token', 'actionTemplate'],
    needs: 'touched_campaigns',
    sql: refreshTrendingCampaigns('select key from touched_campaigns'),
  },
  { of: ['profile'], sql: scoreCounts },
]

/** After the bitmaps, in which the next newest campaign of a contract is looked for. */
export const contractSteps: Step[] = [
  { of: ['campaign', 'claim', 'withdrawnCampaign', 'withdrawnClaim'], sql: contractTotals },
  { of: ['campaign', 'withdrawnCampaign'], sql: contractCounts },
]
