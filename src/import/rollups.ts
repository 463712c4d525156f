import { claimTotalStatements } from './claim-totals.ts'

/*
 * Columns that are derived from the facts. They are computed anew, never added to, for all campaigns in the temporary
 * table `touched_campaigns`, in the transaction that changes the facts; so they are always what a recomputation of
 * everything would give.
 */

const limit = `(definition ->> 'limit')::numeric`
const recordedAmount = `(definition ->> 'totalAmountClaimed')::numeric`
const recordedBalance = `(definition ->> 'remainingBalance')::numeric`
const totalBudget = `(definition ->> 'totalBudget')::numeric`

/** First each incentive (spec §5.1 "spent", §5.2 "remaining budget"), then the campaigns, which depend on them. */
export const rollUpStatements = [
  `with recorded as (
    select campaign_key, incentive_position as position, count(*) as claim_count, sum(amount) as claimed_amount
    from claims where campaign_key in (select key from touched_campaigns)
    group by campaign_key, incentive_position
  ), figures as (
    select incentive.campaign_key, incentive.position, incentive.type, incentive.asset, incentive.definition,
      coalesce(recorded.claim_count, 0) as claim_count,
      coalesce(recorded.claimed_amount, 0) as claimed_amount,
      coalesce(${recordedAmount}, recorded.claimed_amount, 0) as amount_claimed
    from incentives incentive
    left join recorded using (campaign_key, position)
    where incentive.campaign_key in (select key from touched_campaigns)
  ), derived as (
    select campaign_key, position, claim_count, claimed_amount,
      case
        when asset is null then null
        when definition ? 'remainingBalance' then ${recordedBalance}
        when type = 'ERC20Incentive' and (definition ->> 'strategy')::numeric = 1 then (definition ->> 'reward')::numeric
        when type = 'ERC20Incentive' then (definition ->> 'reward')::numeric * ${limit}
        when type = 'CGDAIncentive' then greatest(${totalBudget} - amount_claimed, 0)
        else greatest(${limit} - amount_claimed, 0)
      end as remaining_budget,
      case
        when ${recordedBalance} = 0 then true
        when type in ('AllowListIncentive', 'PointsIncentive') then claim_count >= ${limit}
        when type = 'ERC20Incentive' then ${limit} = 0
        when type = 'CGDAIncentive' then amount_claimed >= ${totalBudget}
        else amount_claimed >= ${limit}
      end as is_spent
    from figures
  )
  update incentives target
  set claim_count = derived.claim_count, claimed_amount = derived.claimed_amount,
    remaining_budget = derived.remaining_budget, is_spent = derived.is_spent
  from derived
  where target.campaign_key = derived.campaign_key and target.position = derived.position
    and (target.claim_count, target.claimed_amount, target.remaining_budget, target.is_spent)
      is distinct from (derived.claim_count, derived.claimed_amount, derived.remaining_budget, derived.is_spent)`,
  `with claimants as (
    select campaign_key, count(distinct claimant) as claimant_count
    from claims where campaign_key in (select key from touched_campaigns)
    group by campaign_key
  ), rewards as (
    select campaign_key, bool_and(is_spent) as are_all_spent,
      bool_and(asset is null or coalesce(is_whitelisted, false)) as are_whitelisted
    from incentives left join tokens on tokens.chain_id = incentives.chain_id and tokens.address = asset
    where campaign_key in (select key from touched_campaigns)
    group by campaign_key
  ), derived as (
    select campaign.key, coalesce(are_whitelisted, true) as has_whitelisted_rewards,
      coalesce(are_all_spent, false)
        or (max_participants <> 0 and coalesce(claimant_count, 0) >= max_participants) as is_exhausted
    from campaigns campaign
    left join claimants on claimants.campaign_key = campaign.key
    left join rewards on rewards.campaign_key = campaign.key
    where campaign.key in (select key from touched_campaigns)
  )
  update campaigns target
  set has_whitelisted_rewards = derived.has_whitelisted_rewards, is_exhausted = derived.is_exhausted
  from derived
  where target.key = derived.key
    and (target.has_whitelisted_rewards, target.is_exhausted)
      is distinct from (derived.has_whitelisted_rewards, derived.is_exhausted)`,
  ...claimTotalStatements,
  `merge into profile_score_counts counts
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
    then insert (score_bucket, profile_count) values (figures.score_bucket, figures.profile_count)`,
]
