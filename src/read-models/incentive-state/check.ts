import { type Sample, within } from '../../database/find-differences.ts'
import { campaignFlagsOf, incentiveFiguresOf } from './definitions.ts'

/** Incentives whose figures differ from their records and claims. */
export const differingIncentives = (sample: Sample) => `
  with figures as (
    select campaign_key, position, type, asset, definition, coalesce(recorded.claim_count, 0) as claim_count,
      coalesce(recorded.claimed_amount, 0) as claimed_amount
    from incentives left join (
      select campaign_key, incentive_position as position, count(*) as claim_count, sum(amount) as claimed_amount
      from claims where ${within(sample, 'campaign_key')} group by campaign_key, incentive_position
    ) recorded using (campaign_key, position)
    where ${within(sample, 'campaign_key')}
  ), due as (${incentiveFiguresOf('figures')})
  select (select id from campaigns where key = campaign_key) || ', incentive ' || position as what
  from due join incentives stored using (campaign_key, position)
  where (stored.claim_count, stored.claimed_amount, stored.remaining_budget, stored.is_spent)
    is distinct from (due.claim_count, due.claimed_amount, due.remaining_budget, due.is_spent)`

/** Campaigns whose flags differ from their incentives and claimants. */
export const differingFlags = (sample: Sample) => `
  with sampled as (select key from campaigns where ${within(sample, 'key')}), due as (${campaignFlagsOf('sampled')})
  select stored.id as what from due join campaigns stored using (key)
  where (stored.has_whitelisted_rewards, stored.is_exhausted)
    is distinct from (due.has_whitelisted_rewards, due.is_exhausted)`
