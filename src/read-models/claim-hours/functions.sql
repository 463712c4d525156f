-- What `claim_hours` is a copy of.
create or replace view counted_claim_hours as
select block_timestamp - mod(block_timestamp, 3600) as hour_start, count(*) as claim_count, coalesce(sum(amount_usd), 0) as amount_usd,
  count(*) filter (where amount_usd is null and is_value_derived) as unvalued_count
from claims
group by 1;

-- Claims of a campaign, or with the key 0 of all, in (since, until], in intervals of so many seconds, of which the last may be
-- shorter, by their position (`place`) from 0, and at position -1 those in (since_before, since], whose claimants are not counted;
-- nothing where there are none. Of all campaigns, claimants are counted in a range of at most 31 days, claim by claim; in a longer
-- one they are null, and whole hours are read from `claim_hours`. Its plans are made once for a connection.
create or replace function claims_by_interval(
  campaign bigint, since_before bigint, since bigint, until bigint, seconds integer
)
returns table (place integer, claim_count bigint, amount_usd numeric, unvalued_count bigint, claimant_count bigint)
language plpgsql stable rows 50
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  longest_with_claimants constant integer := 31 * 86400;
  is_long constant boolean := until - since > longest_with_claimants;
begin
  if campaign <> 0 then
    return query
    select nth, sum(counted.claims)::bigint, sum(counted.usd), sum(counted.unvalued)::bigint, count(*)
    from (
      select case when block_timestamp <= since then -1 else ((block_timestamp - since - 1) / seconds)::integer end as nth,
        count(*) as claims, coalesce(sum(claims.amount_usd), 0) as usd,
        count(*) filter (where claims.amount_usd is null and is_value_derived) as unvalued
      from claims
      where campaign_key = campaign and block_timestamp > since_before and block_timestamp <= until
      group by nth, claimant
    ) counted
    group by nth;
    return;
  end if;
  if not is_long then
    return query
    select nth, sum(counted.claims)::bigint, sum(counted.usd), sum(counted.unvalued)::bigint, count(*)
    from (
      select ((block_timestamp - since - 1) / seconds)::integer as nth, count(*) as claims,
        coalesce(sum(claims.amount_usd), 0) as usd,
        count(*) filter (where claims.amount_usd is null and is_value_derived) as unvalued
      from claims
      where block_timestamp > since and block_timestamp <= until
      group by nth, claimant
    ) counted
    group by nth;
  end if;
  return query
  select nth, sum(part.claims)::bigint, sum(part.usd), sum(part.unvalued)::bigint, null::bigint
  from (
    select -1 as nth, since_before + 1 as first, since + 1 as beyond
    union all
    select ((start - since - 1) / seconds)::integer, start, least(start + seconds, until + 1)
    from generate_series(since + 1, until, seconds) start
    where is_long
  ) every
  -- Its whole hours, from the end of the one that it begins in to the beginning of the one that it ends in.
  cross join lateral (select (first + 3599) / 3600 * 3600 as first_hour, beyond / 3600 * 3600 as beyond_hours) hours
  cross join lateral (
    select hour.claim_count as claims, hour.amount_usd as usd, hour.unvalued_count as unvalued
    from claim_hours hour
    where hour_start >= first_hour and hour_start < beyond_hours
    union all
    select 1, coalesce(claims.amount_usd, 0), (claims.amount_usd is null and is_value_derived)::integer
    from claims
    where block_timestamp >= first and block_timestamp < least(first_hour, beyond)
    union all
    select 1, coalesce(claims.amount_usd, 0), (claims.amount_usd is null and is_value_derived)::integer
    from claims
    where block_timestamp >= greatest(beyond_hours, first_hour) and block_timestamp < beyond
  ) part
  group by nth;
end
$$;
