-- The keys that what there are always maps of has in `popular_facets`; null for all else that campaigns can be found by.
create or replace function built_in_facet(kind text)
returns integer
language sql immutable parallel safe
as $$ select array_position(array['all', 'whitelisted', 'active', 'template'], kind) $$;

-- What more campaigns than this can be found by has maps; so many are looked up one by one.
create or replace function max_unmapped_campaigns()
returns integer
language sql immutable parallel safe
as $$ select 150 $$;

-- So many campaigns are looked at one by one, where the filters leave no more.
create or replace function max_candidates()
returns integer
language sql immutable parallel safe
as $$ select 300 $$;

-- From this number of campaigns on a span is full.
create or replace function full_span()
returns integer
language sql immutable parallel safe
as $$ select 8192 $$;

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
    when 'id' then return array(select key from campaigns where id = value);
    when 'reward' then return array(
      select distinct campaign_key from incentives where incentives.chain_id = chain_id and asset = value);
    when 'incentive' then return array(select distinct campaign_key from incentives where type = value);
    when 'word' then return array(select key from campaigns where word_starts(campaign_name) @@ words_query(value));
    when 'ending' then return array(select key from campaigns where end_at is not null);
    when 'tokens' then return array(
      select distinct campaign_key from campaign_facets where campaign_facets.kind = 'token' and campaign_facets.chain_id = chain_id);
    when 'action' then return array(
      select campaigns.key from action_templates template join campaigns on action_template_id = template.id
      where fold_case(action_type) = value);
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
-- Any token of a chain.
select distinct 'tokens', chain_id, '', campaign_key from campaign_facets where kind = 'token'
union all
select distinct 'reward', chain_id, asset, campaign_key from incentives where asset is not null
union all
select distinct 'incentive', 0::bigint, type, campaign_key from incentives
union all
select 'action', 0, fold_case(action_type), campaigns.key
from campaigns join action_templates template on template.id = action_template_id
union all
select 'ending', 0, '', key from campaigns where end_at is not null
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

-- The maps of all campaigns that can be found by all of some groups of facets, by any of a group: for the spans in which there
-- are any. `facet_groups` are numbered from 1; `facet_keys` and the campaigns `few_keys`, which are found by what has no map,
-- are parallel to their groups. Becomes a part of the statement that asks.
create or replace function matching_maps(
  facet_groups integer[], facet_keys integer[], few_groups integer[], few_keys bigint[])
returns table (since bigint, bits varbit)
language sql stable
as $$
  with entries as not materialized (
    select entry.grp, map.since, map.bits
    from unnest(facet_groups, facet_keys) entry (grp, facet_key) join facet_maps map using (facet_key)
    union all
    select few.grp, placed.since, set_bit(span.blank, placed.place, 1)
    -- In the order of the index that they are looked up in: there may be thousands.
    from (select * from unnest(few_groups, few_keys) entry (grp, key) order by key) few
    join campaign_places placed on placed.campaign_key = few.key
    join campaign_spans span using (since)
  )
  select since, bit_and(bits)
  from (select grp, since, bit_or(bits) as bits from entries group by grp, since) of_groups
  group by since having count(*) = facet_groups[cardinality(facet_groups)]
$$;

-- The same, one span after the other, newest first: whoever stops reading leaves the rest undone.
create or replace function newest_maps(facet_groups integer[], facet_keys integer[])
returns table (since bigint, bits varbit)
language sql stable
as $$
  select span.since, matching.bits
  from (select since from campaign_spans order by since desc) span
  cross join lateral (
    select bit_and(of_groups.bits) as bits
    from (
      select bit_or(map.bits) as bits
      from unnest(facet_groups, facet_keys) entry (grp, facet_key)
      -- Looked up one by one, which the limit keeps the planner to.
      cross join lateral (
        select facet_maps.bits from facet_maps where facet_key = entry.facet_key and since = span.since limit 1
      ) map
      group by grp
    ) of_groups
    having count(*) = facet_groups[cardinality(facet_groups)]
  ) matching
  order by span.since desc
