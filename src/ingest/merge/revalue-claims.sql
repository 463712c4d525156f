-- name: measureRevaluation
-- How many pages the claims to revalue take in their working table, and whether they are few.
select (pg_relation_size('revalued_claim') / current_setting('block_size')::integer)::integer as pages,
  (select count(*) < 200 from (select from revalued_claim limit 200) few) as "isFew";

-- name: findRevaluationDeltas
-- The claims in the pages from $1 to $2 of that table, as if they were replaced: two rows for each. By their physical positions in
-- the table of claims, which no other transaction can change meanwhile; a claim that has been replaced since is skipped.
insert into claim_deltas
select direction, chain_id, tx_hash, log_index, campaign_key, incentive_position, claimant, amount,
  case direction when 1 then due.amount_usd else claim.amount_usd end, block_timestamp,
  case direction when 1 then due.is_value_derived else claim.is_value_derived end
from revalued_claim due join claims claim on claim.ctid = due.claim cross join (values (-1), (1)) both_ways (direction)
where due.ctid >= $1::tid and due.ctid < $2::tid;

-- name: storeRevaluedClaims
update claims claim set amount_usd = due.amount_usd, is_value_derived = due.is_value_derived
from revalued_claim due where claim.ctid = due.claim and due.ctid >= $1::tid and due.ctid < $2::tid;
