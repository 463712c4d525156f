-- name: findWithdrawnClaims
insert into claim_deltas
select -1, chain_id, tx_hash, log_index, campaign_key, incentive_position, claimant, amount, amount_usd, block_timestamp,
  is_value_derived
from (select distinct chain_id, tx_hash, log_index from withdrawn_claim) withdrawn
join claims using (chain_id, tx_hash, log_index);

-- name: findChangedClaims
-- Claims that are already stored this way change nothing, and touch no campaign. A claim whose record has no value gets the value by
-- the price, which is not looked up for other claims (`offset 0`: else the planner looks it up first and reads the record afterwards).
insert into claim_deltas
select change.*
from staged_claim claim join campaigns on campaigns.id = campaign_id
join incentives on incentives.campaign_key = campaigns.key and position = claim.incentive_position
left join claims stored
  on stored.chain_id = claim.chain_id and stored.tx_hash = claim.tx_hash and stored.log_index = claim.log_index
left join lateral (
  select amount_usd from derived_claim_value(incentives.chain_id, asset, claim.amount, claim.block_timestamp)
  where claim.amount_usd is null offset 0
) derived on true
cross join lateral (values
  (-1, stored.chain_id, stored.tx_hash, stored.log_index, stored.campaign_key, stored.incentive_position,
    stored.claimant, stored.amount, stored.amount_usd, stored.block_timestamp, stored.is_value_derived),
  (1, claim.chain_id, claim.tx_hash, claim.log_index, campaigns.key, claim.incentive_position, claim.claimant,
    claim.amount, coalesce(claim.amount_usd, derived.amount_usd), claim.block_timestamp,
    claim.amount_usd is null and asset is not null)
) change (direction, chain_id)
where change.chain_id is not null
  and (stored.campaign_key, stored.incentive_position, stored.claimant, stored.amount,
      case when not stored.is_value_derived then stored.amount_usd end, stored.block_timestamp)
    is distinct from (campaigns.key, claim.incentive_position, claim.claimant, claim.amount, claim.amount_usd,
      claim.block_timestamp);

-- name: touchClaimed
insert into touched_campaigns (key, is_record_touched)
select distinct campaign_key, false from claim_deltas delta
where not exists (select from touched_campaigns already where already.key = delta.campaign_key);

-- name: deleteWithdrawnClaims
delete from claims using withdrawn_claim withdrawn
where claims.chain_id = withdrawn.chain_id and claims.tx_hash = withdrawn.tx_hash and claims.log_index = withdrawn.log_index;

-- name: storeChangedClaims
-- Each of them differs from what is stored.
insert into claims as target (chain_id, tx_hash, log_index, campaign_key, incentive_position, claimant, amount, amount_usd,
  block_timestamp, is_value_derived)
select chain_id, tx_hash, log_index, campaign_key, incentive_position, claimant, amount, amount_usd, block_timestamp,
  is_value_derived
from claim_deltas where direction = 1
on conflict (chain_id, tx_hash, log_index) do update
set campaign_key = excluded.campaign_key, incentive_position = excluded.incentive_position, claimant = excluded.claimant,
  amount = excluded.amount, amount_usd = excluded.amount_usd, block_timestamp = excluded.block_timestamp,
  is_value_derived = excluded.is_value_derived;
