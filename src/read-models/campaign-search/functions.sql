-- All campaigns that can be found by one thing for which no map is kept: a lookup in one index.
create or replace function campaign_keys_of(kind text, chain_id bigint, value text)
returns bigint[]
language plpgsql stable parallel safe
as $$
#variable_conflict use_variable
begin
  case kind
    when 'owner' then return array(select key from campaigns where owner = value);
    when 'creator' then return array(select key from campaigns where creator = value);
    when 'budget' then return array(select key from campaigns where budget = value);
    when 'autocampaign' then return array(select key from campaigns where autocampaign_id = value);
    when 'chain' then return array(select key from campaigns where campaigns.chain_id = chain_id);
    else return array(
      select campaign_key from campaign_facets
      where campaign_facets.kind = kind and campaign_facets.chain_id = chain_id and campaign_facets.value = value);
  end case;
end
$$;

-- What campaigns can be found by, from the campaigns themselves: what all maps are made of.
create or replace view campaign_memberships as
select 'owner' as kind, 0::bigint as chain_id, owner as value, key as campaign_key from campaigns
union all
select 'creator', 0, creator, key from campaigns
union all
select 'budget', 0, budget, key from campaigns
union all
select 'autocampaign', 0, autocampaign_id, key from campaigns where autocampaign_id is not null
union all
select 'chain', chain_id, '', key from campaigns
union all
select kind, chain_id, value, campaign_key from campaign_facets
union all
select 'all', 0, '', key from campaigns
union all
select 'whitelisted', 0, '', key from campaigns where has_whitelisted_rewards
union all
select 'active', 0, '', key from campaigns, campaign_activity
where not is_exhausted and coalesce(start_at <= as_of, true) and coalesce(end_at > as_of, true)
union all
select 'template', 0, '', key from campaigns where uses_template_as_is;

-- The places of the ones in a map, from 0. Looks closer only at those 512 bits in which there are any.
create or replace function bit_places(bits varbit)
returns table (place integer)
language sql immutable parallel safe rows 100
as $$
  select (first + sum(length(zeros) + 1) over (partition by first order by nth) - 1)::integer
  from generate_series(0, length(bits) - 1, 512) first
  cross join lateral (select substring(bits from first + 1 for 512) as part offset 0) block
  -- What follows the last one is left out.
  cross join lateral string_to_table(part::text, '1') with ordinality as gap (zeros, nth)
  where bit_count(part) > 0 and nth <= bit_count(part)
$$;

-- The campaigns that can be found by all of some groups of facets (`facet_groups` are numbered from 1, ascending, the other
-- three arrays are parallel to it), by any of a group. `activity`: 'any', 'only' active ones at an `instant`, or those
-- 'first'. For functions that have plans made once (`plan_cache_mode`), without scans.
--
-- Where a group has few campaigns (300), those are looked at one by one: `keys` are those that match, in the order of pages.
-- Else maps are put together: `maps` of the spans that begin at `spans`, newest first, active ones before all others.
create or replace function campaign_matches(
  facet_groups integer[], kinds text[], chain_ids bigint[], facet_values text[],
  only_whitelisted boolean, only_templates boolean, activity text, instant timestamptz,
  out keys bigint[], out spans bigint[], out maps varbit[])
language plpgsql stable
as $$
declare
  -- The values as they are stored: with their case folded, but for the one kind that is compared with it.
  wanted text[];
  -- Those of the entries that maps are kept of, and null for the others.
  popular integer[];
  -- Groups that no maps are kept of.
  rare integer[] := '{}';
  -- The campaigns of the entries that no maps are kept of, each with the group it is found by.
  few_groups integer[] := '{}';
  few_keys bigint[] := '{}';
  group_count integer := coalesce(facet_groups[cardinality(facet_groups)], 0);
  these bigint[];
  candidates bigint[];
  -- Whether a group has several entries, whose maps have to be put together before all.
  is_any_of_several boolean;
