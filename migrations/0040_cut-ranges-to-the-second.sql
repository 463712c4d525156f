-- As an import does: whoever writes claims waits.
select pg_advisory_xact_lock(7201001);
--> statement-breakpoint
-- Campaigns with so many claims that those of a time range are not counted one by one. The claims of another one are few
-- enough for that.
create or replace view popular_campaigns as
select campaign_key from campaign_claim_totals where window_seconds = 0 and claim_count >= 500;
--> statement-breakpoint
select refresh_claim_intervals(array(select campaign_key from popular_campaigns));
--> statement-breakpoint
analyze claim_intervals;
--> statement-breakpoint
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
--> statement-breakpoint
drop function claims_by_clock(bigint, bigint, bigint, bigint, integer);