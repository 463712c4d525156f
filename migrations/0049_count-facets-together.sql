-- They count all kinds together.
drop function campaign_facet_counts(integer[], text[], bigint[], text[], text, timestamptz, json, integer);
--> statement-breakpoint
drop function facet_counts(text, bigint[], varbit[], bigint, integer);
--> statement-breakpoint
drop function popular_facet_counts(text, bigint[], varbit[], integer);
--> statement-breakpoint
drop function few_facet_counts(text, bigint[], varbit[]);
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
-- A page for each entry of a JSON array, numbered from 1 (see `campaign_page`), all as of one moment. An entry says which
-- `lists_version` it knows the total of; where that is the one of today, it is not counted again. And when it may change all the same, in milliseconds since 1970: when the next campaign starts or
-- ends, where it matters which are active. An entry with a `walk` asks for a page of that; what
-- is given of it says also where the next page goes on, and whether lists have changed since it began.
create or replace function campaign_pages(questions json, instant timestamptz)
returns table (
  nth integer, total integer, lists_version uuid, changes_at double precision, keys bigint[], facet_counts text,
  walk jsonb)
language plpgsql stable rows 1
set plan_cache_mode = force_generic_plan
as $$
declare
  asked record;
  page record;
  newest bigint;
  is_known boolean;
  begins boolean;
begin
  select revision, revised.lists_version into newest, lists_version from data_revisions revised order by revision desc limit 1;
  for asked in
    select * from rows from (json_to_recordset(questions) as (
      groups integer[], kinds text[], chains bigint[], "values" text[], activity text, page_size integer, skipped bigint,
      known_lists uuid, facets json, facet_size integer, walk jsonb
    )) with ordinality as question (
      groups, kinds, chains, "values", activity, page_size, skipped, known_lists, facets, facet_size, walk, nth)
  loop
    nth := asked.nth;
    is_known := asked.known_lists is not distinct from lists_version;
    total := null;
    facet_counts := null;
    changes_at := null;
    walk := null;
    -- One that begins is of now. With one more than the page has, it is known where the next begins.
    walk := jsonb_build_object('began', newest, 'lists', lists_version,
      'newest', case when not asked.walk ? 'newest' then (select max(key) from campaigns) end) || asked.walk;
    -- Nothing has moved since it began if it begins: only the place of its last one has to be found.
    begins := not asked.walk ? 'newest';
    if asked.facets is not null and not is_known then
      select counted.counts, counted.total into facet_counts, total from campaign_facet_counts(
        asked.groups, asked.kinds, asked.chains, asked."values", asked.activity, instant, asked.facets, asked.facet_size) counted;
    end if;
    if asked.page_size = 0 and walk is null and (is_known or total is not null) then
      keys := '{}';
    else
      page := campaign_page(asked.groups, asked.kinds, asked.chains, asked."values", asked.activity, instant,
        asked.page_size + (walk is not null)::integer, asked.skipped, not is_known and total is null, case when not begins then walk end);
      total := coalesce(total, page.total);
      keys := page.keys;
    end if;
    if walk is not null then
      select case when begins then page.keys[:asked.page_size] else walked.keys end, walk || jsonb_build_object('place', place, 'changed', case
        when (walk ->> 'lists')::uuid = lists_version then 'no'
        when exists (select from data_revisions began
          where revision = (walk ->> 'began')::bigint and began.lists_version = (walk ->> 'lists')::uuid) then 'yes'
        else 'unknown' end)
      into keys, walk
      from walk_page(case when begins then page.keys[asked.page_size :] else page.keys end, asked.activity, instant,
        case when begins then 1 else asked.page_size end, walk) walked;
    end if;
    if total is not null and (asked.activity <> 'any' or asked.facets is not null) then
      changes_at := 1000 * extract(epoch from least(
        (select min(start_at) from campaigns where start_at > instant),
        (select min(end_at) from campaigns where end_at > instant)));
    end if;
    return next;
  end loop;
end
$$;