$$;

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

-- The first campaigns of some in the order of a walk (see `campaign_page`), behind its place: those that were there when it began,
-- sorted by what they were then. And the place of the last of them, where there are more.
create or replace function walk_page(
  candidates bigint[], activity text, instant timestamptz, page_size integer, walk jsonb,
  out keys bigint[], out place jsonb)
language plpgsql stable
set plan_cache_mode = force_generic_plan
as $$
begin
  with sorted as (
    select key, (activity = 'first' and (was.is_exhausted or was.start_at > instant or was.end_at <= instant) is true)::integer as later,
      case activity when 'ending' then coalesce(was.end_at, 'infinity') else 'infinity' end as ends,
      -was.block_timestamp as age, chain_id, core_address, identifier
    from campaigns
    cross join lateral (
      select * from (
        -- Compared as a row, which keeps the planner to the index by both.
        select campaign_key, block_timestamp, start_at, end_at, is_exhausted from former_positions
        where (campaign_key, revision) > (key, (walk ->> 'began')::bigint)
        order by campaign_key, revision limit 1
      ) former
      where campaign_key = key
      union all
      select null, campaigns.block_timestamp, campaigns.start_at, campaigns.end_at, campaigns.is_exhausted
      limit 1
    ) was
    where key = any (candidates) and key <= (walk ->> 'newest')::bigint
  ), ahead as (
    select *, row_number() over (order by later, ends, age, chain_id, core_address, identifier) as nth
    from sorted
    where not walk ? 'age' or (later, ends, age, chain_id, core_address, identifier) > (
      (walk ->> 'later')::integer, (walk ->> 'ends')::timestamptz, (walk ->> 'age')::bigint,
      (walk ->> 'chain')::bigint, walk ->> 'core', (walk ->> 'identifier')::numeric)
    order by nth limit page_size + 1
  )
  select coalesce(array_agg(key order by nth) filter (where nth <= page_size), '{}'),
    case when count(*) > page_size then (jsonb_agg(jsonb_build_object(
      'later', later, 'ends', ends, 'age', age, 'chain', chain_id, 'core', core_address, 'identifier', identifier::text
    )) filter (where nth = page_size)) -> 0 end
  into keys, place from ahead;
end
$$;

-- Some campaigns of a span, of those with a bit, in the order of pages. Of a walk: behind its place, those that were there when it
-- began and are still where they were.
create or replace function span_page(span bigint, bits varbit, page_size integer, skipped bigint, walk jsonb)
returns bigint[]
language plpgsql stable
as $$
declare
  began constant bigint := walk ->> 'began';
  newest constant bigint := walk ->> 'newest';
  is_by_time constant boolean := coalesce((walk ->> 'by_time')::boolean, false);
  last_timestamp constant bigint := coalesce(-(walk ->> 'age')::bigint, 9223372036854775807);
  last_chain constant bigint := walk ->> 'chain';
  last_core constant text := walk ->> 'core';
  last_identifier constant numeric := walk ->> 'identifier';
begin
  -- Where a span has many, they are read in their order.
  if bit_count(bits) > 150 then
    return array(
      select campaign_key from campaign_places placed
      where since = span and block_timestamp <= last_timestamp and get_bit(bits, place) = 1 and (walk is null or (
        campaign_key <= newest
        and (block_timestamp < last_timestamp or (chain_id, core_address, identifier) > (last_chain, last_core, last_identifier))
        and not exists (select from former_positions former where former.campaign_key = placed.campaign_key
          and (former.campaign_key, revision) > (placed.campaign_key, began) and (not is_by_time or former.block_timestamp <> placed.block_timestamp))))
      order by block_timestamp desc, chain_id, core_address, identifier limit page_size offset skipped);
  end if;
  return array(
    select campaign_key from bit_places(bits) one
    -- Also one by one.
    cross join lateral (select * from campaign_places where since = span and place = one.place limit 1) placed
    where walk is null or (
      campaign_key <= newest and block_timestamp <= last_timestamp
      and (block_timestamp < last_timestamp or (chain_id, core_address, identifier) > (last_chain, last_core, last_identifier))
      and not exists (select from former_positions former where former.campaign_key = placed.campaign_key
        and (former.campaign_key, revision) > (placed.campaign_key, began) and (not is_by_time or former.block_timestamp <> placed.block_timestamp)))
    order by block_timestamp desc, chain_id, core_address, identifier limit page_size offset skipped);
