-- One page of campaigns that can be found by all of some groups of facets (`facet_groups` are numbered from 1, the other
-- three arrays are parallel to it), by any of a group; newest first, ties on chain ID, core address, identifier. And how
-- many there are in all, exact. `activity`: 'any', 'only' active ones at an `instant`, or those 'first'.
--
-- Where a group has few campaigns (300), those are looked at one by one. Else maps are put together, and of the campaigns
-- themselves only those of the page's own spans are read: whatever the filters, the page and the number of campaigns.
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
  -- The values as they are stored: lower-case, but for the one kind that has upper case.
  wanted constant text[] := array(
    select case kind when 'autocampaign' then value else lower(value) end
    from unnest(kinds, facet_values) with ordinality entry (kind, value, nth) order by nth);
  -- Those of the entries that maps are kept of, and null for the others.
  popular integer[] := array(
    select facet.key
    from unnest(kinds, chain_ids, wanted) with ordinality entry (kind, chain_id, value, nth)
    left join popular_facets facet using (kind, chain_id, value) order by nth);
  -- Groups that no maps are kept of.
  rare constant integer[] := array(
    select grp from unnest(facet_groups, popular) entry (grp, facet_key) group by grp having count(facet_key) = 0);
  -- The campaigns of the entries that no maps are kept of, each with the group it is found by.
  few_groups integer[] := '{}';
  few_keys bigint[] := '{}';
  group_count integer := coalesce((select max(grp) from unnest(facet_groups) grp), 0);
  these bigint[];
  candidates bigint[];
  page_spans bigint[];
  page_bits varbit[];
  passed bigint;
  -- Whether a group has several entries, whose maps have to be put together before all.
  is_any_of_several boolean;
begin
  for nth in 1 .. cardinality(kinds) loop
    continue when popular[nth] is not null;
    these := campaign_keys_of(kinds[nth], chain_ids[nth], wanted[nth]);
    few_keys := few_keys || these;
    few_groups := few_groups || array_fill(facet_groups[nth], array[cardinality(these)]);
  end loop;

  if rare <> '{}' then
    candidates := case
      when cardinality(kinds) = 1 then few_keys
      else array(
        select key from unnest(few_groups, few_keys) few (grp, key) where grp = any (rare)
        group by key having count(distinct grp) = cardinality(rare)) end;
  end if;
  if cardinality(candidates) <= 300 then
    with passing as materialized (
      select key, block_timestamp, chain_id, core_address, identifier, activity = 'first' and not is_active as is_later
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
    )
    select (select count(*) from passing), array(
      select key from passing order by is_later, block_timestamp desc, chain_id, core_address, identifier
      limit page_size offset skipped)
    into total, keys;
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

  with entries as (
    select entry.grp, map.since, map.bits
    from unnest(facet_groups, popular) entry (grp, facet_key) join facet_maps map using (facet_key)
    union all
    select few.grp, placed.since, set_bit(span.blank, placed.place, 1)
    from unnest(few_groups, few_keys) few (grp, key)
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
  ), counted as (
    select part, since, bits, bit_count(bits) as own, sum(bit_count(bits)) over (order by part, since desc) as upto
    from parts
  ), paged as (
    select since, bits, upto - own as passed_before from counted
    where page_size > 0 and own > 0 and upto > skipped and upto - own < skipped + page_size
    order by part, since desc
  )
  select (select coalesce(max(upto), 0) from counted), min(passed_before),
    coalesce(array_agg(since), '{}'), coalesce(array_agg(bits), '{}')
  into total, passed, page_spans, page_bits
  from paged;

  keys := '{}';
  for nth in 1 .. cardinality(page_spans) loop
    keys := keys || array(
      select campaign_key from campaign_places
      where since = page_spans[nth] and get_bit(page_bits[nth], place) = 1
      order by block_timestamp desc, chain_id, core_address, identifier
      limit page_size - cardinality(keys) offset case nth when 1 then skipped - passed else 0 end);
  end loop;
end
$$;
