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