begin
  if group_count > 0 then
    select array_agg(stored order by nth), array_agg(facet.key order by nth) into wanted, popular
    from unnest(kinds, chain_ids, facet_values) with ordinality entry (kind, chain_id, value, nth)
    cross join lateral (select case entry.kind when 'autocampaign' then entry.value else fold_case(entry.value) end) as written (stored)
    left join popular_facets facet
      on facet.kind = entry.kind and facet.chain_id = entry.chain_id and facet.value = stored;
  end if;

  for nth in 1 .. cardinality(kinds) loop
    continue when popular[nth] is not null;
    these := campaign_keys_of(kinds[nth], chain_ids[nth], wanted[nth]);
    few_keys := few_keys || these;
    few_groups := few_groups || array_fill(facet_groups[nth], array[cardinality(these)]);
  end loop;

  if cardinality(kinds) = 1 and popular[1] is null then
    rare := facet_groups;
    candidates := few_keys;
  elsif array_position(popular, null) is not null then
    rare := array(
      select grp from unnest(facet_groups, popular) entry (grp, facet_key) group by grp having count(facet_key) = 0);
    if rare <> '{}' then
      candidates := array(
        select key from unnest(few_groups, few_keys) few (grp, key) where grp = any (rare)
        group by key having count(distinct grp) = cardinality(rare));
    end if;
  end if;
  if cardinality(candidates) <= 300 then
    keys := array(
      select key
      from campaigns, lateral (
        select not is_exhausted and coalesce(start_at <= instant, true) and coalesce(end_at > instant, true) as is_active
      ) now
      where key = any (candidates) and (has_whitelisted_rewards or not only_whitelisted)
        and (uses_template_as_is or not only_templates) and (is_active or activity <> 'only')
        and (cardinality(rare) = group_count or key in (
          select key from (
            select placed.campaign_key as key, entry.grp from campaign_places placed
            cross join unnest(facet_groups, popular) entry (grp, facet_key)
            join facet_maps map on map.facet_key = entry.facet_key and map.since = placed.since
            where placed.campaign_key = any (candidates) and get_bit(map.bits, placed.place) = 1
            union all
            select few.key, few.grp from unnest(few_groups, few_keys) few (grp, key) where few.grp <> all (rare)
          ) others
          group by key having count(distinct grp) = group_count - cardinality(rare)))
      order by activity = 'first' and not is_active, block_timestamp desc, chain_id, core_address, identifier);
    return;
  end if;

  -- The four that there are always maps of are groups of their own.
  if only_whitelisted then
    group_count := group_count + 1;
    facet_groups := facet_groups || group_count;
    popular := popular || 2;
  end if;
  if only_templates then
    group_count := group_count + 1;
    facet_groups := facet_groups || group_count;
    popular := popular || 4;
  end if;
  if group_count = 0 then
    group_count := 1;
    facet_groups := array[1];
    popular := array[1];
  end if;

  is_any_of_several := cardinality(facet_groups) > group_count or few_keys <> '{}';

  with entries as not materialized (
    select entry.grp, map.since, map.bits
    from unnest(facet_groups, popular) entry (grp, facet_key) join facet_maps map using (facet_key)
    union all
    select few.grp, placed.since, set_bit(span.blank, placed.place, 1)
    -- In the order of the index that they are looked up in: there may be thousands.
    from (select * from unnest(few_groups, few_keys) entry (grp, key) order by key) few
    join campaign_places placed on placed.campaign_key = few.key
    join campaign_spans span using (since)
  ), groups as (
    select since, bits from entries where not is_any_of_several
    union all
    select since, bit_or(bits) from entries where is_any_of_several group by grp, since
  ), matching as (
    select since, bits from groups where group_count = 1
    union all
    select since, bit_and(bits) from groups where group_count > 1 group by since having count(*) = group_count
  ), active as (
    select span.since, coalesce(map.bits, span.blank) # coalesce(moved.bits, span.blank) as bits
    from campaign_spans span
    left join facet_maps map on map.facet_key = 3 and map.since = span.since
    left join campaign_activity_moved(instant) moved on moved.since = span.since
    where activity <> 'any'
  ), parts as (
    select 0 as part, since, matching.bits & active.bits as bits from matching join active using (since)
    union all
    select 1, since, matching.bits & ~active.bits from matching join active using (since) where activity = 'first'
    union all
    select 0, since, bits from matching where activity = 'any'
  )
  select coalesce(array_agg(since order by part, since desc), '{}'),
    coalesce(array_agg(bits order by part, since desc), '{}')
  into spans, maps
  from parts where bit_count(bits) > 0;
