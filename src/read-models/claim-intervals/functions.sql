-- Campaigns with so many claims that those of a time range are not counted one by one. The claims of another one are few
-- enough for that.
create or replace view popular_campaigns as
select campaign_key from campaign_claim_totals where window_seconds = 0 and claim_count >= 500;

-- What `claim_intervals` has of those of these campaigns that are popular, and with the key 0 of all together: claims in
-- (since, until), which are to begin and end with a week. Weeks begin with a Monday, three days after 1970 did. Claims of a week
-- before and after are looked at too, since somebody may have one there.
create or replace function counted_claim_intervals(keys bigint[], since bigint, until bigint)
returns table (
  campaign_key bigint, interval_seconds integer, interval_start bigint, claim_count bigint, amount_usd numeric,
  unvalued_count bigint, repeats_1h integer, repeats_4h integer, repeats_1d integer, repeats_1w integer,
  followed_1h integer, followed_4h integer, followed_1d integer, followed_1w integer
)
language sql stable
as $$
  select key, width, block_timestamp - mod(block_timestamp + 259200, width), count(*), coalesce(sum(usd), 0),
    count(*) filter (where is_unvalued),
    count(*) filter (where passed < 3600)::integer, count(*) filter (where passed < 14400)::integer,
    count(*) filter (where passed < 86400)::integer, count(*) filter (where passed < 604800)::integer,
    count(*) filter (where wait < 3600)::integer, count(*) filter (where wait < 14400)::integer,
    count(*) filter (where wait < 86400)::integer, count(*) filter (where wait < 604800)::integer
  from (
    select key, block_timestamp, usd, is_unvalued, block_timestamp - lag(block_timestamp) over own as passed,
      lead(block_timestamp) over own - block_timestamp as wait
    from (
      select claims.campaign_key as key, claimant, block_timestamp, claims.amount_usd as usd,
        claims.amount_usd is null and is_value_derived as is_unvalued
      from claims
      where claims.campaign_key = any (array(
          select popular.campaign_key from popular_campaigns popular where popular.campaign_key = any (keys)))
        and block_timestamp >= since - 604800 and block_timestamp < until + 604800
      union all
      select 0, claimant, block_timestamp, claims.amount_usd, claims.amount_usd is null and is_value_derived
      from claims
      where 0 = any (keys) and block_timestamp >= since - 604800 and block_timestamp < until + 604800
    ) recorded
    window own as (partition by key, claimant order by block_timestamp)
  ) claim
  join unnest(array[60, 3600, 86400, 604800]) width on key = 0 or width > 60
  where block_timestamp >= since and block_timestamp < until
  group by 1, 2, 3
$$;

-- Makes the intervals of those of these campaigns that have become popular, and removes those of campaigns that are not popular
-- any more. To be called after their totals have changed; the intervals of the others are left as they are.
create or replace function refresh_claim_intervals(keys bigint[])
returns void
language plpgsql
as $$
declare
  -- Asked once for a campaign, not for each of its intervals.
  former constant bigint[] := array(
    select key from unnest(keys) as changed (key)
    where key <> 0 and not exists (select from popular_campaigns popular where popular.campaign_key = changed.key));
  missing constant bigint[] := array(
    select key from unnest(keys) as changed (key)
    where (key = 0 or exists (select from popular_campaigns popular where popular.campaign_key = changed.key))
      and not exists (select from claim_intervals kept where kept.campaign_key = changed.key));
begin
  delete from claim_intervals where campaign_key = any (former);
  -- Those of `missing` may have hours: weeks that are counted anew can be all intervals that a campaign has.
  delete from incentive_claim_hours where campaign_key = any (former || missing);
  insert into claim_intervals select counted.* from counted_claim_intervals(missing, 0, 253402300800) counted;
  insert into incentive_claim_hours
  select campaign_key, block_timestamp - mod(block_timestamp, 3600), incentive_position, count(*), sum(amount)
  from claims where campaign_key = any (missing) group by 1, 2, 3;
end
$$;

-- Claims in [first, beyond) of a campaign, or with the key 0 of all.
create or replace function claims_between(campaign bigint, first bigint, beyond bigint)
returns table (instant bigint, claimant text, usd numeric, is_unvalued boolean)
language sql stable
as $$
  select block_timestamp, claimant, amount_usd, amount_usd is null and is_value_derived from claims
  where campaign <> 0 and campaign_key = campaign and block_timestamp >= first and block_timestamp < beyond
  union all
  select block_timestamp, claimant, amount_usd, amount_usd is null and is_value_derived from claims
  where campaign = 0 and block_timestamp >= first and block_timestamp < beyond
