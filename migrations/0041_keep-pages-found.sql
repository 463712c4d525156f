-- Of few candidates, those that can be found by all groups of facets, in the order of pages: looked up one by one, which costs
-- less than to put maps together. The arrays are those of `matching_maps`; the candidates have been found by all groups
-- without a map.
create or replace function matching_candidates(
  candidates bigint[], facet_groups integer[], facet_keys integer[], few_groups integer[], few_keys bigint[],
  activity text, instant timestamptz)
returns bigint[]
language plpgsql stable
as $$
declare
  -- What a column says needs no map.
  only_whitelisted constant boolean := array_position(facet_keys, built_in_facet('whitelisted')) is not null;
  only_templates constant boolean := array_position(facet_keys, built_in_facet('template')) is not null;
  mapped_groups constant integer[] := array(
    select distinct grp from unnest(facet_groups, facet_keys) entry (grp, facet_key)
    where facet_key not in (built_in_facet('whitelisted'), built_in_facet('template')));
begin
  if mapped_groups <> '{}' then
    candidates := array(
      select unnest(candidates)
      intersect
      select found.key from (
        select placed.campaign_key as key, entry.grp from campaign_places placed
        cross join unnest(facet_groups, facet_keys) entry (grp, facet_key)
        join facet_maps map on map.facet_key = entry.facet_key and map.since = placed.since
        where placed.campaign_key = any (candidates) and entry.grp = any (mapped_groups)
          and get_bit(map.bits, placed.place) = 1
        union all
        select few.key, few.grp from unnest(few_groups, few_keys) few (grp, key) where few.grp = any (mapped_groups)
      ) found
      group by found.key having count(distinct found.grp) = cardinality(mapped_groups));
  end if;
  return array(
    select key
    from campaigns, lateral (
      select not is_exhausted and coalesce(start_at <= instant, true) and coalesce(end_at > instant, true) as is_active
    ) now
    where key = any (candidates) and (is_active or activity in ('any', 'first')) and (has_whitelisted_rewards or not only_whitelisted)
      and (uses_template_as_is or not only_templates)
    order by case when activity = 'ending' then end_at end, activity = 'first' and not is_active, block_timestamp desc, chain_id, core_address, identifier);
end
$$;
--> statement-breakpoint
-- One page of the campaigns that can be found by all of some groups of facets, by any of a group (`facet_groups` are numbered
-- from 1, ascending, the other arrays are parallel to it); newest first, ties on chain ID, core address, identifier. And how
-- many there are in all, exact, where that is asked for. `activity`: 'any', 'only' active ones at an `instant`, or those
-- 'first'.
--
-- Of the campaigns themselves only those of the page's own spans are read: whatever the filters, the page and the number of
-- campaigns.
--
-- A page of a `walk` goes on behind a place in the order that there was when it began, after the revision `began`, with the
-- campaigns up to the key `newest`: so in place of a page it has its campaigns in any order, and all others for which there is
-- more to say (see `walk_page`).
create or replace function campaign_page(
  facet_groups integer[], kinds text[], chain_ids bigint[], facet_values text[],
  activity text, instant timestamptz, page_size integer, skipped bigint, is_counted boolean,
  walk jsonb default null,
  out total integer, out keys bigint[])
language plpgsql stable
-- Every statement here is right for all values, so it is planned once for a connection.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  -- See resolved_facets.
  facet_keys integer[];
  few_groups integer[];
  few_keys bigint[];
  -- Groups of which nothing has a map, and the campaigns that all of these have.
  rare_groups integer[];
  candidates bigint[];
  -- Where the map of active ones is not that of the `instant`.
  moved_spans bigint[];
  moved_bits varbit[];
  -- All (null), active ones, and those that are not, one after the other.
  kinds_of_activity constant boolean[] := case activity
    when 'any' then '{null}' when 'first' then '{true,false}' else '{true}' end;
  is_active boolean;
  spans refcursor;
  span record;
  shown varbit;
  -- Those that end, of all spans.
  ending_spans bigint[] := '{}';
  ending_maps varbit[] := '{}';
  ending_count integer := 0;
  -- The place of a walk: whether it is behind all active ones, and its time. Without one, all is ahead.
  is_behind_active constant boolean := coalesce((walk ->> 'later')::integer = 1, false);
  last_timestamp bigint := coalesce(-(walk ->> 'age')::bigint, 9223372036854775807);
  is_ahead boolean;
  moved bigint[];
