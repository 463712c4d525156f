-- Campaigns with so many claims that those of a time range are not counted one by one. The claims of another one are few
-- enough for that.
create or replace view popular_campaigns as
select campaign_key from campaign_claim_totals where window_seconds = 0 and claim_count >= 500;

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

-- Claims of a campaign, or with the key 0 of all, in (since, until], in intervals of so many seconds, of which the last may be
-- shorter, by their place from 0, and at the place -1 those in (since_before, since], whose claimants are not counted; nothing
-- where there are none. Where intervals are hours, days or weeks of the clock, each of a popular campaign, and of all, is one
-- row; one that is cut, and other intervals, are counted claim by claim, since claimants cannot be added up. Its plans are made
-- once for a connection.
create or replace function claims_by_interval(
  campaign bigint, since_before bigint, since bigint, until bigint, seconds integer
)
returns table (place integer, claim_count integer, amount_usd numeric, unvalued_count integer, claimant_count integer)
language plpgsql stable rows 50
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set max_parallel_workers_per_gather = 0
as $$
declare
  is_by_clock boolean := seconds in (3600, 86400, 604800) and mod(since + 1 + 259200, seconds) = 0;
  width integer := case when is_by_clock then seconds else 3600 end;
  -- From where on, and before what, intervals are rows: all that are whole, or only hours of the range before.
  rows_from bigint := since_before + 1;
  rows_until bigint := since_before + 1;
begin
  if campaign = 0 or exists (select from claim_intervals kept where kept.campaign_key = campaign) then
    rows_from := rows_from + mod(width - mod(rows_from + 259200, width), width);
    rows_until := 1 + case when is_by_clock then until else since end;
    rows_until := greatest(rows_from, rows_until - mod(rows_until + 259200, width));
  end if;
  return query
  select nth, sum(claims)::integer, sum(usd), sum(unvalued)::integer, sum(claimants)::integer
  from (
    select (case when interval_start <= since then -1 else (interval_start - since - 1) / seconds end)::integer as nth,
      kept.claim_count as claims, kept.amount_usd as usd, kept.unvalued_count as unvalued, kept.claimant_count as claimants
    from claim_intervals kept
    where kept.campaign_key = campaign and interval_seconds = width
      and interval_start >= rows_from and interval_start < rows_until
    union all
    select (case when instant <= since then -1 else (instant - since - 1) / seconds end)::integer, count(*),
      coalesce(sum(recorded.usd), 0), count(*) filter (where recorded.usd is null and is_value_derived), 1
    from (values (since_before + 1, least(rows_from, until + 1)), (rows_until, until + 1)) spans (first, beyond)
    cross join lateral (
      select block_timestamp as instant, claimant, claims.amount_usd as usd, is_value_derived from claims
      where campaign <> 0 and campaign_key = campaign and block_timestamp >= first and block_timestamp < beyond
      union all
      select block_timestamp, claimant, claims.amount_usd, is_value_derived from claims
      where campaign = 0 and block_timestamp >= first and block_timestamp < beyond
    ) recorded
    group by 1, claimant
  ) counted
  group by nth;
end
$$;
