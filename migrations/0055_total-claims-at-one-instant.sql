-- The clock was read for each window. Where a second passed in between, they reached up to different instants, and the next advance,
-- which takes one for all, counted the claims of that second twice or not at all.
create or replace function rebuild_claim_totals()
returns void
language plpgsql
as $$
begin
  perform pg_advisory_xact_lock(7201001);
  -- Not truncated: who reads meanwhile sees what there was.
  delete from campaign_claim_totals;
  delete from campaign_claimant_counts;
  delete from contract_claim_totals;
  delete from contract_counts;
  delete from claim_intervals;
  delete from incentive_claim_hours;
  delete from claimant_asset_totals;
  delete from claimant_incentive_totals;
  -- Once for all windows.
  update claim_windows set as_of = (select floor(extract(epoch from clock_timestamp())));
  insert into campaign_claimant_counts (campaign_key, claimant_count)
  select campaign_key, count(distinct claimant) from claims group by campaign_key;
  perform refresh_claimant_totals(array(
    select claimant from claims group by claimant having count(*) >= busy_claimant_claims()));
  update incentives
  set claim_count = coalesce(recorded.claim_count, 0), claimed_amount = coalesce(recorded.claimed_amount, 0)
  from incentives every left join (
    select campaign_key, incentive_position as position, count(*) as claim_count, sum(amount) as claimed_amount
    from claims group by campaign_key, incentive_position
  ) recorded using (campaign_key, position)
  where incentives.campaign_key = every.campaign_key and incentives.position = every.position
    and (incentives.claim_count, incentives.claimed_amount)
      is distinct from (coalesce(recorded.claim_count, 0), coalesce(recorded.claimed_amount, 0));
  insert into campaign_claim_totals (window_seconds, campaign_key, claim_count, amount_usd)
  select 0, campaign_key, count(*), coalesce(sum(amount_usd), 0) from claims group by campaign_key;
  perform refresh_claim_intervals(array(select campaign_key from popular_campaigns) || 0::bigint);
  insert into campaign_claim_totals (window_seconds, campaign_key, claim_count, amount_usd)
  select window_seconds, campaign_key, count(*), coalesce(sum(amount_usd), 0)
  from claim_windows cross join lateral (
    select campaign_key, amount_usd from claims
    where block_timestamp > as_of - window_seconds and block_timestamp <= as_of
  ) in_window
  where window_seconds > 0
  group by window_seconds, campaign_key;
  perform refresh_trending_campaigns(array(
    select campaign_key from trending_campaigns
    union
    select campaign_key from campaign_claim_totals where window_seconds = 86400));
  insert into contract_claim_totals
    (creator, window_seconds, chain_id, address, campaign_count, newest_block_timestamp, claim_count, amount_usd)
  select creator, window_seconds, chain_id, address, count(*), max(block_timestamp), coalesce(sum(claim_count), 0),
    coalesce(sum(amount_usd), 0)
  from campaign_targets
  cross join claim_windows
  left join campaign_claim_totals using (campaign_key, window_seconds)
  group by creator, window_seconds, chain_id, address;
  insert into contract_counts (creator, chain_id, contract_count)
  select creator, chain_id, count(*) from contract_claim_totals where window_seconds = 0 group by creator, chain_id;
end
$$;
