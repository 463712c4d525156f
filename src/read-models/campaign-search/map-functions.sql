-- Begins to keep maps of something that campaigns can be found by.
create or replace function map_facet(kind text, chain_id bigint, value text)
returns void
language plpgsql
as $$
#variable_conflict use_variable
declare
  new_key integer;
  keys constant bigint[] := campaign_keys_of(kind, chain_id, value);
begin
  insert into popular_facets (kind, chain_id, value) values (kind, chain_id, value) returning key into new_key;
  insert into facet_maps (facet_key, since, bits)
  select new_key, placed.since, bit_or(set_bit(span.blank, placed.place, 1))
  from campaign_places placed join campaign_spans span using (since)
  where placed.campaign_key = any (keys)
  group by placed.since;
end
$$;

-- Keeps the number of campaigns of each facet, as its maps have them.
create or replace function count_mapped_campaigns()
returns trigger
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  keys integer[];
  differences bigint[];
begin
  case tg_op
    when 'INSERT' then
      select array_agg(facet_key), array_agg(bit_count(bits)) into keys, differences from added;
    when 'DELETE' then
      select array_agg(facet_key), array_agg(-bit_count(bits)) into keys, differences from removed;
    else
      select array_agg(facet_key), array_agg(ones) into keys, differences
      from (
        select facet_key, bit_count(bits) as ones from added
        union all
        select facet_key, -bit_count(bits) from removed
      ) changed;
  end case;
  update popular_facets set campaigns = campaigns + changed.difference
  from (
    select facet_key, sum(difference) as difference from unnest(keys, differences) map (facet_key, difference)
    group by facet_key having sum(difference) <> 0
  ) changed
  where key = facet_key;
  return null;
end
$$;

-- The campaigns that are active at one of two instants only: at `instant`, and at the one that the map of active ones is of. As
-- maps of the spans in which there are any. Reads the campaigns that start or end between the two.
create or replace function campaign_activity_moved(instant timestamptz)
returns table (since bigint, bits varbit)
language sql stable parallel safe
as $$
  select placed.since, bit_or(set_bit(placed.blank, placed.place, 1))
  from campaign_activity
  cross join lateral (
    select key, start_at, end_at from campaigns
    where start_at > least(as_of, instant) and start_at <= greatest(as_of, instant) and not is_exhausted
    union
    select key, start_at, end_at from campaigns
    where end_at > least(as_of, instant) and end_at <= greatest(as_of, instant) and not is_exhausted
  ) moving
  -- Looked up one by one, which the limit keeps the planner to: it cannot know how few they are.
  cross join lateral (
    select place.since, place.place, span.blank
    from campaign_places place join campaign_spans span using (since)
    where place.campaign_key = moving.key limit 1
  ) placed
  where (coalesce(start_at <= instant, true) and coalesce(end_at > instant, true))
    <> (coalesce(start_at <= as_of, true) and coalesce(end_at > as_of, true))
  group by placed.since
$$;

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
  select built_in_facet('active'), moved.since, moved.bits from campaign_activity_moved(present) moved
  on conflict (facet_key, since) do update set bits = map.bits # excluded.bits;
  update campaign_activity set as_of = present;
  return true;
end
$$;

-- Makes all spans, places and maps anew from the campaigns, in spans of equal size: for existing data, for whoever has
-- written campaigns past the import, and where a span has become far larger than the others.
create or replace function rebuild_campaign_maps(span_places integer default full_span())
returns void
language plpgsql
-- To put maps together in memory, and not to sort them first.
set work_mem = '256MB'
set enable_sort = off
as $$
begin
  perform pg_advisory_xact_lock(7201001);
  -- Not truncated: who has begun to read goes on with what there was.
  delete from facet_maps;
  delete from popular_facets where built_in_facet(kind) is null;
  delete from campaign_places;
  delete from campaign_spans;
  update campaign_activity set as_of = clock_timestamp();

  with numbered as (
    select key, block_timestamp, chain_id, core_address, identifier,
      -- Equal timestamps have equal ranks, so they stay together.
      (rank() over (order by block_timestamp) - 1) / span_places as nth
    from campaigns
  )
  insert into campaign_places (campaign_key, since, place, block_timestamp, chain_id, core_address, identifier)
  select key, case nth when 0 then 0 else min(block_timestamp) over (partition by nth) end,
    row_number() over (partition by nth order by block_timestamp, key) - 1,
    block_timestamp, chain_id, core_address, identifier
  from numbered;
  insert into campaign_spans (since, place_count, blank)
  select since, max(place) + 1, repeat('0', greatest(span_places, max(place) + 1))::varbit from campaign_places group by since;
  insert into campaign_spans (since, blank) values (0, repeat('0', span_places)::varbit) on conflict do nothing;

  insert into facet_maps (facet_key, since, bits)
  select facet.key, placed.since, bit_or(set_bit(span.blank, placed.place, 1))
  from campaign_places placed
  join campaign_spans span using (since)
  join campaigns on campaigns.key = placed.campaign_key
  cross join campaign_activity
  join popular_facets facet on case facet.kind
    when 'all' then true
    when 'whitelisted' then has_whitelisted_rewards
    when 'template' then uses_template_as_is
    when 'active' then not is_exhausted and coalesce(start_at <= as_of, true) and coalesce(end_at > as_of, true)
    else false end
  group by facet.key, placed.since;
  perform map_facet(kind, chain_id, value) from (
    select kind, chain_id, value from campaign_memberships
    where built_in_facet(kind) is null
    group by kind, chain_id, value having count(*) > max_unmapped_campaigns()
  ) popular;
end
$$;

-- Writes down what a campaign was sorted by before this revision, its first change in it; and forgets the oldest revision that
-- is written down, where it is a day old: so there are never more of these than change in a day, and as many new ones.
create or replace function remember_position()
returns trigger
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  insert into former_positions (campaign_key, revision, block_timestamp, start_at, end_at, is_exhausted)
  select old.key, max(revision), old.block_timestamp, old.start_at, old.end_at, old.is_exhausted from data_revisions
  on conflict do nothing;
  delete from former_positions
  where revision = (select min(revision) from former_positions) and changed_at < now() - interval '1 day';
  return new;
end
$$;
