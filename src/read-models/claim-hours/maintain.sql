-- name: changeClaimHours
-- By `claim_deltas`: what a batch changes in claims.
merge into claim_hours totals
using (
  select block_timestamp - mod(block_timestamp, 3600) as start, sum(direction) as claim_count,
    sum(direction * coalesce(amount_usd, 0)) as amount_usd,
    sum(direction * (amount_usd is null and is_value_derived)::integer) as unvalued_count
  from claim_deltas group by 1
) delta
on hour_start = start
when matched and totals.claim_count + delta.claim_count = 0 then delete
when matched and (delta.claim_count, delta.amount_usd, delta.unvalued_count) <> (0, 0, 0) then update
  set claim_count = totals.claim_count + delta.claim_count, amount_usd = totals.amount_usd + delta.amount_usd,
    unvalued_count = totals.unvalued_count + delta.unvalued_count
when not matched and delta.claim_count > 0 then insert
  values (start, delta.claim_count, delta.amount_usd, delta.unvalued_count);

-- name: emptyClaimHours
-- Not truncated: who reads meanwhile sees what there was.
delete from claim_hours;

-- name: fillClaimHours
insert into claim_hours select * from counted_claim_hours;