end
$$;

-- What is asked for, as maps are found: `facet_keys`, null for the entries that have no map, parallel to `facet_groups`; and the
-- campaigns `few_keys` of those entries, each with its group. A word of a search is in the name of a campaign, or in the name
-- or the symbol of a token that it pays.
create or replace function resolved_facets(
  inout facet_groups integer[], kinds text[], chain_ids bigint[], facet_values text[],
  out facet_keys integer[], out few_groups integer[], out few_keys bigint[])
language plpgsql stable
-- Every statement here is right for all values, so it is planned once for a connection.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  -- The values as they are stored: with their case folded, but for the kinds that are compared with it.
  stored_values text[];
begin
  if 'word' = any (kinds) then
    select array_agg(grp order by nth), array_agg(kind order by nth), array_agg(chain_id order by nth),
      array_agg(value order by nth)
    into facet_groups, kinds, chain_ids, facet_values
    from (
      select *, row_number() over (order by grp, kind, chain_id, value) as nth from (
      select * from unnest(facet_groups, kinds, chain_ids, facet_values) entry (grp, kind, chain_id, value)
      union all
      select entry.grp, 'reward', token.chain_id, token.address
      from unnest(facet_groups, kinds, facet_values) entry (grp, kind, value)
      join tokens token on word_starts(name || ' ' || symbol) @@ words_query(entry.value)
      where entry.kind = 'word'
      ) all_entries
    ) numbered;
  end if;
  select array_agg(stored order by nth), array_agg(facet.key order by nth) into stored_values, facet_keys
  from unnest(kinds, chain_ids, facet_values) with ordinality entry (kind, chain_id, value, nth)
  cross join lateral (
    select case when entry.kind in ('autocampaign', 'incentive') then entry.value else fold_case(entry.value) end
  ) as written (stored)
  left join popular_facets facet
    on facet.kind = entry.kind and facet.chain_id = entry.chain_id and facet.value = stored;
  few_groups := '{}';
  few_keys := '{}';
  if array_position(facet_keys, null) is not null then
    select coalesce(array_agg(grp), '{}'), coalesce(array_agg(key), '{}') into few_groups, few_keys
    from unnest(facet_groups, kinds, chain_ids, stored_values, facet_keys) entry (grp, kind, chain_id, value, facet_key)
    cross join lateral unnest(campaign_keys_of(kind, chain_id, value)) key
    where facet_key is null;
  end if;
end
$$;

-- One page of campaigns with a bit in some maps, those first that end soonest; of equal ends the newest first. Where they are
-- few, all are sorted; else those that end are looked through in their order. Of a walk as `span_page`.
create or replace function ending_page(
  spans bigint[], maps varbit[], matching integer, instant timestamptz, page_size integer, skipped bigint, walk jsonb)
returns bigint[]
language plpgsql stable
as $$
declare
  began constant bigint := walk ->> 'began';
  newest constant bigint := walk ->> 'newest';
  last_end constant timestamptz := coalesce((walk ->> 'ends')::timestamptz, '-infinity');
  last_age constant bigint := coalesce((walk ->> 'age')::bigint, 0);
  last_chain constant bigint := coalesce((walk ->> 'chain')::bigint, 0);
  last_core constant text := coalesce(walk ->> 'core', '');
  last_identifier constant numeric := coalesce((walk ->> 'identifier')::numeric, 0);
