-- Campaigns with so many claims that those of a time range are not counted one by one. The claims of another one are few
-- enough for that.
create or replace view popular_campaigns as
select campaign_key from campaign_claim_totals where window_seconds = 0 and claim_count >= 2000;

-- What `campaign_claim_hours` has of the popular campaigns: their claims by hours since 1970.
create or replace view popular_claim_hours as
select claims.campaign_key, claims.block_timestamp / 3600 as hour, count(*) as claim_count,
  coalesce(sum(claims.amount_usd), 0) as amount_usd
from popular_campaigns join claims using (campaign_key)
group by claims.campaign_key, claims.block_timestamp / 3600;

-- Makes the hours of those of these campaigns that have become popular, and removes those of campaigns that are not popular any
-- more. To be called after their totals have changed; the hours of the others are left as they are.
create or replace function refresh_claim_hours(keys bigint[])
returns void
language plpgsql
as $$
begin
  -- Asked once for a campaign, not for each of its hours.
  delete from campaign_claim_hours kept
  where kept.campaign_key = any (array(
    select key from unnest(keys) as changed (key)
    where not exists (select from popular_campaigns popular where popular.campaign_key = changed.key)));
  insert into campaign_claim_hours (campaign_key, hour, claim_count, amount_usd)
  select hours.* from popular_claim_hours hours
  where hours.campaign_key = any (array(
    select popular.campaign_key from popular_campaigns popular
    where popular.campaign_key = any (keys) and not exists (
      select from campaign_claim_hours kept where kept.campaign_key = popular.campaign_key)));
end
$$;

-- Claims of a campaign in (since, until], in intervals of so many seconds, by their place from 0, and at the place -1 those in
-- (since_before, since]; nothing where there are none. Of a popular campaign, an hour in which no interval begins or ends is
-- one row. Its plans are made once for a connection.
create or replace function claims_by_interval(
  campaign bigint, since_before bigint, since bigint, until bigint, seconds integer
)
returns table (place integer, claim_count integer, amount_usd numeric)
language plpgsql stable rows 50
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set max_parallel_workers_per_gather = 0
as $$
begin
  if not exists (select from campaign_claim_hours kept where kept.campaign_key = campaign) then
    return query
    select (case when block_timestamp <= since then -1 else (block_timestamp - since - 1) / seconds end)::integer,
      count(*)::integer, coalesce(sum(claims.amount_usd), 0)
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
  )
  select (case when instant <= since then -1 else (instant - since - 1) / seconds end)::integer,
    sum(counted.claim_count)::integer, coalesce(sum(counted.amount_usd), 0)
  from (
    select kept.hour * 3600 as instant, kept.claim_count, kept.amount_usd
    from campaign_claim_hours kept
    where kept.campaign_key = campaign and kept.hour between (since_before + 1) / 3600 and until / 3600
      and kept.hour not in (select hour from divided)
    union all
    select recorded.block_timestamp, 1, recorded.amount_usd
    from divided cross join lateral (
      select claims.block_timestamp, claims.amount_usd from claims
      where campaign_key = campaign and block_timestamp >= greatest(divided.hour * 3600, since_before + 1)
        and block_timestamp <= least(divided.hour * 3600 + 3599, until)
      offset 0
    ) recorded
  ) counted
  group by 1;
end
$$;