$$;

-- Rows for intervals of the clock in [first, beyond), with repeats by so many seconds.
create or replace function intervals_between(campaign bigint, width integer, seconds integer, first bigint, beyond bigint)
returns table (start bigint, claims integer, usd numeric, unvalued integer, repeats integer, followed integer)
language sql stable
as $$
  select interval_start, claim_count::integer, amount_usd, unvalued_count::integer,
    case seconds when 3600 then repeats_1h when 14400 then repeats_4h when 86400 then repeats_1d else repeats_1w end,
    case seconds when 3600 then followed_1h when 14400 then followed_4h when 86400 then followed_1d else followed_1w end
  from claim_intervals
  where campaign_key = campaign and interval_seconds = width and interval_start >= first and interval_start < beyond
$$;

-- The beginning of an interval of the clock that is nearest to an instant. Counted from a Monday before the year 0, since a division
-- rounds towards 0.
create or replace function nearest_interval(instant bigint, width integer)
returns bigint
language sql immutable parallel safe
as $$
  select (instant + 62899459200 + width / 2) / width * width - 62899459200
$$;

-- Chains that have claims, each found by one step through an index.
create or replace function chains_with_claims()
returns bigint[]
language sql stable
as $$
  with recursive found as (
    select min(chain_id) as chain_id from claims
    union all
    select (select min(claims.chain_id) from claims where claims.chain_id > found.chain_id) from found
    where found.chain_id is not null
  )
  select array(select chain_id from found where chain_id is not null)
$$;

-- Rows, one at most for each chain or incentive, if a claimant has claims between two instants: on these chains, and on a campaign.
create or replace function claimed_between(campaign bigint, chain_ids bigint[], somebody text, above bigint, below bigint)
returns setof boolean
language sql stable
as $$
  select true from unnest(chain_ids) chain where (
    select true from claims where chain_id = chain and claimant = somebody
      and block_timestamp > above and block_timestamp < below limit 1)
  union all
  select true from incentives where incentives.campaign_key = campaign and (
    select true from claims where claims.campaign_key = campaign and incentive_position = position
      and (claimant, block_timestamp) > (somebody, above) and (claimant, block_timestamp) < (somebody, below) limit 1)
$$;

-- Claims in [first, beyond), those of one claimant and instant together, and where that is requested how many repeat, and are
-- followed by, one of the same claimant less than so many seconds away.
create or replace function cut_claims(
  campaign bigint, first bigint, beyond bigint, seconds integer, chain_ids bigint[], with_repeats boolean
)
returns table (instant bigint, claims integer, usd numeric, unvalued integer, repeats integer, followed integer)
language sql stable
as $$
  select instant, claims, usd, unvalued,
    case when with_repeats then claims - 1 + exists (
      select from claimed_between(campaign, chain_ids, claimant, instant - seconds, instant))::integer end,
    case when with_repeats then claims - 1 + exists (
      select from claimed_between(campaign, chain_ids, claimant, instant, instant + seconds))::integer end
  from (
    select instant, claimant, count(*)::integer as claims, coalesce(sum(usd), 0) as usd,
      count(*) filter (where is_unvalued)::integer as unvalued
    from claims_between(campaign, first, beyond)
    group by instant, claimant
  ) own
$$;

-- Claims of a popular campaign, or with the key 0 of all, by the position of their interval (`place`): as many of so many seconds from
-- `since` + 1 on, and at position -1 those in (since_before, since], without claimants. Each is the difference of what there is up
-- to its end and up to its beginning: rows for intervals of the clock, and the claims between there and the nearest of these. Its
-- claimants are its claims, less its repeats (claims less than its length after another one of their claimant), plus those of its
-- repeats that repeat an earlier claim than its first: claims before it that are followed, less the repeats before it.
create or replace function whole_intervals(campaign bigint, since_before bigint, since bigint, seconds integer, many integer)
returns table (place integer, claim_count integer, amount_usd numeric, unvalued_count integer, claimant_count integer)
language plpgsql stable rows 50
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set max_parallel_workers_per_gather = 0
as $$
#variable_conflict use_column
declare
  base constant integer := case when seconds in (86400, 604800) then seconds else 3600 end;
  -- Where the rows of the longest intervals begin and end, and those of the first interval begin.
  first_row constant bigint := nearest_interval(since_before + 1, base);
  second_row constant bigint := nearest_interval(since + 1, base);
  last_row constant bigint := nearest_interval(since + 1 + many * seconds::bigint, base);
  smallest constant integer := case when campaign = 0 then 60 else 3600 end;
  chain_ids constant bigint[] := case when campaign = 0 and many > 0 then chains_with_claims() else '{}' end;
