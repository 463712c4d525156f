-- name: contributeBefore
-- What campaigns whose records change add to the totals of their contracts, before anything is stored: the totals of each campaign
-- are read once for all windows.
with targets as materialized (
  select target.* from touched_campaigns touched join campaign_targets target on target.campaign_key = touched.key
  where touched.is_record_touched
)
insert into contract_contributions
select false, window_seconds, chain_id, address, sum(campaign_count), max(block_timestamp), sum(claim_count), sum(amount_usd)
from (
  select window_seconds, chain_id, address, 1 as campaign_count, block_timestamp, 0 as claim_count, 0 as amount_usd
  from targets cross join claim_windows
  union all
  select window_seconds, chain_id, address, 0, 0, claim_count, amount_usd
  from targets join campaign_claim_totals using (campaign_key)
) parts
group by window_seconds, chain_id, address;

-- name: contributeAfter
-- The same after everything is stored; and the new claims of campaigns whose records, and so whose contracts, do not change.
with targets as materialized (
  select target.* from touched_campaigns touched join campaign_targets target on target.campaign_key = touched.key
  where touched.is_record_touched
)
insert into contract_contributions
select true, window_seconds, chain_id, address, sum(campaign_count), max(block_timestamp), sum(claim_count), sum(amount_usd)
from (
  select window_seconds, chain_id, address, 1 as campaign_count, block_timestamp, 0 as claim_count, 0 as amount_usd
  from targets cross join claim_windows
  union all
  select window_seconds, chain_id, address, 0, 0, claim_count, amount_usd
  from targets join campaign_claim_totals using (campaign_key)
  union all
  select window_seconds, chain_id, address, 0, 0, claim_count, amount_usd
  from window_deltas
  join campaign_targets using (campaign_key)
  where (claim_count, amount_usd) <> (0, 0) and exists (
    select from touched_campaigns touched where touched.key = campaign_key and not is_record_touched)
) parts
group by window_seconds, chain_id, address;

-- name: sumWindowDeltas
-- The changed claims in each of their windows.
insert into window_deltas
select campaign_key, window_seconds, sum(direction) as claim_count, sum(direction * coalesce(amount_usd, 0)) as amount_usd
from claim_deltas
join claim_windows on window_seconds = 0 or block_timestamp > as_of - window_seconds and block_timestamp <= as_of
group by campaign_key, window_seconds;

-- name: changeCampaignTotals
merge into campaign_claim_totals totals
using window_deltas delta
on totals.campaign_key = delta.campaign_key and totals.window_seconds = delta.window_seconds
when matched and totals.claim_count + delta.claim_count = 0 then delete
when matched and (delta.claim_count, delta.amount_usd) <> (0, 0) then update
  set claim_count = totals.claim_count + delta.claim_count, amount_usd = totals.amount_usd + delta.amount_usd
when not matched and delta.claim_count > 0 then insert (window_seconds, campaign_key, claim_count, amount_usd)
  values (delta.window_seconds, delta.campaign_key, delta.claim_count, delta.amount_usd);

-- name: refreshTrending
-- After the totals, records or flags of campaigns have changed.
select refresh_trending_campaigns(array(select key from touched_campaigns));

-- name: changeContractTotals
-- By the difference of what campaigns add now and what they added before. A contract that its newest campaign has left, or whose
-- newest campaign has become older, gets the newest of the others, which is found by an index of the facets: these are right by now.
with differences as materialized (
  select window_seconds, chain_id, address,
    sum(case when is_after then campaign_count else -campaign_count end) as campaign_count,
    sum(case when is_after then claim_count else -claim_count end) as claim_count,
    sum(case when is_after then amount_usd else -amount_usd end) as amount_usd,
    coalesce(max(newest) filter (where is_after), 0) as newest_now,
    coalesce(max(newest) filter (where not is_after), 0) as newest_before
  from contract_contributions
  group by window_seconds, chain_id, address
), replaced as materialized (
  select changed.chain_id, changed.address, (
    select max(target.block_timestamp) from campaign_targets target
    where target.chain_id = changed.chain_id and target.address = changed.address
  ) as newest
  from differences join contract_claim_totals changed using (window_seconds, chain_id, address)
  where window_seconds = 0 and newest_now < newest_block_timestamp and newest_before >= newest_block_timestamp
)
merge into contract_claim_totals totals
using (
  select differences.*, replaced.newest as newest_remaining
  from differences left join replaced using (chain_id, address)
  where (campaign_count, claim_count, amount_usd) <> (0, 0, 0) or newest_now <> newest_before
) delta
on totals.chain_id = delta.chain_id and totals.address = delta.address and totals.window_seconds = delta.window_seconds
when matched and totals.campaign_count + delta.campaign_count = 0 then delete
when matched then update set campaign_count = totals.campaign_count + delta.campaign_count,
  claim_count = totals.claim_count + delta.claim_count, amount_usd = totals.amount_usd + delta.amount_usd,
  newest_block_timestamp = coalesce(newest_remaining, greatest(newest_now, newest_block_timestamp))
