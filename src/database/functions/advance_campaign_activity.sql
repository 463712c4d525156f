-- Moves the map of active campaigns on to the present, if at least so many campaigns have started or ended since. No reader
-- waits for it: readers look at those campaigns themselves, and are only faster when there are few. Not while an import is
-- at work. Works with the rights of its owner: it writes nothing but what follows from the campaigns and the clock.
create or replace function advance_campaign_activity(least_changes integer default 0)
returns boolean
language plpgsql security definer
set search_path = public, pg_temp
set enable_seqscan = off
as $$
declare
  -- As exact as what it is kept in, and as what is asked for.
  present constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  changes bigint;
begin
  select coalesce(sum(bit_count(bits)), 0) into changes from campaign_activity_moved(present);
  if changes < least_changes or not pg_try_advisory_xact_lock(7201001) then
    return false;
  end if;
  insert into facet_maps as map (facet_key, since, bits)
  select 3, moved.since, moved.bits from campaign_activity_moved(present) moved
  on conflict (facet_key, since) do update set bits = map.bits # excluded.bits;
  update campaign_activity set as_of = present;
  return true;
end
$$;