begin
  if matching <= 3000 then
    return array(
      select placed.campaign_key from unnest(spans, maps) of_span (since, bits)
      cross join lateral bit_places(bits) one
      cross join lateral (
        select * from campaign_places where campaign_places.since = of_span.since and place = one.place limit 1
      ) placed
      -- One by one: the planner takes them for millions, and would read all campaigns.
      cross join lateral (select key, end_at from campaigns where key = placed.campaign_key limit 1) campaign
      where walk is null or (key <= newest
        and (end_at, -placed.block_timestamp, placed.chain_id, placed.core_address, placed.identifier)
          > (last_end, last_age, last_chain, last_core, last_identifier)
        and not exists (select from former_positions former where former.campaign_key = key and (former.campaign_key, revision) > (key, began)))
      order by end_at, placed.block_timestamp desc, placed.chain_id, placed.core_address, placed.identifier
      limit page_size offset skipped);
  end if;
  return array(
    select key from campaigns
    cross join lateral (select since, place from campaign_places where campaign_key = key limit 1) placed
    where end_at > instant and end_at >= last_end and get_bit(maps[array_position(spans, since)], place) = 1 and (walk is null or (
      key <= newest
      and (end_at, -block_timestamp, chain_id, core_address, identifier) > (last_end, last_age, last_chain, last_core, last_identifier)
      and not exists (select from former_positions former where former.campaign_key = key and (former.campaign_key, revision) > (key, began))))
    order by end_at, block_timestamp desc, chain_id, core_address, identifier limit page_size offset skipped);
end
$$;

-- What `campaign_page` finds by maps: `facet_keys`, `few_groups` and `few_keys` are those of `resolved_facets`.
create or replace function mapped_page(
  facet_groups integer[], facet_keys integer[], few_groups integer[], few_keys bigint[],
  activity text, instant timestamptz, page_size integer, skipped bigint, is_counted boolean, walk jsonb,
  out total integer, out keys bigint[])
language plpgsql stable
as $$
declare
  -- Where the map of active ones is not that of the `instant`.
  moved_spans bigint[]; moved_bits varbit[];
  -- All (null), active ones, and those that are not, one after the other.
  kinds_of_activity constant boolean[] := case activity
    when 'any' then '{null}' when 'first' then '{true,false}' else '{true}' end;
  is_active boolean; is_ahead boolean;
  spans refcursor; span record;
  shown varbit;
  -- Those that end, of all spans.
  ending_spans bigint[] := '{}'; ending_maps varbit[] := '{}'; ending_count integer := 0;
  -- The place of a walk: whether it is behind all active ones, and its time. Without one, all is ahead.
  is_behind_active constant boolean := coalesce((walk ->> 'later')::integer = 1, false);
  last_timestamp bigint := coalesce(-(walk ->> 'age')::bigint, 9223372036854775807);
begin
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
end
$$;

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
  select mapped.total, mapped.keys into total, keys from mapped_page(
    facet_groups, facet_keys, few_groups, few_keys, activity, instant, page_size, skipped, is_counted, walk) mapped;

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

-- The same for processes of the version before, until they are replaced.
create or replace function campaign_page(
  facet_groups integer[], kinds text[], chain_ids bigint[], facet_values text[],
  only_whitelisted boolean, only_templates boolean, activity text, instant timestamptz, page_size integer, skipped bigint,
  out total integer, out keys bigint[])
language sql stable
as $$
  select page.total, page.keys
  from (
    select array_remove(array[
      case when only_whitelisted then 'whitelisted' end, case when only_templates then 'template' end,
      case when kinds = '{}' and not only_whitelisted and not only_templates then 'all' end], null) as added
  ) built_in
  cross join lateral (
    select array_agg(coalesce(facet_groups[cardinality(facet_groups)], 0) + nth order by nth)::integer[] as added_groups,
      array_agg(0::bigint) as added_chains, array_agg(''::text) as added_values
    from generate_subscripts(added, 1) nth
  ) entries
  cross join lateral campaign_page(facet_groups || added_groups, kinds || added, chain_ids || added_chains,
    facet_values || added_values, activity, instant, page_size, skipped, true) page
$$;

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
