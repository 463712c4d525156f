-- The windows of trending (1 hour, 24 hours) and of the contracts (6 hours, 24 hours, 7 days); 0 is all claims.
insert into claim_windows (window_seconds, as_of) values (0, 0), (3600, 0), (21600, 0), (86400, 0), (604800, 0);
--> statement-breakpoint
-- What has to be added to the totals of campaigns in a window that reaches up to `earlier`, to get those up to `later`:
-- claims in (later - window, later] that are not in (earlier - window, earlier], minus those of which it is the other
-- way round. Exact for any two instants, also when `later` comes first; reads only the claims that make the difference.
-- A plain query, so that it becomes part of the query that calls it.
create function claim_window_changes(width integer, earlier bigint, later bigint)
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
--> statement-breakpoint
-- Moves the kept windows on to the present, or to where about `most_changes` claims have entered or left one of them. Not
-- while an import is at work (which does it itself), and not if it would reach the present and fewer than `least_changes`
-- claims would enter or leave. Says whether it has. No reader waits for it: readers add the changes themselves, and are
-- only faster when there are few. Works with the rights of its owner, so that a role that may only read can be allowed to
-- call it: it writes nothing but what follows from the claims.
create function advance_claim_windows(least_changes integer default 0, most_changes integer default null)
returns boolean
language plpgsql security definer
set search_path = public, pg_temp
set plan_cache_mode = force_custom_plan
set jit = off
as $$
declare
  earlier bigint;
  later bigint;
  width integer;
  present constant bigint := floor(extract(epoch from clock_timestamp()));
begin
  if not pg_try_advisory_xact_lock(7201001) then
    return false;
  end if;
  select as_of into earlier from claim_windows where window_seconds > 0 limit 1;
  later := present;
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
  for width in select window_seconds from claim_windows where window_seconds > 0 loop
    update contract_claim_totals totals
    set claim_count = totals.claim_count + changes.claim_count, amount_usd = totals.amount_usd + changes.amount_usd
    from (
      select target.chain_id, target.value as address, sum(moved.claim_count) as claim_count,
        sum(moved.amount_usd) as amount_usd
      from claim_window_changes(width, earlier, later) moved
      join campaign_facets target on target.campaign_key = moved.campaign_key and target.kind = 'target'
      where moved.claim_count <> 0 or moved.amount_usd <> 0
      group by target.chain_id, target.value
    ) changes
    where totals.window_seconds = width and totals.chain_id = changes.chain_id and totals.address = changes.address;

    merge into campaign_claim_totals totals
    using (
      select * from claim_window_changes(width, earlier, later) moved
      where moved.claim_count <> 0 or moved.amount_usd <> 0
    ) changes
    on totals.window_seconds = width and totals.campaign_key = changes.campaign_key
    when matched and totals.claim_count + changes.claim_count = 0 then delete
    when matched then update
      set claim_count = totals.claim_count + changes.claim_count, amount_usd = totals.amount_usd + changes.amount_usd
    when not matched then insert (window_seconds, campaign_key, claim_count, amount_usd)
      values (width, changes.campaign_key, changes.claim_count, changes.amount_usd);
  end loop;
  update claim_windows set as_of = later;
  return true;
end
$$;
--> statement-breakpoint
-- Whoever shall call it is granted that: it holds the lock of imports while it works.
revoke execute on function advance_claim_windows(integer, integer) from public;
--> statement-breakpoint
-- Makes all totals anew from the facts, for whoever has written claims or campaigns past the import.
create function rebuild_claim_totals()
returns void
language plpgsql
as $$
begin
  perform pg_advisory_xact_lock(7201001);
  truncate campaign_claim_totals, contract_claim_totals, contract_counts;
  update claim_windows set as_of = 0;
  insert into campaign_claim_totals (window_seconds, campaign_key, claim_count, amount_usd)
  select 0, campaign_key, count(*), coalesce(sum(amount_usd), 0) from claims group by campaign_key;
  insert into contract_claim_totals
    (window_seconds, chain_id, address, campaign_count, newest_block_timestamp, claim_count, amount_usd)
  select window_seconds, chain_id, address, campaign_count, newest_block_timestamp,
    case window_seconds when 0 then claim_count else 0 end, case window_seconds when 0 then amount_usd else 0 end
  from claim_windows, (
    select target.chain_id, target.value as address, count(*) as campaign_count,
      max(campaigns.block_timestamp) as newest_block_timestamp,
      coalesce(sum(totals.claim_count), 0) as claim_count, coalesce(sum(totals.amount_usd), 0) as amount_usd
    from campaign_facets target
    join campaigns on campaigns.key = target.campaign_key
    left join campaign_claim_totals totals on totals.campaign_key = target.campaign_key and totals.window_seconds = 0
    where target.kind = 'target'
    group by target.chain_id, target.value
  ) contracts;
  insert into contract_counts (chain_id, contract_count)
  select chain_id, count(*) from contract_claim_totals where window_seconds = 0 group by chain_id;
  perform advance_claim_windows();
end
$$;
--> statement-breakpoint
select rebuild_claim_totals();
--> statement-breakpoint
insert into profile_score_counts (score_bucket, profile_count)
select score_bucket, count(*) from profiles group by score_bucket;
--> statement-breakpoint
-- Totals change all the time, and are read from the top of an index: what is outdated there has to go soon.
alter table campaign_claim_totals set (autovacuum_vacuum_scale_factor = 0.02);
--> statement-breakpoint
alter table contract_claim_totals set (autovacuum_vacuum_scale_factor = 0.02);
