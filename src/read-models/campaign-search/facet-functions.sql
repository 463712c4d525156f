-- The campaigns that match groups of facets, and those of them that are active at an instant: bitmaps for each segment that has
-- any.
create or replace function filtered_bitmaps(
  facet_groups integer[], kinds text[], chain_ids bigint[], facet_values text[], instant timestamptz)
returns table (segment bigint, bits varbit, active varbit)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  resolved record;
begin
  resolved := resolved_facets(facet_groups, kinds, chain_ids, facet_values);
  return query
  -- A segment without a row has no active campaign.
  select matching.segment, matching.bits, (matching.bits & coalesce(
    bitmap.bits # moved.bits, bitmap.bits, moved.bits, matching.bits & ~matching.bits))::varbit
  from matching_bitmaps(resolved.facet_groups, resolved.facet_keys, resolved.lookup_groups, resolved.lookup_keys) matching
  left join facet_bitmaps bitmap on bitmap.facet_key = built_in_facet('active') and bitmap.segment = matching.segment
  left join active_bitmap_changes(instant) moved on moved.segment = matching.segment;
end
$$;

-- The number of campaigns, active at an instant, that pay each known token; no row for 0.
create or replace function active_rewards(instant timestamptz)
returns table (chain_id bigint, address text, campaigns bigint)
language plpgsql stable
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
  with active as materialized (
    select segment, active as bits from filtered_bitmaps('{1}', '{all}', '{0}', array[''], instant)
  )
  select indexed.chain_id, indexed.value, sum(bit_count(bitmap.bits & active.bits))::bigint as campaigns
  from indexed_facets indexed
  join facet_bitmaps bitmap on bitmap.facet_key = indexed.key
  join active on active.segment = bitmap.segment
  where indexed.kind = 'reward'
  group by indexed.key having sum(bit_count(bitmap.bits & active.bits)) > 0
  union all
  select token.chain_id, token.address, count(distinct campaign.key)
  from tokens token
  join incentives incentive on incentive.chain_id = token.chain_id and incentive.asset = token.address
  join campaigns campaign on campaign.key = incentive.campaign_key
  where not is_exhausted and coalesce(start_at <= instant, true) and coalesce(end_at > instant, true) and not exists (
    select from indexed_facets indexed
    where indexed.kind = 'reward' and indexed.chain_id = token.chain_id and indexed.value = token.address)
  group by token.chain_id, token.address;
end
$$;

-- All values of a kind of facets, by a loose index scan.
create or replace function values_of_kind(kind text)
returns table (chain_id bigint, value text)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  of_kind constant text := kind;
begin
  case of_kind
    when 'chain' then return query
      with recursive chains (chain_id) as (
        (select chain_id from campaigns order by chain_id limit 1)
        union all
        select (select next.chain_id from campaigns next where next.chain_id > chains.chain_id order by next.chain_id limit 1)
        from chains where chain_id is not null
      ) select chain_id, '' from chains where chain_id is not null;
    when 'incentive' then return query
      with recursive types (type) as (
        (select type from incentives order by type limit 1)
        union all
        select (select next.type from incentives next where next.type > types.type order by next.type limit 1)
        from types where type is not null
      ) select 0::bigint, type from types where type is not null;
    when 'action' then return query select distinct 0::bigint, fold_case(action_type) from action_templates;
    else return query
      with recursive facets (chain_id, value) as (
        (select chain_id, value from campaign_facets facet where facet.kind = of_kind order by chain_id, value limit 1)
        union all
        select following.chain_id, following.value from facets cross join lateral (
          select next.chain_id, next.value from campaign_facets next
          where next.kind = of_kind and (next.chain_id, next.value) > (facets.chain_id, facets.value)
          order by next.chain_id, next.value limit 1
        ) following
      ) select chain_id, value from facets;
  end case;
end
$$;

-- Counts of each value of some kinds among a few campaigns (the set bits): reads the facets of each.
create or replace function looked_up_facet_counts(of_kinds text[], segments bigint[], bitmaps varbit[])
returns table (kind text, chain_id bigint, value text, campaigns bigint)
language sql stable
as $$
  select membership.kind, membership.chain_id, membership.value, count(*)
  from unnest(segments, bitmaps) of_segment (segment, bits)
  cross join lateral bit_positions(bits) one
  cross join lateral (
    select campaign_key from campaign_bits where campaign_bits.segment = of_segment.segment and bit = one.nth_bit limit 1
  ) assigned
  cross join lateral (
    select * from all_campaign_facets every_facet where every_facet.campaign_key = assigned.campaign_key and every_facet.kind = any (of_kinds) offset 0
  ) membership
  group by membership.kind, membership.chain_id, membership.value
$$;

-- The same among many campaigns, for the values with bitmaps that may be among the first `wanted` of a kind, or next. Counts
-- the values with most campaigns first, until one has fewer in all than those found have here.
create or replace function indexed_facet_counts(of_kinds text[], segments bigint[], bitmaps varbit[], wanted integer)
returns table (kind text, chain_id bigint, value text, campaigns bigint)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  oldest constant bigint := (select min(segment) from unnest(segments) segment);
  -- Chains without tokens among these campaigns: their tokens are skipped.
  unused_chains constant bigint[] := array(
    select whole.chain_id from indexed_facets whole
    where whole.kind = 'tokens' and 'token' = any (of_kinds) and not exists (
      select from unnest(segments, bitmaps) of_segment (segment, bits) join facet_bitmaps bitmap using (segment)
      where bitmap.facet_key = whole.key and bit_count(bitmap.bits & of_segment.bits) > 0));
  seen integer[] := '{}';
  next_keys integer[];
  found_keys integer[] := '{}';
  found_counts bigint[] := '{}';
begin
  loop
    next_keys := array(
      select key from (
        select key, row_number() over (partition by facet.kind order by facet.campaigns desc) as nth, least.campaigns as least_count
        from indexed_facets facet
        left join (
          -- The count that is next after the first `wanted`.
          select kind, counted.campaigns, row_number() over (partition by kind order by counted.campaigns desc) as nth
          from unnest(found_keys, found_counts) counted (key, campaigns) join indexed_facets using (key)
        ) least on least.kind = facet.kind and least.nth = wanted + 1
        where facet.kind = any (of_kinds) and facet.campaigns >= coalesce(least.campaigns, 0) and key <> all (seen)
          and (facet.kind <> 'token' or facet.chain_id <> all (unused_chains))
      ) ahead
      -- A few at first, until a bound is known.
      where nth <= case when least_count is null then greatest(wanted + 1, cardinality(seen) / 2) else 2 * cardinality(seen) end);
    exit when next_keys = '{}';
    select found_keys || coalesce(array_agg(facet.key), '{}'), found_counts || coalesce(array_agg(counted.campaigns), '{}')
    into found_keys, found_counts
    from unnest(next_keys) facet (key)
    -- Each by itself: joined, they would be sorted with their bitmaps.
    cross join lateral (
      select sum(bit_count(bitmap.bits & of_segment.bits)) as campaigns
      -- One range of the index instead of a search for each segment.
      from (select * from facet_bitmaps where facet_key = facet.key and segment >= oldest offset 0) bitmap
      join unnest(segments, bitmaps) of_segment (segment, bits) using (segment)
    ) counted
    where counted.campaigns > 0;
    seen := seen || next_keys;
  end loop;
  return query
  select facet.kind, facet.chain_id, facet.value, counted.campaigns
  from unnest(found_keys, found_counts) counted (key, campaigns) join indexed_facets facet using (key);
end
$$;

-- The same for the values without bitmaps, which have at most `max_unindexed_campaigns` campaigns.
create or replace function unindexed_facet_counts(of_kind text, segments bigint[], bitmaps varbit[])
returns table (chain_id bigint, value text, campaigns bigint)
language sql stable
as $$
  select rare.chain_id, rare.value, counted.campaigns
  from (
    select every.chain_id, every.value from values_of_kind(of_kind) every
    where not exists (
      select from indexed_facets indexed
      where indexed.kind = of_kind and indexed.chain_id = every.chain_id and indexed.value = every.value)
    -- Keeps the planner from filtering after the count.
    offset 0
  ) rare
  cross join lateral (
    select count(*) as campaigns
    from unnest(campaign_keys_for_facet(of_kind, rare.chain_id, rare.value)) key
    join campaign_bits assigned on assigned.campaign_key = key
    where get_bit(bitmaps[array_position(segments, assigned.segment)], assigned.bit) = 1
  ) counted
  where counted.campaigns > 0
$$;

-- Exact counts of each value of some kinds among the campaigns with a set bit; of a kind with many values at least the first
-- `wanted` and one more.
create or replace function facet_counts(of_kinds text[], segments bigint[], bitmaps varbit[], matching bigint, wanted integer)
returns table (kind text, chain_id bigint, value text, campaigns bigint)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  kinds text[] := '{}';
  counts bigint[] := '{}';
begin
  if matching <= 1000 and of_kinds <> '{}' then
    return query select * from looked_up_facet_counts(of_kinds, segments, bitmaps);
    return;
  end if;
  for kind, chain_id, value, campaigns in select * from indexed_facet_counts(of_kinds, segments, bitmaps, wanted) loop
    kinds := kinds || kind;
    counts := counts || campaigns;
    return next;
  end loop;
  return query
  select one.kind, rare.chain_id, rare.value, rare.campaigns
  from unnest(of_kinds) one (kind) cross join lateral unindexed_facet_counts(one.kind, segments, bitmaps) rare
  -- Skipped if enough values have more campaigns than any without bitmaps can have.
  where (select count(*) from unnest(kinds, counts) counted (kind, campaigns)
    where counted.kind = one.kind and counted.campaigns > max_unindexed_campaigns()) <= wanted;
end
$$;

-- The facet counts beside a page, as JSON: for each of `facets` (name, kind, and the group of its own filter, which is not
-- applied to it) the first `facet_size` values, and the names of the facets that have more. The values of `isActive` are those
-- of its filter: `false` includes all. `total` is set if a facet is counted under all groups.
create or replace function campaign_facet_counts(
  facet_groups integer[], kinds text[], chain_ids bigint[], facet_values text[], activity text, instant timestamptz,
  facets json, facet_size integer, out counts text, out total integer)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  -- Facets that are counted among the same campaigns.
  counted_group record;
  segments bigint[];
  bitmaps varbit[];
  passing bigint;
  active bigint;
  matching bigint;
  counted record;
  -- In the order of `facets`.
  lists text[];
  more text[];
begin
  for counted_group in
    select own, array_agg(kind) as kinds from json_to_recordset(facets) as facet (kind text, own integer) group by own
  loop
    select coalesce(array_agg(segment), '{}'), coalesce(array_agg(shown), '{}'), coalesce(sum(bit_count(bits)), 0),
      coalesce(sum(bit_count(filtered.active)), 0)
    into segments, bitmaps, passing, active
    from (
      -- The other groups, renumbered; without any, all campaigns.
      select coalesce(array_agg(grp order by nth), '{1}') as others, coalesce(array_agg(kind order by nth), '{all}') as their_kinds,
        coalesce(array_agg(chain_id order by nth), '{0}') as their_chains,
        coalesce(array_agg(value order by nth), array['']) as their_values
      from (
        select (dense_rank() over (order by grp))::integer as grp, kind, chain_id, value, nth
        from unnest(facet_groups, kinds, chain_ids, facet_values) with ordinality entry (grp, kind, chain_id, value, nth)
        where grp <> counted_group.own
      ) renumbered
    ) other
    cross join lateral filtered_bitmaps(others, their_kinds, their_chains, their_values, instant) filtered
    cross join lateral (select case when activity in ('any', 'first') then bits else filtered.active end as shown) chosen
    where bit_count(bits) > 0;
    matching := case when activity in ('any', 'first') then passing else active end;
    if counted_group.own = 0 then
      total := matching;
    end if;
    for counted in
      select facet.nth, to_json(facet.name) || ':' || coalesce(json_agg(json_strip_nulls(json_build_object(
          'value', value, 'count', campaigns, 'label', symbol)) order by list_position) filter (where list_position <= facet_size), '[]') as list,
        case when count(list_position) > facet_size then facet.name end as name
      from rows from (json_to_recordset(facets) as (name text, kind text, own integer)) with ordinality as facet (name, kind, own, nth)
      left join (
        select listed.kind, shown.value, campaigns, symbol, row_number() over (partition by listed.kind
          order by campaigns desc, case when listed.kind = 'chain' then listed.chain_id end, shown.value collate "C") as list_position
        from (
          select 'active' as kind, 0::bigint as chain_id, value, campaigns
          from (values ('true', active), ('false', case when activity = 'ending' then active else passing end)) every (value, campaigns)
          where campaigns > 0
          union all
          select * from facet_counts(array_remove(counted_group.kinds, 'active'), segments, bitmaps, matching, facet_size)
        ) listed
        cross join lateral (select case listed.kind
          when 'chain' then chain_id::text when 'token' then chain_id || ':' || listed.value else listed.value end as value) shown
        left join tokens token on listed.kind = 'token' and token.chain_id = listed.chain_id and token.address = listed.value
      ) ranked on ranked.kind = facet.kind
      where facet.own = counted_group.own
      group by facet.nth, facet.name
    loop
      lists[counted.nth] := counted.list;
      more[counted.nth] := counted.name;
    end loop;
  end loop;
  counts := '{"facets":{' || array_to_string(lists, ',') || '},"facetsWithMore":'
    || array_to_json(array_remove(coalesce(more, '{}'), null))::text || '}';
end
$$;
