-- As an import does: whoever writes claims waits.
select pg_advisory_xact_lock(7201001);
--> statement-breakpoint
-- With more columns; who asks for those that there were is given them as before.
drop function claims_by_interval(bigint, bigint, bigint, bigint, integer);
--> statement-breakpoint
-- What `claim_intervals` has of those of these campaigns that are popular, and with the key 0 of all together: claims in
-- (since, until), which are to begin and end with a week. Weeks begin with a Monday, three days after 1970 did.
create or replace function counted_claim_intervals(keys bigint[], since bigint, until bigint)
returns table (
  campaign_key bigint, interval_seconds integer, interval_start bigint, claim_count bigint, amount_usd numeric,
  unvalued_count bigint, claimant_count bigint
)
language sql stable
as $$
  select of_claimants.campaign_key, width, start, sum(claims)::bigint, sum(usd), sum(unvalued)::bigint, count(*)
  from (
    select counted.campaign_key, width, block_timestamp - mod(block_timestamp + 259200, width) as start, claimant,
      count(*) as claims, coalesce(sum(counted.amount_usd), 0) as usd,
      count(*) filter (where counted.amount_usd is null and is_value_derived) as unvalued
    from (
      select claims.campaign_key, block_timestamp, claimant, claims.amount_usd, is_value_derived from claims
      where claims.campaign_key = any (array(
          select popular.campaign_key from popular_campaigns popular where popular.campaign_key = any (keys)))
        and block_timestamp >= since and block_timestamp < until
      union all
      select 0, block_timestamp, claimant, claims.amount_usd, is_value_derived from claims
      where 0 = any (keys) and block_timestamp >= since and block_timestamp < until
    ) counted
    cross join unnest(array[3600, 86400, 604800]) width
    group by counted.campaign_key, width, start, claimant
  ) of_claimants
  group by of_claimants.campaign_key, width, start
$$;
--> statement-breakpoint
-- Makes the intervals of those of these campaigns that have become popular, and removes those of campaigns that are not popular
-- any more. To be called after their totals have changed; the intervals of the others are left as they are.
create or replace function refresh_claim_intervals(keys bigint[])
returns void
language plpgsql
as $$
begin
  -- Asked once for a campaign, not for each of its intervals.
  delete from claim_intervals kept
  where kept.campaign_key = any (array(
    select key from unnest(keys) as changed (key)
    where key <> 0 and not exists (select from popular_campaigns popular where popular.campaign_key = changed.key)));
  insert into claim_intervals
  select counted.* from counted_claim_intervals(array(
    select key from unnest(keys) as changed (key)
    where not exists (select from claim_intervals kept where kept.campaign_key = changed.key)), 0, 253402300800) counted;
