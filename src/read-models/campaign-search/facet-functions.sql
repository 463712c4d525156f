-- The campaigns that pass some groups of facets, as maps of the spans in which there are any; and those of them that are active at
-- an instant.
create or replace function filtered_maps(
  facet_groups integer[], kinds text[], chain_ids bigint[], facet_values text[], instant timestamptz)
returns table (since bigint, bits varbit, active varbit)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  asked record;
begin
  asked := resolved_facets(facet_groups, kinds, chain_ids, facet_values);
  return query
  -- Where nothing is told of a span, none is active in it.
  select matching.since, matching.bits, (matching.bits & coalesce(
    map.bits # moved.bits, map.bits, moved.bits, matching.bits & ~matching.bits))::varbit
  from matching_maps(asked.facet_groups, asked.facet_keys, asked.few_groups, asked.few_keys) matching
  left join facet_maps map on map.facet_key = built_in_facet('active') and map.since = matching.since
  left join campaign_activity_moved(instant) moved on moved.since = matching.since;
end
$$;

-- How many campaigns that are active at an instant pay each known token, where any does.
create or replace function active_rewards(instant timestamptz)
returns table (chain_id bigint, address text, campaigns bigint)
language plpgsql stable
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
  with active as materialized (
    select since, active as bits from filtered_maps('{1}', '{all}', '{0}', array[''], instant)
  )
  select popular.chain_id, popular.value, sum(bit_count(map.bits & active.bits))::bigint as campaigns
  from popular_facets popular
  join facet_maps map on map.facet_key = popular.key
  join active on active.since = map.since
  where popular.kind = 'reward'
  group by popular.key having sum(bit_count(map.bits & active.bits)) > 0
  union all
  select token.chain_id, token.address, count(distinct campaign.key)
  from tokens token
  join incentives incentive on incentive.chain_id = token.chain_id and incentive.asset = token.address
  join campaigns campaign on campaign.key = incentive.campaign_key
  where not is_exhausted and coalesce(start_at <= instant, true) and coalesce(end_at > instant, true) and not exists (
    select from popular_facets popular
    where popular.kind = 'reward' and popular.chain_id = token.chain_id and popular.value = token.address)
  group by token.chain_id, token.address;
end
$$;

-- All values of a kind that campaigns can be found by, from one to the next in an index.
create or replace function values_of_kind(kind text)
returns table (chain_id bigint, value text)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  asked constant text := kind;
begin
  case asked
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
        (select chain_id, value from campaign_facets facet where facet.kind = asked order by chain_id, value limit 1)
        union all
        select following.chain_id, following.value from facets cross join lateral (
          select next.chain_id, next.value from campaign_facets next
          where next.kind = asked and (next.chain_id, next.value) > (facets.chain_id, facets.value)
          order by next.chain_id, next.value limit 1
        ) following
      ) select chain_id, value from facets;
  end case;
end
$$;

-- How many of the campaigns with a bit in some maps, a few, can be found by each value of some kinds: each is looked at.
create or replace function few_facet_counts(asked text[], spans bigint[], maps varbit[])
returns table (kind text, chain_id bigint, value text, campaigns bigint)
language sql stable
as $$
  select membership.kind, membership.chain_id, membership.value, count(*)
  from unnest(spans, maps) of_span (since, bits)
  cross join lateral bit_places(bits) one
  cross join lateral (
    select campaign_key from campaign_places where campaign_places.since = of_span.since and place = one.place limit 1
  ) placed
  cross join lateral (
    select * from campaign_memberships had where had.campaign_key = placed.campaign_key and had.kind = any (asked) offset 0
  ) membership
  group by membership.kind, membership.chain_id, membership.value
$$;

-- The same of many campaigns, for the values with maps, as far as they might be among the first `wanted` of a kind or the one
-- after these: the values of most campaigns are counted first, until one has fewer in all than those have here.
create or replace function popular_facet_counts(asked text[], spans bigint[], maps varbit[], wanted integer)
returns table (kind text, chain_id bigint, value text, campaigns bigint)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  oldest constant bigint := (select min(since) from unnest(spans) since);
  -- Not the tokens of chains of which nobody has any.
  unused_chains constant bigint[] := array(
    select whole.chain_id from popular_facets whole
    where whole.kind = 'tokens' and 'token' = any (asked) and not exists (
      select from unnest(spans, maps) of_span (since, bits) join facet_maps map using (since)
      where map.facet_key = whole.key and bit_count(map.bits & of_span.bits) > 0));
  seen integer[] := '{}';
  next_keys integer[];
  found_keys integer[] := '{}';
  found_counts bigint[] := '{}';
begin
  loop
    next_keys := array(
      select key from (
        select key, row_number() over (partition by facet.kind order by facet.campaigns desc) as nth, least.campaigns as least_count
        from popular_facets facet
        left join (
          -- The count of the one after those wanted.
          select kind, counted.campaigns, row_number() over (partition by kind order by counted.campaigns desc) as nth
          from unnest(found_keys, found_counts) counted (key, campaigns) join popular_facets using (key)
        ) least on least.kind = facet.kind and least.nth = wanted + 1
        where facet.kind = any (asked) and facet.campaigns >= coalesce(least.campaigns, 0) and key <> all (seen)
          and (facet.kind <> 'token' or facet.chain_id <> all (unused_chains))
      ) ahead
      -- Carefully, until it is known how many campaigns are too few.
      where nth <= case when least_count is null then greatest(wanted + 1, cardinality(seen) / 2) else 2 * cardinality(seen) end);
    exit when next_keys = '{}';
    select found_keys || coalesce(array_agg(facet.key), '{}'), found_counts || coalesce(array_agg(counted.campaigns), '{}')
    into found_keys, found_counts
    from unnest(next_keys) facet (key)
    -- For each by itself: together, they would be sorted with their maps.
    cross join lateral (
      select sum(bit_count(map.bits & of_span.bits)) as campaigns
      -- One range of the index, not a search for each span.
      from (select * from facet_maps where facet_key = facet.key and since >= oldest offset 0) map
      join unnest(spans, maps) of_span (since, bits) using (since)
    ) counted
    where counted.campaigns > 0;
    seen := seen || next_keys;
  end loop;
  return query
  select facet.kind, facet.chain_id, facet.value, counted.campaigns
  from unnest(found_keys, found_counts) counted (key, campaigns) join popular_facets facet using (key);
end
$$;

-- The same for the values without maps: none has more campaigns than `max_unmapped_campaigns`.
create or replace function rare_facet_counts(asked text, spans bigint[], maps varbit[])
returns table (chain_id bigint, value text, campaigns bigint)
language sql stable
as $$
  select rare.chain_id, rare.value, counted.campaigns
  from (
    select every.chain_id, every.value from values_of_kind(asked) every
    where not exists (
      select from popular_facets popular
      where popular.kind = asked and popular.chain_id = every.chain_id and popular.value = every.value)
    -- Not after they are counted.
    offset 0
  ) rare
  cross join lateral (
    select count(*) as campaigns
    from unnest(campaign_keys_of(asked, rare.chain_id, rare.value)) key
    join campaign_places placed on placed.campaign_key = key
    where get_bit(maps[array_position(spans, placed.since)], placed.place) = 1
  ) counted
  where counted.campaigns > 0
$$;

-- How many of the campaigns with a bit in some maps can be found by each value of some kinds, exact; of many values of a kind at
-- least the first `wanted` and one more.
create or replace function facet_counts(asked text[], spans bigint[], maps varbit[], matching bigint, wanted integer)
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
  if matching <= 1000 and asked <> '{}' then
    return query select * from few_facet_counts(asked, spans, maps);
    return;
  end if;
  for kind, chain_id, value, campaigns in select * from popular_facet_counts(asked, spans, maps, wanted) loop
    kinds := kinds || kind;
    counts := counts || campaigns;
    return next;
  end loop;
  return query
  select one.kind, rare.chain_id, rare.value, rare.campaigns
  from unnest(asked) one (kind) cross join lateral rare_facet_counts(one.kind, spans, maps) rare
  -- As many as are wanted, and one more, have more than any without a map.
  where (select count(*) from unnest(kinds, counts) counted (kind, campaigns)
    where counted.kind = one.kind and counted.campaigns > max_unmapped_campaigns()) <= wanted;
end
$$;

-- The counts of facets beside a page, as JSON: of each in `facets` (its name, its kind, and the group of its own filter, which
-- does not count for it) the first `facet_size` values, and the names of those that have more. The values of `isActive` are
-- those of its filter: `false` lets all pass. And how many campaigns pass all groups, where a facet is counted under all.
create or replace function campaign_facet_counts(
  facet_groups integer[], kinds text[], chain_ids bigint[], facet_values text[], activity text, instant timestamptz,
  facets json, facet_size integer, out counts text, out total integer)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  -- Facets that are counted under the same campaigns.
  asked record;
  spans bigint[];
  maps varbit[];
  passing bigint;
  active bigint;
  matching bigint;
  counted record;
  -- In the order of `facets`.
  lists text[];
  more text[];
begin
  for asked in
    select own, array_agg(kind) as kinds from json_to_recordset(facets) as facet (kind text, own integer) group by own
  loop
    select coalesce(array_agg(since), '{}'), coalesce(array_agg(shown), '{}'), coalesce(sum(bit_count(bits)), 0),
      coalesce(sum(bit_count(filtered.active)), 0)
    into spans, maps, passing, active
    from (
      -- The other groups, numbered anew; where there is none, all campaigns.
      select coalesce(array_agg(grp order by nth), '{1}') as others, coalesce(array_agg(kind order by nth), '{all}') as their_kinds,
        coalesce(array_agg(chain_id order by nth), '{0}') as their_chains,
        coalesce(array_agg(value order by nth), array['']) as their_values
      from (
        select (dense_rank() over (order by grp))::integer as grp, kind, chain_id, value, nth
        from unnest(facet_groups, kinds, chain_ids, facet_values) with ordinality entry (grp, kind, chain_id, value, nth)
        where grp <> asked.own
      ) renumbered
    ) other
    cross join lateral filtered_maps(others, their_kinds, their_chains, their_values, instant) filtered
    cross join lateral (select case when activity in ('any', 'first') then bits else filtered.active end as shown) chosen
    where bit_count(bits) > 0;
    matching := case when activity in ('any', 'first') then passing else active end;
    if asked.own = 0 then
      total := matching;
    end if;
    for counted in
      select facet.nth, to_json(facet.name) || ':' || coalesce(json_agg(json_strip_nulls(json_build_object(
          'value', value, 'count', campaigns, 'label', symbol)) order by place) filter (where place <= facet_size), '[]') as list,
        case when count(place) > facet_size then facet.name end as name
      from rows from (json_to_recordset(facets) as (name text, kind text, own integer)) with ordinality as facet (name, kind, own, nth)
      left join (
        select listed.kind, shown.value, campaigns, symbol, row_number() over (partition by listed.kind
          order by campaigns desc, case when listed.kind = 'chain' then listed.chain_id end, shown.value collate "C") as place
        from (
          select 'active' as kind, 0::bigint as chain_id, value, campaigns
          from (values ('true', active), ('false', case when activity = 'ending' then active else passing end)) every (value, campaigns)
          where campaigns > 0
          union all
          select * from facet_counts(array_remove(asked.kinds, 'active'), spans, maps, matching, facet_size)
        ) listed
        cross join lateral (select case listed.kind
          when 'chain' then chain_id::text when 'token' then chain_id || ':' || listed.value else listed.value end as value) shown
        left join tokens token on listed.kind = 'token' and token.chain_id = listed.chain_id and token.address = listed.value
      ) placed on placed.kind = facet.kind
      where facet.own = asked.own
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
