import { comparing, type Sample, within } from '../../database/find-data-differences.ts'

/** Incentives whose state differs from their records and claims. */
const differingIncentives = (sample: Sample) => `
  select (select id from campaigns where key = campaign_key) || ', incentive ' || position as what
  from incentives stored
  left join (
    select campaign_key, incentive_position as position, count(*) as claim_count, sum(amount) as claimed_amount
    from claims where ${within(sample, 'campaign_key')} group by campaign_key, incentive_position
  ) recorded using (campaign_key, position)
  cross join lateral (
    select coalesce(recorded.claim_count, 0) as claim_count, coalesce(recorded.claimed_amount, 0) as claimed_amount
  ) counted
  cross join lateral incentive_state(type, asset, definition, counted.claim_count, counted.claimed_amount) due
  where ${within(sample, 'campaign_key')}
    and (stored.claim_count, stored.claimed_amount, stored.remaining_budget, stored.is_spent)
      is distinct from (counted.claim_count, counted.claimed_amount, due.remaining_budget, due.is_spent)`

/** Campaigns whose flags differ from their incentives and claimants. */
const differingFlags = (sample: Sample) => `
  select campaign.id as what
  from campaigns campaign
  left join campaign_claimant_counts claimants on claimants.campaign_key = campaign.key
  left join (
    select campaign_key, bool_and(is_spent) as are_all_spent,
      bool_and(asset is null or coalesce(is_whitelisted, false)) as are_whitelisted
    from incentives left join tokens on tokens.chain_id = incentives.chain_id and tokens.address = asset
    where ${within(sample, 'campaign_key')}
    group by campaign_key
  ) rewards on rewards.campaign_key = campaign.key
  where ${within(sample, 'key')}
    and (has_whitelisted_rewards, is_exhausted) is distinct from (coalesce(are_whitelisted, true),
      coalesce(are_all_spent, false) or (max_participants <> 0 and coalesce(claimant_count, 0) >= max_participants))`

/** Campaigns with another number of claimants than their claims have. */
const differingClaimants = (sample: Sample) => `
  select (select id from campaigns where key = campaign_key) as what
  from (
    select campaign_key, count(distinct claimant) as claimant_count from claims
    where ${within(sample, 'campaign_key')} group by campaign_key
  ) due
  full join (select * from campaign_claimant_counts where ${within(sample, 'campaign_key')}) stored using (campaign_key)
  where stored.claimant_count is distinct from due.claimant_count`

export const examineIncentiveState = comparing({
  'claims, amounts and budgets of incentives': differingIncentives,
  'numbers of claimants': differingClaimants,
  'whitelisted rewards and exhaustion of campaigns': differingFlags,
})