begin
  if activity in ('any', 'only') then
    walk := walk || '{"by_time":true}';
  end if;
  select * into facet_groups, facet_keys, few_groups, few_keys from resolved_facets(facet_groups, kinds, chain_ids, facet_values);
  if array_position(facet_keys, null) is not null then
    rare_groups := array(
      select grp from unnest(facet_groups, facet_keys) entry (grp, facet_key) group by grp having count(facet_key) = 0);
    -- Where they are more, each pass over them would cost as much as the maps.
    if rare_groups <> '{}' and cardinality(few_keys) <= max_candidates() * facet_groups[cardinality(facet_groups)] then
      candidates := few_keys;
      if cardinality(rare_groups) > 1 or not few_groups <@ rare_groups then
        candidates := array(
          select key from unnest(few_groups, few_keys) few (grp, key) where grp = any (rare_groups)
          group by key having count(distinct grp) = cardinality(rare_groups));
      end if;
    end if;
    if cardinality(candidates) <= max_candidates() then
      keys := matching_candidates(candidates, facet_groups, facet_keys, few_groups, few_keys, activity, instant);
      total := case when is_counted then cardinality(keys) end;
      if walk is null then
        keys := case when skipped < cardinality(keys) then keys[skipped + 1 : skipped + page_size] else '{}' end;
      end if;
      return;
    end if;
  end if;
  if activity <> 'any' then
    select array_agg(since), array_agg(bits) into moved_spans, moved_bits from campaign_activity_moved(instant);
  end if;

  total := case when is_counted then 0 end;
  keys := '{}';
  foreach is_active in array kinds_of_activity loop
    is_ahead := is_active is not true or not is_behind_active;
    continue when not is_ahead and not is_counted;
    if is_counted or few_keys <> '{}' or activity = 'ending' then
      open spans for
        select since, bits, (select bits from facet_maps active where is_active is not null
          and active.facet_key = built_in_facet('active') and active.since = matching.since) as active
        from matching_maps(facet_groups, facet_keys, few_groups, few_keys) matching
        where is_counted or activity = 'ending' or since <= last_timestamp order by since desc;
    else
      open spans for
        select since, bits, (select bits from facet_maps active where is_active is not null
          and active.facet_key = built_in_facet('active') and active.since = matching.since) as active
        from newest_maps(facet_groups, facet_keys) matching where since <= last_timestamp order by since desc;
    end if;
    loop
      fetch spans into span;
      exit when not found;
      shown := span.bits;
      if is_active is not null then
        span.active := coalesce(span.active, shown & ~shown);
        span.active := span.active # coalesce(moved_bits[array_position(moved_spans, span.since)], shown & ~shown);
        shown := shown & case when is_active then span.active else ~span.active end;
      end if;
      if is_counted then
        total := total + bit_count(case activity when 'first' then span.bits else shown end);
      end if;
      if activity = 'ending' then
        ending_count := ending_count + bit_count(shown);
        ending_spans := array_append(ending_spans, span.since);
        ending_maps := array_append(ending_maps, shown);
        continue;
      end if;
      if is_ahead and span.since <= last_timestamp and skipped < bit_count(shown) and cardinality(keys) < page_size then
        keys := keys || span_page(span.since, shown, page_size - cardinality(keys), skipped, walk);
      end if;
      skipped := greatest(skipped - bit_count(shown), 0);
      exit when cardinality(keys) = page_size and not is_counted;
    end loop;
    close spans;
    exit when cardinality(keys) = page_size;
    is_counted := false;
    if not is_behind_active then
      -- All that are not active are ahead.
      walk := walk - 'age';
      last_timestamp := 9223372036854775807;
    end if;
  end loop;
  if activity = 'ending' and skipped < ending_count and page_size > 0 then
    keys := ending_page(ending_spans, ending_maps, ending_count, instant, page_size, skipped, walk);
  end if;

  -- What was elsewhere in the order when the walk began.
  moved := array(
    select distinct former.campaign_key from former_positions former join campaign_places placed using (campaign_key)
    where revision > (walk ->> 'began')::bigint
      and (activity in ('first', 'ending') or former.block_timestamp <> placed.block_timestamp));
  if rare_groups <> '{}' then
    moved := array(
      select key from unnest(few_groups, few_keys) few (grp, key) where grp = any (rare_groups) and key = any (moved)
      group by key having count(distinct grp) = cardinality(rare_groups));
  end if;
  if moved <> '{}' then
    keys := keys || matching_candidates(moved, facet_groups, facet_keys, few_groups, few_keys, activity, instant);
  end if;
end
$$;
--> statement-breakpoint
-- A page for each entry of a JSON array, numbered from 1 (see `campaign_page`), all as of one moment. An entry says which
-- `lists_version` it knows the total of, and the `keys` of the page where it knows these too; where that is the one of today, neither
-- is looked for again. And when either may change all the same, in milliseconds since 1970: when the next campaign starts or
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
begin
  select revision, revised.lists_version into newest, lists_version from data_revisions revised order by revision desc limit 1;
  for asked in
    select * from rows from (json_to_recordset(questions) as (
      groups integer[], kinds text[], chains bigint[], "values" text[], activity text, page_size integer, skipped bigint,
      known_lists uuid, keys bigint[], facets json, facet_size integer, walk jsonb
    )) with ordinality as question (
      groups, kinds, chains, "values", activity, page_size, skipped, known_lists, keys, facets, facet_size, walk, nth)
  loop
    nth := asked.nth;
    is_known := asked.known_lists is not distinct from lists_version;
    total := null;
    facet_counts := null;
    changes_at := null;
    keys := case when is_known then asked.keys end;
    walk := null;
    if keys is not null then
      return next;
      continue;
    end if;
    -- One that begins is of now. With one more than the page has, it is known where the next begins.
    walk := jsonb_build_object('began', newest, 'lists', lists_version,
      'newest', case when not asked.walk ? 'newest' then (select max(key) from campaigns) end) || asked.walk;
    page := campaign_page(asked.groups, asked.kinds, asked.chains, asked."values", asked.activity, instant,
      asked.page_size + (walk is not null)::integer, asked.skipped, not is_known, walk);
    total := page.total;
    keys := page.keys;
    if walk is not null then
      select walked.keys, walk || jsonb_build_object('place', place, 'changed', case
        when (walk ->> 'lists')::uuid = lists_version then 'no'
        when exists (select from data_revisions began
          where revision = (walk ->> 'began')::bigint and began.lists_version = (walk ->> 'lists')::uuid) then 'yes'
        else 'unknown' end)
      into keys, walk from walk_page(page.keys, asked.activity, instant, asked.page_size, walk) walked;
    end if;
    if total is not null and asked.facets is not null then
      facet_counts := campaign_facet_counts(
        asked.groups, asked.kinds, asked.chains, asked."values", asked.activity, instant, asked.facets, asked.facet_size)::text;
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