begin
  return query
  with ends as materialized (
    select nth, instant, nearest_interval(instant, base) as clock, nearest_interval(instant, least(base, 86400)) as day,
      nearest_interval(instant, 3600) as hour, nearest_interval(instant, smallest) as near
    from (
      select -1 as nth, since_before + 1 as instant
      union all
      -- None where intervals of the clock are asked for: those end where rows do.
      select nth, since + 1 + nth * seconds::bigint from generate_series(0, many) nth
      where mod(since + 1 + 259200, base) <> 0 or mod(seconds, base) <> 0
    ) every
  ), pieces as (
    -- What all have, and what lies between an end and the nearest row of the longest intervals.
    select -1 as nth, true as is_shared, piece.* from (values
      (604800, -604800, nearest_interval(first_row, 604800)),
      (86400, nearest_interval(first_row, 604800), nearest_interval(first_row, 86400)),
      (3600, nearest_interval(first_row, 86400), first_row)) piece (width, first, beyond)
    where many > 0
    union all
    select nth, false, 86400, clock, day from ends where clock <> day
    union all
    select nth, false, 3600, day, hour from ends where day <> hour
    union all
    select nth, false, smallest, hour, near from ends where hour <> near
  ), parts as (
    select nth, is_shared, sign(beyond - first)::integer as sign, kept.* from pieces
    cross join lateral intervals_between(campaign, width, seconds, least(first, beyond), greatest(first, beyond)) kept
    union all
    select nth, false, case when cut.instant < near then -1 else 1 end, cut.*
    from ends cross join lateral cut_claims(campaign, least(near, ends.instant), greatest(near, ends.instant), seconds,
      chain_ids, nth >= 0 and many > 0) cut
    where near <> ends.instant
  ), differences as (
    select greatest(0, (start + base - second_row + seconds - 1) / seconds)::integer as nth, claims, usd, unvalued, repeats, followed
    from intervals_between(campaign, base, seconds, first_row, last_row)
    union all
    select nth, sign * parts.claims, sign * parts.usd, sign * parts.unvalued, sign * repeats, sign * followed from parts
    union all
    -- The next interval begins without what only this end has.
    select nth + 1, -sign * parts.claims, -sign * parts.usd, -sign * parts.unvalued, -sign * repeats, -sign * followed
    from parts where not is_shared
  )
  select nth - 1, claims::integer, usd, unvalued::integer,
    case when nth > 0 then claims - repeats + coalesce(open_before, 0) else 0 end::integer
  from (
    select nth, sum(claims) as claims, sum(usd) as usd, sum(unvalued) as unvalued, sum(repeats) as repeats,
      sum(sum(followed) - sum(repeats)) over (order by nth rows between unbounded preceding and 1 preceding) as open_before
    from differences group by nth
  ) of_interval
  where nth between 0 and many and claims > 0;
end
$$;

-- Claims of a campaign, or with the key 0 of all, in (since, until], in intervals of so many seconds, of which the last may be
-- shorter, by their position (`place`) from 0, and at position -1 those in (since_before, since], whose claimants are not counted; nothing
-- where there are none. Whole intervals of a popular campaign, and of all, from an hour on are read from totals; all others, and
-- one that is cut, are counted claim by claim. Its plans are made once for a connection.
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
  is_kept constant boolean := campaign = 0
    or exists (select from claim_intervals kept where kept.campaign_key = campaign);
  many constant integer := case when is_kept and seconds >= 3600 then (until - since) / seconds else 0 end;
  counted_from constant bigint := 1 + case when is_kept then since + many * seconds::bigint else since_before end;
begin
  if is_kept then
    return query select * from whole_intervals(campaign, since_before, since, seconds, many);
  end if;
  return query
  select nth, sum(claims)::integer, sum(counted.usd), sum(unvalued)::integer, count(*)::integer
  from (
    select (case when instant <= since then -1 else (instant - since - 1) / seconds end)::integer as nth, count(*) as claims,
      coalesce(sum(recorded.usd), 0) as usd, count(*) filter (where is_unvalued) as unvalued
    from claims_between(campaign, counted_from, until + 1) recorded
    group by 1, claimant
  ) counted
  group by nth;
end
$$;
