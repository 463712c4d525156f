import { type Sample, within } from '../database/find-data-differences.ts'
import { differingFacets } from '../read-models/campaign-index/check.ts'
import { differingClaimHours } from '../read-models/claim-hours/check.ts'
import {
  differingCampaignTotals,
  differingContractTotals,
  differingTrendingCampaigns,
} from '../read-models/claim-windows/check.ts'
import { differingClaimants, differingFlags, differingIncentives } from '../read-models/incentive-state/check.ts'
import { differingPrices, differingValues } from '../read-models/prices/check.ts'

/* Compares derived columns with the facts. Each query returns the differences; none if all is well. */

export interface DerivedColumns {
  name: string
  /** What is compared, for a message. */
  subject: string
  differing: (sample: Sample) => string
}

/** Facts are found by key; campaigns have names. */
const idOf = `(select id from campaigns where key = campaign_key)`

export const derivedColumns: readonly DerivedColumns[] = [
  { name: 'facets', subject: 'contracts, tokens and channels of campaigns', differing: differingFacets },
  { name: 'values', subject: 'values of claims', differing: differingValues },
  { name: 'incentives', subject: 'claims, amounts and budgets of incentives', differing: differingIncentives },
  { name: 'flags', subject: 'whitelisted rewards and exhaustion of campaigns', differing: differingFlags },
  {
    name: 'claimants',
    subject: 'numbers of claimants',
    differing: differingClaimants,
  },
  { name: 'campaign totals', subject: 'claims of campaigns in all windows', differing: differingCampaignTotals },
  {
    name: 'claim hours',
    subject: 'claims of all campaigns by hours',
    differing: differingClaimHours,
  },
  {
    name: 'trending',
    subject: 'trending campaigns',
    differing: differingTrendingCampaigns,
  },
  {
    name: 'contract totals',
    subject: 'campaigns and claims of contracts in all windows',
    differing: differingContractTotals,
  },
  {
    name: 'members',
    subject: 'numbers of addresses on lists',
    differing: (sample) => `
      select ${idOf} as what
      from allow_lists stored
      where ${within(sample, 'campaign_key')} and address_count <> (
        select count(*) from allow_list_addresses listed where listed.campaign_key = stored.campaign_key)
      union all
      select 'access list ' || id
      from access_lists stored
      where ${sample === null ? 'true' : `id in (select access_list_id from allow_lists where ${within(sample, 'campaign_key')})`}
        and member_count <> (select count(*) from access_list_members members where members.access_list_id = stored.id)`,
  },
]

/** Small, so always checked whole: counts over all campaigns and all profiles. */
export const derivedCounts: readonly DerivedColumns[] = [
  { name: 'token prices', subject: 'prices of tokens', differing: differingPrices },
  {
    name: 'counts',
    subject: 'numbers of contracts, and of profiles by score',
    differing: () => `
      select 'contracts of chain ' || chain_id as what
      from (
        select chain_id, count(*) as contract_count from contract_claim_totals where window_seconds = 0 group by chain_id
      ) due
      full join contract_counts stored using (chain_id)
      where stored.contract_count is distinct from due.contract_count
      union all
      select 'profiles of score ' || score_bucket
      from (select score_bucket, count(*) as profile_count from profiles group by score_bucket) due
      full join profile_score_counts stored using (score_bucket)
      where stored.profile_count is distinct from due.profile_count`,
  },
]
