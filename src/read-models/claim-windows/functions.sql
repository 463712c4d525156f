-- Every campaign with its stored totals of the last day and hour, and all that trending filters and sorts by: what
-- `trending_campaigns` has of the campaigns with claims, column by column.
create or replace view trending_candidates as
select campaign.key as campaign_key,
  coalesce(hour.claim_count, 0) as hour_claim_count, coalesce(hour.amount_usd, 0) as hour_amount_usd,
  coalesce(day.claim_count, 0) as day_claim_count, coalesce(day.amount_usd, 0) as day_amount_usd,
  campaign.block_timestamp, campaign.chain_id, campaign.core_address, campaign.identifier, campaign.owner, campaign.creator,
  campaign.budget, campaign.autocampaign_id, fold_case(template.action_type) as action_type, campaign.has_whitelisted_rewards,
  campaign.is_exhausted, campaign.start_at, campaign.end_at,
  coalesce((
    select ever.claim_count from campaign_claim_totals ever
    where ever.campaign_key = campaign.key and ever.window_seconds = 0
  ), 0) as claim_count,
  array(
    select facet.kind || ':' || facet.chain_id || ':' || facet.value
    from campaign_facets facet where facet.campaign_key = campaign.key order by 1
  ) as facets,
  list.type as allow_list_type, case when list.denied_list_ids = '{}' then list.access_list_id end as access_list_id
from campaigns campaign
left join action_templates template on template.id = campaign.action_template_id
left join allow_lists list on list.campaign_key = campaign.key
left join campaign_claim_totals hour on hour.campaign_key = campaign.key and hour.window_seconds = 3600
left join campaign_claim_totals day on day.campaign_key = campaign.key and day.window_seconds = 86400;

-- Makes the rows of `trending_campaigns` what the view says of these campaigns, after their totals, their records or their
-- flags have changed. A campaign without claims in the day has no row.
create or replace function refresh_trending_campaigns(keys bigint[])
returns void
language plpgsql
as $$
begin
  delete from trending_campaigns kept
  where kept.campaign_key = any (keys) and not exists (
    select from campaign_claim_totals day where day.campaign_key = kept.campaign_key and day.window_seconds = 86400);
  insert into trending_campaigns as kept
  select * from trending_candidates where campaign_key = any (keys) and day_claim_count > 0
  on conflict (campaign_key) do update
  set (hour_claim_count, hour_amount_usd, day_claim_count, day_amount_usd, block_timestamp, chain_id, core_address, identifier,
      owner, creator, budget, autocampaign_id, action_type, has_whitelisted_rewards, is_exhausted, start_at, end_at,
      claim_count, facets, allow_list_type, access_list_id)
    = (excluded.hour_claim_count, excluded.hour_amount_usd, excluded.day_claim_count, excluded.day_amount_usd,
      excluded.block_timestamp, excluded.chain_id, excluded.core_address, excluded.identifier, excluded.owner,
      excluded.creator, excluded.budget, excluded.autocampaign_id, excluded.action_type, excluded.has_whitelisted_rewards,
      excluded.is_exhausted, excluded.start_at, excluded.end_at, excluded.claim_count,
      excluded.facets, excluded.allow_list_type, excluded.access_list_id)
  where kept is distinct from excluded;
end
$$;

-- What has entered and left a window since the stored totals, up to an instant (Unix seconds), by campaign. Its plan is made once
-- for a connection: the claims are found by their time, however many or few they are.
create or replace function recent_claim_shifts(width integer, instant bigint)
returns table (campaign_key bigint, claim_count bigint, amount_usd numeric)
language plpgsql stable rows 50
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  kept_up_to constant bigint := (select as_of from claim_windows where window_seconds = width);
begin
  return query select * from claim_window_shifts(width, kept_up_to, instant);
end
$$;

-- The rows of `trending_campaigns` as they are at an instant (Unix seconds), of the campaigns of which claims have entered or
-- left the hour or the day since the stored totals; with a count of 0 where none are left. Its plan is made once for a
-- connection, and looks each campaign up.
create or replace function trending_shifts(instant bigint)
returns setof trending_campaigns
language plpgsql stable rows 50
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return query
  select kept.campaign_key, hour_claim_count + hour_claims, hour_amount_usd + hour_usd, day_claim_count + day_claims,
    day_amount_usd + day_usd, block_timestamp, chain_id, core_address, identifier, owner, creator, budget, autocampaign_id,
    action_type, has_whitelisted_rewards, is_exhausted, start_at, end_at, claim_count, facets,
    allow_list_type, access_list_id
  from (
    select changed.campaign_key, sum(changed.hour_claims)::bigint as hour_claims, sum(changed.hour_usd) as hour_usd,
      sum(changed.day_claims)::bigint as day_claims, sum(changed.day_usd) as day_usd
    from (
      select in_hour.campaign_key, in_hour.claim_count as hour_claims, in_hour.amount_usd as hour_usd, 0 as day_claims,
        0 as day_usd
      from recent_claim_shifts(3600, instant) in_hour
      union all
      select in_day.campaign_key, 0, 0, in_day.claim_count, in_day.amount_usd
      from recent_claim_shifts(86400, instant) in_day
    ) changed
    group by changed.campaign_key
  ) moved
  -- One that had no claims in the day has no row yet, and is looked up in all that a row is made of.
  cross join lateral (
    select * from trending_campaigns known where known.campaign_key = moved.campaign_key
    union all
    select * from trending_candidates candidate where candidate.campaign_key = moved.campaign_key
    limit 1
  ) kept;