end
$$;
--> statement-breakpoint
-- Claims of a campaign, or with the key 0 of all, in (since, until], in intervals of so many seconds, by their place from 0, and
-- at the place -1 those in (since_before, since]; nothing where there are none. Of a popular campaign, an hour in which no
-- interval begins or ends is one row, but claimants are counted claim by claim; of all campaigns they are not told. Its plans
-- are made once for a connection.
create or replace function claims_by_interval(
  campaign bigint, since_before bigint, since bigint, until bigint, seconds integer
)
returns table (place integer, claim_count integer, amount_usd numeric, unvalued_count integer, claimant_count integer)
language plpgsql stable rows 50
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set max_parallel_workers_per_gather = 0
as $$
begin
  if campaign <> 0 and not exists (select from claim_intervals kept where kept.campaign_key = campaign) then
    return query
    select (case when block_timestamp <= since then -1 else (block_timestamp - since - 1) / seconds end)::integer,
      count(*)::integer, coalesce(sum(claims.amount_usd), 0),
      (count(*) filter (where claims.amount_usd is null and is_value_derived))::integer, count(distinct claimant)::integer
    from claims where campaign_key = campaign and block_timestamp > since_before and block_timestamp <= until
    group by 1;
    return;
  end if;
  return query
  with divided as materialized (
    select distinct beginning / 3600 as hour
    from (
      -- A claim of the very second in which an interval begins is in the one before.
      select since_before + 1 as beginning
      union all
      select generate_series(since + 1, until + 1, seconds)
    ) beginnings
    where beginning % 3600 <> 0
  ), totals as (
    select (case when instant <= since then -1 else (instant - since - 1) / seconds end)::integer as nth,
      sum(counted.claims)::integer as claims, coalesce(sum(counted.usd), 0) as usd, sum(counted.unvalued)::integer as unvalued
    from (
      select kept.interval_start as instant, kept.claim_count as claims, kept.amount_usd as usd, kept.unvalued_count as unvalued
      from claim_intervals kept
      where kept.campaign_key = campaign and kept.interval_seconds = 3600
        and kept.interval_start > since_before and kept.interval_start <= until
        and kept.interval_start / 3600 not in (select hour from divided)
      union all
      select recorded.block_timestamp, 1, recorded.amount_usd, recorded.unvalued
      from divided cross join lateral (
        select claims.block_timestamp, claims.amount_usd,
          (claims.amount_usd is null and is_value_derived)::integer as unvalued
        from claims
        where campaign <> 0 and campaign_key = campaign and block_timestamp >= greatest(divided.hour * 3600, since_before + 1)
          and block_timestamp <= least(divided.hour * 3600 + 3599, until)
        union all
        select claims.block_timestamp, claims.amount_usd, (claims.amount_usd is null and is_value_derived)::integer
        from claims
        where campaign = 0 and block_timestamp >= greatest(divided.hour * 3600, since_before + 1)
          and block_timestamp <= least(divided.hour * 3600 + 3599, until)
        offset 0
      ) recorded
    ) counted
    group by 1
  )
  select nth, claims, usd, unvalued, claimants
  from totals left join (
    select ((block_timestamp - since - 1) / seconds)::integer as nth, count(distinct claimant)::integer as claimants from claims
    where campaign <> 0 and campaign_key = campaign and block_timestamp > since and block_timestamp <= until
    group by 1
  ) counted_claimants using (nth);
end
$$;
--> statement-breakpoint
-- The same for intervals of the clock, of hours, days or weeks: claims in [since, until), and at the place -1 those in
-- [since_before, since). Of a popular campaign, and of all, an interval is one row.
create or replace function claims_by_clock(
  campaign bigint, since_before bigint, since bigint, until bigint, seconds integer
)
returns table (place integer, claim_count integer, amount_usd numeric, unvalued_count integer, claimant_count integer)
language plpgsql stable rows 50
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set max_parallel_workers_per_gather = 0
as $$
begin
  if campaign <> 0 and not exists (select from claim_intervals kept where kept.campaign_key = campaign) then
    return query
    select (case when block_timestamp < since then -1 else (block_timestamp - since) / seconds end)::integer,
      count(*)::integer, coalesce(sum(claims.amount_usd), 0),
      (count(*) filter (where claims.amount_usd is null and is_value_derived))::integer, count(distinct claimant)::integer
    from claims where campaign_key = campaign and block_timestamp >= since_before and block_timestamp < until
    group by 1;
    return;
  end if;
  return query
  select (case when interval_start < since then -1 else (interval_start - since) / seconds end)::integer,
    sum(kept.claim_count)::integer, sum(kept.amount_usd), sum(kept.unvalued_count)::integer, sum(kept.claimant_count)::integer
  from claim_intervals kept
  where kept.campaign_key = campaign and interval_seconds = seconds
    and interval_start >= since_before and interval_start < until
  group by 1;
end
$$;
--> statement-breakpoint
-- Makes all totals, counts of claimants and figures of incentives anew from the facts, for whoever has written claims or
-- campaigns past the import.
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
  delete from claimant_asset_totals;
  delete from claimant_incentive_totals;
  update claim_windows set as_of = floor(extract(epoch from clock_timestamp()));
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
--> statement-breakpoint
-- Old claims without a value: until now only those of a day were known to have none.
update claims set is_value_derived = true from incentives
where incentives.campaign_key = claims.campaign_key and incentives.position = claims.incentive_position
  and asset is not null and claims.amount_usd is null and not is_value_derived;
--> statement-breakpoint
select refresh_claim_intervals(array(select campaign_key from popular_campaigns) || 0::bigint);
--> statement-breakpoint
analyze claim_intervals;
--> statement-breakpoint
drop function refresh_claim_hours(bigint[]);
--> statement-breakpoint
drop view popular_claim_hours;
--> statement-breakpoint
DROP TABLE "campaign_claim_hours" CASCADE;