when not matched then insert
  (window_seconds, chain_id, address, campaign_count, newest_block_timestamp, claim_count, amount_usd)
  values (delta.window_seconds, delta.chain_id, delta.address, delta.campaign_count, delta.newest_now, delta.claim_count,
    delta.amount_usd);

-- name: changeContractCounts
-- Only an added, removed or replaced campaign adds or removes a contract. A contract without a campaign in this batch existed
-- before if it has more campaigns now than this batch adds.
merge into contract_counts counts
using (
  select added.chain_id, sum((totals.address is not null)::integer
    - (was_there or totals.campaign_count > added.campaign_count)::integer) as contract_count
  from (
    select chain_id, address, bool_or(not is_after) as was_there, bool_or(is_after) as is_there,
      sum(campaign_count) filter (where is_after) as campaign_count
    from contract_contributions where window_seconds = 0
    group by chain_id, address
  ) added
  left join contract_claim_totals totals
    on totals.window_seconds = 0 and totals.chain_id = added.chain_id and totals.address = added.address
  where not (was_there and is_there)
  group by added.chain_id
) delta
on counts.chain_id = delta.chain_id
when matched and counts.contract_count + delta.contract_count = 0 then delete
when matched and delta.contract_count <> 0 then update set contract_count = counts.contract_count + delta.contract_count
when not matched and delta.contract_count > 0 then insert (chain_id, contract_count)
  values (delta.chain_id, delta.contract_count);

-- name: moveWindowsToPresent
-- One instant for all windows.
update claim_windows set as_of = (select floor(extract(epoch from clock_timestamp())));

-- name: emptyCampaignTotals
-- Not truncated, as the others are not: who reads meanwhile sees what there was.
delete from campaign_claim_totals;

-- name: fillCampaignTotals
insert into campaign_claim_totals (window_seconds, campaign_key, claim_count, amount_usd)
select 0, campaign_key, count(*), coalesce(sum(amount_usd), 0) from claims group by campaign_key;

-- name: fillCampaignTotalsOfWindows
insert into campaign_claim_totals (window_seconds, campaign_key, claim_count, amount_usd)
select window_seconds, campaign_key, count(*), coalesce(sum(amount_usd), 0)
from claim_windows cross join lateral (
  select campaign_key, amount_usd from claims
  where block_timestamp > as_of - window_seconds and block_timestamp <= as_of
) in_window
where window_seconds > 0
group by window_seconds, campaign_key;

-- name: emptyContractTotals
delete from contract_claim_totals;

-- name: fillContractTotals
insert into contract_claim_totals
  (window_seconds, chain_id, address, campaign_count, newest_block_timestamp, claim_count, amount_usd)
select window_seconds, chain_id, address, count(*), max(block_timestamp), coalesce(sum(claim_count), 0),
  coalesce(sum(amount_usd), 0)
from campaign_targets
cross join claim_windows
left join campaign_claim_totals using (campaign_key, window_seconds)
group by window_seconds, chain_id, address;

-- name: emptyContractCounts
delete from contract_counts;

-- name: fillContractCounts
insert into contract_counts (chain_id, contract_count)
select chain_id, count(*) from contract_claim_totals where window_seconds = 0 group by chain_id;

-- name: refreshAllTrending
select refresh_trending_campaigns(array(
  select campaign_key from trending_campaigns
  union
  select campaign_key from campaign_claim_totals where window_seconds = 86400));