end
$$;

-- The contracts that each campaign acts on.
create or replace view campaign_targets as
select chain_id, value as address, campaign_key, block_timestamp from campaign_facets where kind = 'target';

-- What has to be added to the totals of campaigns in a window that reaches up to `earlier`, to get those up to `later`:
-- claims in (later - window, later] that are not in (earlier - window, earlier], minus those of which it is the other
-- way round. Exact for any two instants, also when `later` comes first; reads only the claims that make the difference.
-- A plain query, so that it becomes part of the query that calls it.
create or replace function claim_window_shifts(width integer, earlier bigint, later bigint)
returns table (campaign_key bigint, claim_count bigint, amount_usd numeric)
language sql stable parallel safe
as $$
  select moved.campaign_key, sum(moved.direction)::bigint, sum(moved.direction * coalesce(moved.amount_usd, 0))
  from (
    select claims.campaign_key, 1 as direction, claims.amount_usd from claims
    where block_timestamp > case when later >= earlier then greatest(later - width, earlier) else later - width end
      and block_timestamp <= case when later >= earlier then later else least(later, earlier - width) end
    union all
    select claims.campaign_key, -1, claims.amount_usd from claims
    where block_timestamp > case when earlier >= later then greatest(earlier - width, later) else earlier - width end
      and block_timestamp <= case when earlier >= later then earlier else least(earlier, later - width) end
  ) moved
  group by moved.campaign_key
$$;

-- Slides the stored windows to the present, or to where about `most_shifts` claims have entered or left one of them. Not
-- while an import is at work (which does it itself), and not if it would reach the present and fewer than `least_shifts`
-- claims would enter or leave. Says whether it has; null where an import was at work. No reader waits for it: readers add
-- the shifts themselves, and are only faster when there are few. Works with the rights of its owner, so that a role that may only read can be allowed to
-- call it: it writes nothing but what follows from the claims.
create or replace function advance_claim_windows(least_shifts integer default 0, most_shifts integer default null)
returns boolean
language plpgsql security definer
set search_path = public, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = on
set enable_hashjoin = on
set enable_mergejoin = on
as $$
declare
  earlier bigint;
  later bigint;
  width integer;
  present constant bigint := floor(extract(epoch from clock_timestamp()));
begin
  if not pg_try_advisory_xact_lock(7201001) then
    return null;
  end if;
  select as_of into earlier from claim_windows where window_seconds > 0 limit 1;
  later := present;
  if most_shifts is not null then
    -- A step finds its few rows by indexes, however many or few the planner takes them for. Ends with the function.
    perform set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
      set_config('enable_mergejoin', 'off', true);
  end if;
  if most_shifts is not null and present > earlier then
    -- Claims enter all windows at once (0), and leave each at another time.
    for width in select window_seconds from claim_windows loop
      later := least(later, (
        select block_timestamp + width from claims
        where block_timestamp > earlier - width and block_timestamp <= later - width
        order by block_timestamp offset most_shifts limit 1));
    end loop;
  end if;
  if later = present and least_shifts > 0 and least_shifts > (
    select sum(changed) from claim_windows,
      lateral (select count(*) as changed from (
        select from claims where block_timestamp > earlier - window_seconds and block_timestamp <= later - window_seconds
        limit least_shifts) some_claims) found
  ) then
    return false;
  end if;
  update contract_claim_totals totals
  set claim_count = totals.claim_count + shifts.claim_count, amount_usd = totals.amount_usd + shifts.amount_usd
  from (
    select window_seconds, chain_id, address, sum(claim_count) as claim_count, sum(amount_usd) as amount_usd
    from claim_windows
    cross join lateral claim_window_shifts(window_seconds, earlier, later) moved
    join campaign_targets using (campaign_key)
    where window_seconds > 0 and (claim_count <> 0 or amount_usd <> 0)
    group by window_seconds, chain_id, address
  ) shifts
  where totals.window_seconds = shifts.window_seconds and totals.chain_id = shifts.chain_id
    and totals.address = shifts.address;

  merge into campaign_claim_totals totals
  using (
    select window_seconds, campaign_key, claim_count, amount_usd
    from claim_windows cross join lateral claim_window_shifts(window_seconds, earlier, later)
    where window_seconds > 0 and (claim_count <> 0 or amount_usd <> 0)
  ) shifts
  on totals.window_seconds = shifts.window_seconds and totals.campaign_key = shifts.campaign_key
  when matched and totals.claim_count + shifts.claim_count = 0 then delete
  when matched then update
    set claim_count = totals.claim_count + shifts.claim_count, amount_usd = totals.amount_usd + shifts.amount_usd
  when not matched then insert (window_seconds, campaign_key, claim_count, amount_usd)
    values (shifts.window_seconds, shifts.campaign_key, shifts.claim_count, shifts.amount_usd);
  perform refresh_trending_campaigns(array(
    select distinct campaign_key
    from claim_windows cross join lateral claim_window_shifts(window_seconds, earlier, later)
    where window_seconds in (3600, 86400)));
  update claim_windows set as_of = later;
  return true;
end
$$;
