-- Moves the kept windows on to the present, or to where about `most_changes` claims have entered or left one of them. Not
-- while an import is at work (which does it itself), and not if it would reach the present and fewer than `least_changes`
-- claims would enter or leave. Says whether it has; null where an import was at work. No reader waits for it: readers add
-- the changes themselves, and are only faster when there are few. Works with the rights of its owner, so that a role that may only read can be allowed to
-- call it: it writes nothing but what follows from the claims.
create or replace function advance_claim_windows(least_changes integer default 0, most_changes integer default null)
returns boolean
language plpgsql security definer
set search_path = public, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = on
set enable_hashjoin = on
set enable_mergejoin = on
set jit = off
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
  if most_changes is not null then
    -- A step finds its few rows by indexes, however many or few the planner takes them for. Ends with the function.
    perform set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
      set_config('enable_mergejoin', 'off', true);
  end if;
  if most_changes is not null and present > earlier then
    -- Claims enter all windows at once (0), and leave each at another time.
    for width in select window_seconds from claim_windows loop
      later := least(later, (
        select block_timestamp + width from claims
        where block_timestamp > earlier - width and block_timestamp <= later - width
        order by block_timestamp offset most_changes limit 1));
    end loop;
  end if;
  if later = present and least_changes > 0 and least_changes > (
    select sum(changed) from claim_windows,
      lateral (select count(*) as changed from (
        select from claims where block_timestamp > earlier - window_seconds and block_timestamp <= later - window_seconds
        limit least_changes) some_claims) found
  ) then
    return false;
  end if;
  update contract_claim_totals totals
  set claim_count = totals.claim_count + changes.claim_count, amount_usd = totals.amount_usd + changes.amount_usd
  from (
    select window_seconds, creator, chain_id, address, sum(claim_count) as claim_count, sum(amount_usd) as amount_usd
    from claim_windows
    cross join lateral claim_window_changes(window_seconds, earlier, later) moved
    join campaign_targets using (campaign_key)
    where window_seconds > 0 and (claim_count <> 0 or amount_usd <> 0)
    group by window_seconds, creator, chain_id, address
  ) changes
  where totals.window_seconds = changes.window_seconds and totals.creator = changes.creator
    and totals.chain_id = changes.chain_id and totals.address = changes.address;

  merge into campaign_claim_totals totals
  using (
    select window_seconds, campaign_key, claim_count, amount_usd
    from claim_windows cross join lateral claim_window_changes(window_seconds, earlier, later)
    where window_seconds > 0 and (claim_count <> 0 or amount_usd <> 0)
  ) changes
  on totals.window_seconds = changes.window_seconds and totals.campaign_key = changes.campaign_key
  when matched and totals.claim_count + changes.claim_count = 0 then delete
  when matched then update
    set claim_count = totals.claim_count + changes.claim_count, amount_usd = totals.amount_usd + changes.amount_usd
  when not matched then insert (window_seconds, campaign_key, claim_count, amount_usd)
    values (changes.window_seconds, changes.campaign_key, changes.claim_count, changes.amount_usd);
  perform refresh_trending_campaigns(array(
    select distinct campaign_key
    from claim_windows cross join lateral claim_window_changes(window_seconds, earlier, later)
    where window_seconds in (3600, 86400)));
  update claim_windows set as_of = later;
  return true;
end
$$;
