-- Creates the bitmaps of a facet.
create or replace function build_facet_bitmap(kind text, chain_id bigint, value text)
returns void
language plpgsql
as $$
#variable_conflict use_variable
declare
  new_key integer;
  keys constant bigint[] := campaign_keys_for_facet(kind, chain_id, value);
begin
  insert into indexed_facets (kind, chain_id, value) values (kind, chain_id, value) returning key into new_key;
  insert into facet_bitmaps (facet_key, segment, bits)
  select new_key, assigned.segment, bit_or(set_bit(segments.empty, assigned.bit, 1))
  from campaign_bits assigned join bitmap_segments segments using (segment)
  where assigned.campaign_key = any (keys)
  group by assigned.segment;
end
$$;

-- Maintains the number of campaigns of each indexed facet: the set bits of its bitmaps.
create or replace function count_indexed_campaigns()
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
  update indexed_facets set campaigns = campaigns + changed.difference
  from (
    select facet_key, sum(difference) as difference from unnest(keys, differences) bitmap (facet_key, difference)
    group by facet_key having sum(difference) <> 0
  ) changed
  where key = facet_key;
  return null;
end
$$;

-- The difference between the campaigns active at `instant` and those of the stored bitmap of active ones: a bitmap for each
-- segment that has any. Reads the campaigns that start or end between the two instants.
create or replace function active_bitmap_changes(instant timestamptz)
returns table (segment bigint, bits varbit)
language sql stable parallel safe
as $$
  select assigned.segment, bit_or(set_bit(assigned.empty, assigned.bit, 1))
  from active_bitmap_state
  cross join lateral (
    select key, start_at, end_at from campaigns
    where start_at > least(as_of, instant) and start_at <= greatest(as_of, instant) and not is_exhausted
    union
    select key, start_at, end_at from campaigns
    where end_at > least(as_of, instant) and end_at <= greatest(as_of, instant) and not is_exhausted
  ) moving
  -- The limit makes the planner look them up one by one: it cannot know how few they are.
  cross join lateral (
    select own.segment, own.bit, segments.empty
    from campaign_bits own join bitmap_segments segments using (segment)
    where own.campaign_key = moving.key limit 1
  ) assigned
  where (coalesce(start_at <= instant, true) and coalesce(end_at > instant, true))
    <> (coalesce(start_at <= as_of, true) and coalesce(end_at > as_of, true))
  group by assigned.segment
$$;

-- Moves the bitmap of active campaigns to the present, if at least `least_changes` campaigns have started or ended since. No
-- reader waits for it: readers check those campaigns themselves, and are only faster when there are few. Skipped while an import
-- runs. Runs with the rights of its owner: it writes only what follows from the campaigns and the clock.
create or replace function advance_active_bitmap(least_changes integer default 0)
returns boolean
language plpgsql security definer
set search_path = public, pg_temp
set enable_seqscan = off
as $$
declare
  -- In the precision of the column and of requests.
  present constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  changes bigint;
begin
  select coalesce(sum(bit_count(bits)), 0) into changes from active_bitmap_changes(present);
  if changes < least_changes or not pg_try_advisory_xact_lock(7201001) then
    return false;
  end if;
  insert into facet_bitmaps as bitmap (facet_key, segment, bits)
  select built_in_facet('active'), moved.segment, moved.bits from active_bitmap_changes(present) moved
  on conflict (facet_key, segment) do update set bits = bitmap.bits # excluded.bits;
  update active_bitmap_state set as_of = present;
  return true;
end
$$;

-- Rebuilds all segments, bits and bitmaps from the campaigns, in segments of equal size: after writes of campaigns past the
-- import, and when a segment has become far larger than the others.
create or replace function rebuild_campaign_bitmaps(bits_per_segment integer default segment_size())
returns void
language plpgsql
-- Aggregates bitmaps in memory, without sorting them first.
set work_mem = '256MB'
set enable_sort = off
as $$
begin
  perform pg_advisory_xact_lock(7201001);
  -- Not truncated: running readers keep their snapshot.
  delete from facet_bitmaps;
  delete from indexed_facets where built_in_facet(kind) is null;
  delete from campaign_bits;
  delete from bitmap_segments;
  update active_bitmap_state set as_of = clock_timestamp();

  with numbered as (
    select key, block_timestamp, chain_id, core_address, identifier,
      -- Equal timestamps have equal ranks, so they stay together.
      (rank() over (order by block_timestamp) - 1) / bits_per_segment as nth
    from campaigns
  )
  insert into campaign_bits (campaign_key, segment, bit, block_timestamp, chain_id, core_address, identifier)
  select key, case nth when 0 then 0 else min(block_timestamp) over (partition by nth) end,
    row_number() over (partition by nth order by block_timestamp, key) - 1,
    block_timestamp, chain_id, core_address, identifier
  from numbered;
  insert into bitmap_segments (segment, used_bits, empty)
  select segment, max(bit) + 1, repeat('0', greatest(bits_per_segment, max(bit) + 1))::varbit from campaign_bits group by segment;
  insert into bitmap_segments (segment, empty) values (0, repeat('0', bits_per_segment)::varbit) on conflict do nothing;

  insert into facet_bitmaps (facet_key, segment, bits)
  select facet.key, assigned.segment, bit_or(set_bit(segments.empty, assigned.bit, 1))
  from campaign_bits assigned
  join bitmap_segments segments using (segment)
  join campaigns on campaigns.key = assigned.campaign_key
  cross join active_bitmap_state
  join indexed_facets facet on case facet.kind
    when 'all' then true
    when 'whitelisted' then has_whitelisted_rewards
    when 'template' then uses_template_as_is
    when 'active' then not is_exhausted and coalesce(start_at <= as_of, true) and coalesce(end_at > as_of, true)
    else false end
  group by facet.key, assigned.segment;
  perform build_facet_bitmap(kind, chain_id, value) from (
    select kind, chain_id, value from all_campaign_facets
    where built_in_facet(kind) is null
    group by kind, chain_id, value having count(*) > max_unindexed_campaigns()
  ) popular;
end
$$;

-- Records the sort values that a campaign had before this revision, and deletes those of the oldest recorded revision once it is
-- a day old: so the table holds about what changes in a day.
create or replace function record_former_position()
returns trigger
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  insert into former_positions (campaign_key, revision, block_timestamp, start_at, end_at, is_exhausted)
  select old.key, max(revision), old.block_timestamp, old.start_at, old.end_at, old.is_exhausted from data_versions
  on conflict do nothing;
  delete from former_positions
  where revision = (select min(revision) from former_positions) and changed_at < now() - interval '1 day';
  return new;
end
$$;
