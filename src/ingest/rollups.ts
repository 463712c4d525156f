import { changeClaimHours, refreshClaimHours } from '../read-models/claim-hours/maintain.ts'
import {
  campaignTotals,
  contractCounts,
  contractTotals,
  countChanges,
  countForContracts,
  refreshTrendingCampaigns,
} from '../read-models/claim-windows/maintain.ts'
import { refreshIncentiveState } from '../read-models/incentive-state/maintain.ts'
import type { Step } from '../read-models/steps.ts'

/*
 * Columns that are derived from the facts, for all campaigns in the temporary table `touched_campaigns`, in the
 * transaction that changes the facts. Counts and sums of claims change by `claim_changes`; everything else is computed
 * anew from them and from the records.
 */

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
  ...refreshIncentiveState,
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