end
$$;

-- One page of campaigns that can be found by all of some groups of facets, by any of a group (see `campaign_matches`); newest
-- first, ties on chain ID, core address, identifier. And how many there are in all, exact. `activity`: 'any', 'only' active
-- ones at an `instant`, or those 'first'.
--
-- Of the campaigns themselves only those of the page's own spans are read: whatever the filters, the page and the number of
-- campaigns.
create or replace function campaign_page(
  facet_groups integer[], kinds text[], chain_ids bigint[], facet_values text[],
  only_whitelisted boolean, only_templates boolean, activity text, instant timestamptz, page_size integer, skipped bigint,
  out total integer, out keys bigint[])
language plpgsql stable
-- Every statement here is right for all values, so it is planned once for a connection.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  matches record;
begin
  matches := campaign_matches(
    facet_groups, kinds, chain_ids, facet_values, only_whitelisted, only_templates, activity, instant);
  if matches.keys is not null then
    total := cardinality(matches.keys);
    keys := case when skipped < total then matches.keys[skipped + 1 : skipped + page_size] else '{}' end;
    return;
  end if;
  with counted as materialized (
    select nth, since, bits, bit_count(bits) as own, sum(bit_count(bits)) over (order by nth) as upto
    from unnest(matches.spans, matches.maps) with ordinality span (since, bits, nth)
  ), paged as materialized (
    select nth, since, bits, own, greatest(skipped - (upto - own), 0) as passed from counted
    where page_size > 0 and upto > skipped and upto - own < skipped + page_size
  ), shown as (
    select nth, campaign.* from paged cross join lateral (
      select campaign_key, block_timestamp, chain_id, core_address, identifier
      from bit_places(bits) one
      -- Looked up one by one, which the limit keeps the planner to.
      cross join lateral (
        select * from campaign_places where since = paged.since and place = one.place limit 1
      ) placed
      order by block_timestamp desc, chain_id, core_address, identifier limit page_size offset passed
    ) campaign
    where own <= 500
    union all
    -- Where a span has many, they are read in their order.
    select nth, campaign.* from paged cross join lateral (
      select campaign_key, block_timestamp, chain_id, core_address, identifier
      from campaign_places placed where placed.since = paged.since and get_bit(paged.bits, place) = 1
      order by block_timestamp desc, chain_id, core_address, identifier limit page_size offset passed
    ) campaign
    where own > 500
  )
  select (select coalesce(max(upto), 0) from counted), array(
    select campaign_key from shown
    order by nth, block_timestamp desc, chain_id, core_address, identifier limit page_size)
  into total, keys;
end
$$;

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
  select 3, moved.since, moved.bits from campaign_activity_moved(present) moved
  on conflict (facet_key, since) do update set bits = map.bits # excluded.bits;
  update campaign_activity set as_of = present;
  return true;
end
$$;

-- Makes all spans, places and maps anew from the campaigns, in spans of equal size: for existing data, for whoever has
-- written campaigns past the import, and where a span has become far larger than the others.
create or replace function rebuild_campaign_maps(span_places integer default 8192)
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
  delete from popular_facets where kind not in ('all', 'whitelisted', 'active', 'template');
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
    where kind not in (select kind from popular_facets)
    group by kind, chain_id, value having count(*) > 150
  ) popular;
end
$$;
