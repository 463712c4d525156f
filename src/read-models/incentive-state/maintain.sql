-- name: noteClaimants
-- Whether the claimants of changed claims have a claim on their campaign before the claims are merged. Queried incentive by
-- incentive, so that an index serves however many claims there are.
insert into affected_claimants
select campaign_key, claimant, has_gone or exists (
    select from incentives join claims on claims.campaign_key = incentives.campaign_key
      and claims.incentive_position = incentives.position and claims.claimant = delta.claimant
    where incentives.campaign_key = delta.campaign_key),
  has_come
from (
  select campaign_key, claimant, bool_or(direction = -1) as has_gone, bool_or(direction = 1) as has_come
  from claim_deltas group by campaign_key, claimant
) delta;

-- name: changeClaimantCounts
-- After the claims are merged: a claimant whose claims have all gone is one less.
merge into campaign_claimant_counts counts
using (
  select campaign_key, sum((has_come or exists (
      select from incentives join claims on claims.campaign_key = incentives.campaign_key
        and claims.incentive_position = incentives.position and claims.claimant = affected.claimant
      where incentives.campaign_key = affected.campaign_key))::integer - was_there::integer) as claimant_count
  from affected_claimants affected group by campaign_key
) delta
on counts.campaign_key = delta.campaign_key
when matched and counts.claimant_count + delta.claimant_count = 0 then delete
when matched and delta.claimant_count <> 0
  then update set claimant_count = counts.claimant_count + delta.claimant_count
when not matched and delta.claimant_count > 0 then insert (campaign_key, claimant_count)
  values (delta.campaign_key, delta.claimant_count);

-- name: refreshIncentives
-- Counts and sums change by the claims of the batch, which may also have a new state that the chain reports. Notes the campaigns of
-- which an incentive has become spent, or is no longer spent.
with delta as (
  select campaign_key, incentive_position as position, sum(direction) as claim_count,
    sum(direction * amount) as claimed_amount
  from claim_deltas group by campaign_key, incentive_position
), totals as (
  select incentive.campaign_key, incentive.position, incentive.type, incentive.asset,
    coalesce(restated.definition - 'auction', incentive.definition) as definition,
    case when restated.position is null then incentive.auction else restated.definition -> 'auction' end as auction,
    incentive.claim_count + coalesce(delta.claim_count, 0) as claim_count,
    incentive.claimed_amount + coalesce(delta.claimed_amount, 0) as claimed_amount, incentive.is_spent as was_spent
  from touched_campaigns touched
  join incentives incentive on incentive.campaign_key = touched.key
  left join delta on delta.campaign_key = incentive.campaign_key and delta.position = incentive.position
  left join (staged_incentive_state restated join campaigns on campaigns.id = restated.campaign_id)
    on campaigns.key = incentive.campaign_key and restated.position = incentive.position
), due as (
  select totals.*, state.*
  from totals cross join lateral incentive_state(type, asset, definition, claim_count::bigint, claimed_amount) state
), updated as (
  update incentives target
  set definition = due.definition, auction = due.auction, claim_count = due.claim_count, claimed_amount = due.claimed_amount,
    remaining_budget = due.remaining_budget, is_spent = due.is_spent
  from due
  where target.campaign_key = due.campaign_key and target.position = due.position
    and (target.definition, target.auction, target.claim_count, target.claimed_amount, target.remaining_budget, target.is_spent)
      is distinct from (due.definition, due.auction, due.claim_count, due.claimed_amount, due.remaining_budget, due.is_spent)
  returning target.campaign_key, due.is_spent <> was_spent as is_turned
)
insert into turned_campaigns select distinct campaign_key, false from updated where is_turned;

-- name: refreshFlags
-- After the state of the incentives. Notes which campaigns are found otherwise from now on.
with due as (
  select campaign.key, coalesce(are_whitelisted, true) as has_whitelisted_rewards,
    coalesce(are_all_spent, false)
      or (max_participants <> 0 and coalesce(claimant_count, 0) >= max_participants) as is_exhausted
  from touched_campaigns touched
  join campaigns campaign on campaign.key = touched.key
  left join campaign_claimant_counts claimants on claimants.campaign_key = campaign.key
  left join (
    select campaign_key, bool_and(is_spent) as are_all_spent,
      bool_and(asset is null or coalesce(is_whitelisted, false)) as are_whitelisted
    from touched_campaigns touched join incentives on campaign_key = touched.key
    left join tokens on tokens.chain_id = incentives.chain_id and tokens.address = asset
    group by campaign_key
  ) rewards on rewards.campaign_key = campaign.key
), updated as (
  update campaigns target
  set has_whitelisted_rewards = due.has_whitelisted_rewards, is_exhausted = due.is_exhausted
  from due
  where target.key = due.key
    and (target.has_whitelisted_rewards, target.is_exhausted)
      is distinct from (due.has_whitelisted_rewards, due.is_exhausted)
  returning target.key
)
insert into turned_campaigns select key, true from updated;

-- name: emptyClaimantCounts
-- Not truncated: who reads meanwhile sees what there was.
delete from campaign_claimant_counts;

-- name: fillClaimantCounts
insert into campaign_claimant_counts (campaign_key, claimant_count)
select campaign_key, count(distinct claimant) from claims group by campaign_key;

-- name: recountClaims
update incentives
set claim_count = coalesce(recorded.claim_count, 0), claimed_amount = coalesce(recorded.claimed_amount, 0)
from incentives every left join (
  select campaign_key, incentive_position as position, count(*) as claim_count, sum(amount) as claimed_amount
  from claims group by campaign_key, incentive_position
) recorded using (campaign_key, position)
where incentives.campaign_key = every.campaign_key and incentives.position = every.position
  and (incentives.claim_count, incentives.claimed_amount)
    is distinct from (coalesce(recorded.claim_count, 0), coalesce(recorded.claimed_amount, 0));

-- name: touchAll
-- As if a batch touched all campaigns: the statements above then refresh every state.
insert into touched_campaigns select key, false from campaigns;

-- name: analyzeTouched
analyze touched_campaigns;
