-- The key in `indexed_facets` of a facet that always has bitmaps; null for all other kinds.
create or replace function built_in_facet(kind text)
returns integer
language sql immutable parallel safe
as $$ select array_position(array['all', 'whitelisted', 'active', 'template'], kind) $$;

-- A facet of more campaigns than this gets bitmaps; the campaigns of a smaller one are looked up in an index.
create or replace function max_unindexed_campaigns()
returns integer
language sql immutable parallel safe
as $$ select 150 $$;

-- If the filters leave at most this number of campaigns, each is checked by itself.
create or replace function max_candidates()
returns integer
language sql immutable parallel safe
as $$ select 300 $$;

-- The number of campaigns at which a segment is full.
create or replace function segment_size()
returns integer
language sql immutable parallel safe
as $$ select 8192 $$;

-- The campaigns of a facet without bitmaps: a lookup in one index.
create or replace function campaign_keys_for_facet(kind text, chain_id bigint, value text)
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

-- All facets of all campaigns, from the facts: the source of all bitmaps.
create or replace view all_campaign_facets as
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
select 'active', 0, '', key from campaigns, active_bitmap_state
where not is_exhausted and coalesce(start_at <= as_of, true) and coalesce(end_at > as_of, true)
union all
select 'template', 0, '', key from campaigns where uses_template_as_is;

-- The positions of the set bits of a bitmap, from 0. Skips blocks of 512 bits without any.
create or replace function bit_positions(bits varbit)
returns table (nth_bit integer)
language sql immutable parallel safe rows 100
as $$
  select (first + sum(length(zeros) + 1) over (partition by first order by nth) - 1)::integer
  from generate_series(0, length(bits) - 1, 512) first
  cross join lateral (select substring(bits from first + 1 for 512) as part offset 0) block
  -- Without what follows the last set bit.
  cross join lateral string_to_table(part::text, '1') with ordinality as gap (zeros, nth)
  where bit_count(part) > 0 and nth <= bit_count(part)
$$;

-- The campaigns that have, of each group, at least one facet: a bitmap for each segment that has any. `facet_groups` are numbered
-- from 1. `facet_keys` are parallel to them, and the campaigns `lookup_keys` of facets without bitmaps to `lookup_groups`. A plain
-- query, so that it becomes part of the query that calls it.
create or replace function matching_bitmaps(
  facet_groups integer[], facet_keys integer[], lookup_groups integer[], lookup_keys bigint[])
returns table (segment bigint, bits varbit)
language sql stable
as $$
  with entries as not materialized (
    select entry.grp, bitmap.segment, bitmap.bits
    from unnest(facet_groups, facet_keys) entry (grp, facet_key) join facet_bitmaps bitmap using (facet_key)
    union all
    select lookup.grp, assigned.segment, set_bit(segments.empty, assigned.bit, 1)
    -- In the order of the index that they are looked up in: there may be thousands.
    from (select * from unnest(lookup_groups, lookup_keys) entry (grp, key) order by key) lookup
    join campaign_bits assigned on assigned.campaign_key = lookup.key
    join bitmap_segments segments using (segment)
  )
  select segment, bit_and(bits)
  from (select grp, segment, bit_or(bits) as bits from entries group by grp, segment) of_groups
  group by segment having count(*) = facet_groups[cardinality(facet_groups)]
$$;

-- The same, one segment after the other, newest first: a caller that stops reading saves the rest.
create or replace function newest_bitmaps(facet_groups integer[], facet_keys integer[])
returns table (segment bigint, bits varbit)
language sql stable
as $$
  select segments.segment, matching.bits
  from (select segment from bitmap_segments order by segment desc) segments
  cross join lateral (
    select bit_and(of_groups.bits) as bits
    from (
      select bit_or(bitmap.bits) as bits
      from unnest(facet_groups, facet_keys) entry (grp, facet_key)
      -- The limit makes the planner look them up one by one.
      cross join lateral (
        select facet_bitmaps.bits from facet_bitmaps where facet_key = entry.facet_key and segment = segments.segment limit 1
      ) bitmap
      group by grp
    ) of_groups
    having count(*) = facet_groups[cardinality(facet_groups)]
  ) matching
  order by segments.segment desc
$$;

-- Those of a few candidates that match all groups of facets, in the order of pages. Looks each candidate up, which costs less
-- than combining bitmaps. The arrays are those of `matching_bitmaps`; the candidates already match all groups without a bitmap.
create or replace function matching_candidates(
  candidates bigint[], facet_groups integer[], facet_keys integer[], lookup_groups integer[], lookup_keys bigint[],
  activity text, instant timestamptz)
returns bigint[]
language plpgsql stable
as $$
declare
  -- A column of campaigns has these two: no bitmap is read.
  only_whitelisted constant boolean := array_position(facet_keys, built_in_facet('whitelisted')) is not null;
  only_templates constant boolean := array_position(facet_keys, built_in_facet('template')) is not null;
  indexed_groups constant integer[] := array(
    select distinct grp from unnest(facet_groups, facet_keys) entry (grp, facet_key)
    where facet_key not in (built_in_facet('whitelisted'), built_in_facet('template')));
begin
  if indexed_groups <> '{}' then
    candidates := array(
      select unnest(candidates)
      intersect
      select found.key from (
        select assigned.campaign_key as key, entry.grp from campaign_bits assigned
        cross join unnest(facet_groups, facet_keys) entry (grp, facet_key)
        join facet_bitmaps bitmap on bitmap.facet_key = entry.facet_key and bitmap.segment = assigned.segment
        where assigned.campaign_key = any (candidates) and entry.grp = any (indexed_groups)
          and get_bit(bitmap.bits, assigned.bit) = 1
        union all
        select lookup.key, lookup.grp from unnest(lookup_groups, lookup_keys) lookup (grp, key) where lookup.grp = any (indexed_groups)
      ) found
      group by found.key having count(distinct found.grp) = cardinality(indexed_groups));
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

-- The next page of a walk (see `campaign_page`) among candidates: those that existed when it began, sorted by their values at
-- that time, after its cursor position (`place`). Returns the new position if there are more.
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
        -- The comparison of rows makes the planner use the index on both columns.
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

-- The campaigns of one segment with a set bit, in the order of pages. For a walk: those after its position that existed when it
-- began and whose sort values have not changed since.
create or replace function segment_page(of_segment bigint, bits varbit, page_size integer, skipped bigint, walk jsonb)
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
  -- Many are read in order from the index.
  if bit_count(bits) > 150 then
    return array(
      select campaign_key from campaign_bits assigned
      where segment = of_segment and block_timestamp <= last_timestamp and get_bit(bits, bit) = 1 and (walk is null or (
        campaign_key <= newest
        and (block_timestamp < last_timestamp or (chain_id, core_address, identifier) > (last_chain, last_core, last_identifier))
        and not exists (select from former_positions former where former.campaign_key = assigned.campaign_key
          and (former.campaign_key, revision) > (assigned.campaign_key, began) and (not is_by_time or former.block_timestamp <> assigned.block_timestamp))))
      order by block_timestamp desc, chain_id, core_address, identifier limit page_size offset skipped);
  end if;
  return array(
    select campaign_key from bit_positions(bits) one
    -- The limit makes the planner look them up one by one.
    cross join lateral (select * from campaign_bits where segment = of_segment and bit = one.nth_bit limit 1) assigned
    where walk is null or (
      campaign_key <= newest and block_timestamp <= last_timestamp
      and (block_timestamp < last_timestamp or (chain_id, core_address, identifier) > (last_chain, last_core, last_identifier))
      and not exists (select from former_positions former where former.campaign_key = assigned.campaign_key
        and (former.campaign_key, revision) > (assigned.campaign_key, began) and (not is_by_time or former.block_timestamp <> assigned.block_timestamp)))
    order by block_timestamp desc, chain_id, core_address, identifier limit page_size offset skipped);
end
$$;

-- Resolves facets to keys: `facet_keys` is parallel to `facet_groups`, null for a facet without bitmaps; `lookup_keys` are the
-- campaigns of those, each with its group. A word of a search is in the name of a campaign, or in the name or the symbol of a
-- token that it pays.
create or replace function resolved_facets(
  inout facet_groups integer[], kinds text[], chain_ids bigint[], facet_values text[],
  out facet_keys integer[], out lookup_groups integer[], out lookup_keys bigint[])
language plpgsql stable
-- One plan is good for all values, so it is made once for a connection.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  -- The values as stored: in lower case, except for kinds that are case-sensitive.
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
  left join indexed_facets facet
    on facet.kind = entry.kind and facet.chain_id = entry.chain_id and facet.value = stored;
  lookup_groups := '{}';
  lookup_keys := '{}';
  if array_position(facet_keys, null) is not null then
    select coalesce(array_agg(grp), '{}'), coalesce(array_agg(key), '{}') into lookup_groups, lookup_keys
    from unnest(facet_groups, kinds, chain_ids, stored_values, facet_keys) entry (grp, kind, chain_id, value, facet_key)
    cross join lateral unnest(campaign_keys_for_facet(kind, chain_id, value)) key
    where facet_key is null;
  end if;
end
$$;

-- One page of the campaigns with a set bit, those that end soonest first; of equal ends the newest first. Few are all sorted;
-- of many, the index by end is read. For a walk as `segment_page`.
create or replace function ending_page(
  segments bigint[], bitmaps varbit[], matching integer, instant timestamptz, page_size integer, skipped bigint, walk jsonb)
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
      select assigned.campaign_key from unnest(segments, bitmaps) of_segment (segment, bits)
      cross join lateral bit_positions(bits) one
      cross join lateral (
        select * from campaign_bits where campaign_bits.segment = of_segment.segment and bit = one.nth_bit limit 1
      ) assigned
      -- The limit makes the planner look them up one by one: it expects millions, and would read all campaigns.
      cross join lateral (select key, end_at from campaigns where key = assigned.campaign_key limit 1) campaign
      where walk is null or (key <= newest
        and (end_at, -assigned.block_timestamp, assigned.chain_id, assigned.core_address, assigned.identifier)
          > (last_end, last_age, last_chain, last_core, last_identifier)
        and not exists (select from former_positions former where former.campaign_key = key and (former.campaign_key, revision) > (key, began)))
      order by end_at, assigned.block_timestamp desc, assigned.chain_id, assigned.core_address, assigned.identifier
      limit page_size offset skipped);
  end if;
  return array(
    select key from campaigns
    cross join lateral (select segment, bit from campaign_bits where campaign_key = key limit 1) assigned
    where end_at > instant and end_at >= last_end and get_bit(bitmaps[array_position(segments, segment)], bit) = 1 and (walk is null or (
      key <= newest
      and (end_at, -block_timestamp, chain_id, core_address, identifier) > (last_end, last_age, last_chain, last_core, last_identifier)
      and not exists (select from former_positions former where former.campaign_key = key and (former.campaign_key, revision) > (key, began))))
    order by end_at, block_timestamp desc, chain_id, core_address, identifier limit page_size offset skipped);
end
$$;

-- A page by bitmaps, for `campaign_page`: `facet_keys`, `lookup_groups` and `lookup_keys` are those of `resolved_facets`.
create or replace function bitmap_page(
  facet_groups integer[], facet_keys integer[], lookup_groups integer[], lookup_keys bigint[],
  activity text, instant timestamptz, page_size integer, skipped bigint, is_counted boolean, walk jsonb,
  out total integer, out keys bigint[])
language plpgsql stable
as $$
declare
  -- The differences between the stored bitmap of active campaigns and that of `instant`.
  moved_segments bigint[]; moved_bits varbit[];
  -- All (null), or active campaigns first and then the others.
  kinds_of_activity constant boolean[] := case activity
    when 'any' then '{null}' when 'first' then '{true,false}' else '{true}' end;
  is_active boolean; is_ahead boolean;
  rows_by_segment refcursor; current record;
  shown varbit;
  -- For `ending`: the matching campaigns of all segments.
  ending_segments bigint[] := '{}'; ending_bitmaps varbit[] := '{}'; ending_count integer := 0;
  -- The position of a walk: whether it is past all active campaigns, and its timestamp. Without a walk, before everything.
  is_behind_active constant boolean := coalesce((walk ->> 'later')::integer = 1, false);
  last_timestamp bigint := coalesce(-(walk ->> 'age')::bigint, 9223372036854775807);
begin
  if activity <> 'any' then
    select array_agg(segment), array_agg(bits) into moved_segments, moved_bits from active_bitmap_changes(instant);
  end if;

  total := case when is_counted then 0 end;
  keys := '{}';
  foreach is_active in array kinds_of_activity loop
    is_ahead := is_active is not true or not is_behind_active;
    continue when not is_ahead and not is_counted;
    if is_counted or lookup_keys <> '{}' or activity = 'ending' then
      open rows_by_segment for
        select segment, bits, (select bits from facet_bitmaps active where is_active is not null
          and active.facet_key = built_in_facet('active') and active.segment = matching.segment) as active
        from matching_bitmaps(facet_groups, facet_keys, lookup_groups, lookup_keys) matching
        where is_counted or activity = 'ending' or segment <= last_timestamp order by segment desc;
    else
      open rows_by_segment for
        select segment, bits, (select bits from facet_bitmaps active where is_active is not null
          and active.facet_key = built_in_facet('active') and active.segment = matching.segment) as active
        from newest_bitmaps(facet_groups, facet_keys) matching where segment <= last_timestamp order by segment desc;
    end if;
    loop
      fetch rows_by_segment into current;
      exit when not found;
      shown := current.bits;
      if is_active is not null then
        current.active := coalesce(current.active, shown & ~shown);
        current.active := current.active # coalesce(moved_bits[array_position(moved_segments, current.segment)], shown & ~shown);
        shown := shown & case when is_active then current.active else ~current.active end;
      end if;
      if is_counted then
        total := total + bit_count(case activity when 'first' then current.bits else shown end);
      end if;
      if activity = 'ending' then
        ending_count := ending_count + bit_count(shown);
        ending_segments := array_append(ending_segments, current.segment);
        ending_bitmaps := array_append(ending_bitmaps, shown);
        continue;
      end if;
      if is_ahead and current.segment <= last_timestamp and skipped < bit_count(shown) and cardinality(keys) < page_size then
        keys := keys || segment_page(current.segment, shown, page_size - cardinality(keys), skipped, walk);
      end if;
      skipped := greatest(skipped - bit_count(shown), 0);
      exit when cardinality(keys) = page_size and not is_counted;
    end loop;
    close rows_by_segment;
    exit when cardinality(keys) = page_size;
    is_counted := false;
    if activity = 'first' and not is_behind_active then
      -- The inactive campaigns are still to come.
      walk := walk - 'age';
      last_timestamp := 9223372036854775807;
    end if;
  end loop;
  if activity = 'ending' and skipped < ending_count and page_size > 0 then
    keys := ending_page(ending_segments, ending_bitmaps, ending_count, instant, page_size, skipped, walk);
  end if;
end
$$;

-- One page of the campaigns that have, of each group, at least one facet (`facet_groups` are numbered from 1, ascending; the
-- other arrays are parallel to it): newest first, ties by chain ID, core address, identifier. With the exact total if
-- `is_counted`. `activity`: 'any', 'only' campaigns that are active at `instant`, or those 'first'; or 'ending'.
--
-- Reads campaigns only of the segments of the page, whatever the filters, the page and the number of campaigns.
--
-- A `walk` continues after a position in the order of the revision `began`, with the campaigns up to the key `newest`. Then the
-- result is not a page but candidates, in any order: the campaigns of the page, and those that have moved since (see
-- `walk_page`).
create or replace function campaign_page(
  facet_groups integer[], kinds text[], chain_ids bigint[], facet_values text[],
  activity text, instant timestamptz, page_size integer, skipped bigint, is_counted boolean,
  walk jsonb default null,
  out total integer, out keys bigint[])
language plpgsql stable
-- One plan is good for all values, so it is made once for a connection.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  -- See resolved_facets.
  facet_keys integer[];
  lookup_groups integer[];
  lookup_keys bigint[];
  -- Groups without any bitmap, and the campaigns that match all of these.
  unindexed_groups integer[];
  candidates bigint[];
  moved bigint[];
begin
  if activity in ('any', 'only') then
    walk := walk || '{"by_time":true}';
  end if;
  select * into facet_groups, facet_keys, lookup_groups, lookup_keys from resolved_facets(facet_groups, kinds, chain_ids, facet_values);
  if array_position(facet_keys, null) is not null then
    unindexed_groups := array(
      select grp from unnest(facet_groups, facet_keys) entry (grp, facet_key) group by grp having count(facet_key) = 0);
    -- A pass over more would cost as much as the bitmaps.
    if unindexed_groups <> '{}' and cardinality(lookup_keys) <= max_candidates() * facet_groups[cardinality(facet_groups)] then
      candidates := lookup_keys;
      if cardinality(unindexed_groups) > 1 or not lookup_groups <@ unindexed_groups then
        candidates := array(
          select key from unnest(lookup_groups, lookup_keys) lookup (grp, key) where grp = any (unindexed_groups)
          group by key having count(distinct grp) = cardinality(unindexed_groups));
      end if;
    end if;
    if cardinality(candidates) <= max_candidates() then
      keys := matching_candidates(candidates, facet_groups, facet_keys, lookup_groups, lookup_keys, activity, instant);
      total := case when is_counted then cardinality(keys) end;
      if walk is null then
        keys := case when skipped < cardinality(keys) then keys[skipped + 1 : skipped + page_size] else '{}' end;
      end if;
      return;
    end if;
  end if;
  select mapped.total, mapped.keys into total, keys from bitmap_page(
    facet_groups, facet_keys, lookup_groups, lookup_keys, activity, instant, page_size, skipped, is_counted, walk) mapped;

  -- Campaigns that had another position in the order when the walk began.
  moved := array(
    select distinct former.campaign_key from former_positions former join campaign_bits assigned using (campaign_key)
    where revision > (walk ->> 'began')::bigint
      and (activity in ('first', 'ending') or former.block_timestamp <> assigned.block_timestamp));
  if unindexed_groups <> '{}' then
    moved := array(
      select key from unnest(lookup_groups, lookup_keys) lookup (grp, key) where grp = any (unindexed_groups) and key = any (moved)
      group by key having count(distinct grp) = cardinality(unindexed_groups));
  end if;
  if moved <> '{}' then
    keys := keys || matching_candidates(moved, facet_groups, facet_keys, lookup_groups, lookup_keys, activity, instant);
  end if;
end
$$;

-- A page for each search of a JSON array, numbered from 1 (see `campaign_page`), all in one snapshot. A search with the current
-- `lists_version` as `known_lists` is not counted again. `changes_at` is when the total may change without a write, in
-- milliseconds since 1970: when the next campaign starts or ends, if activity matters. A search with a `walk` returns a page of
-- it, with the position of the next one, and whether lists have changed since it began.
create or replace function campaign_pages(searches json, instant timestamptz)
returns table (
  nth integer, total integer, lists_version uuid, changes_at double precision, keys bigint[], facet_counts text,
  walk jsonb)
language plpgsql stable rows 1
set plan_cache_mode = force_generic_plan
as $$
declare
  search record;
  page record;
  newest bigint;
  is_known boolean;
  begins boolean;
begin
  select revision, revised.lists_version into newest, lists_version from data_versions revised order by revision desc limit 1;
  for search in
    select * from rows from (json_to_recordset(searches) as (
      groups integer[], kinds text[], chains bigint[], "values" text[], activity text, page_size integer, skipped bigint,
      known_lists uuid, facets json, facet_size integer, walk jsonb
    )) with ordinality as each_search (
      groups, kinds, chains, "values", activity, page_size, skipped, known_lists, facets, facet_size, walk, nth)
  loop
    nth := search.nth;
    is_known := search.known_lists is not distinct from lists_version;
    total := null;
    facet_counts := null;
    changes_at := null;
    walk := null;
    -- A new walk begins now. One campaign more than the page shows whether there is a next one.
    walk := jsonb_build_object('began', newest, 'lists', lists_version,
      'newest', case when not search.walk ? 'newest' then (select max(key) from campaigns) end) || search.walk;
    -- Nothing has moved since a walk that begins now: only the position of its last campaign has to be found.
    begins := not search.walk ? 'newest';
    if search.facets is not null and not is_known then
      select counted.counts, counted.total into facet_counts, total from campaign_facet_counts(
        search.groups, search.kinds, search.chains, search."values", search.activity, instant, search.facets, search.facet_size) counted;
    end if;
    if search.page_size = 0 and walk is null and (is_known or total is not null) then
      keys := '{}';
    else
      page := campaign_page(search.groups, search.kinds, search.chains, search."values", search.activity, instant,
        search.page_size + (walk is not null)::integer, search.skipped, not is_known and total is null, case when not begins then walk end);
      total := coalesce(total, page.total);
      keys := page.keys;
    end if;
    if walk is not null then
      select case when begins then page.keys[:search.page_size] else page_of_walk.keys end, walk || jsonb_build_object('place', place, 'changed', case
        when (walk ->> 'lists')::uuid = lists_version then 'no'
        when exists (select from data_versions began
          where revision = (walk ->> 'began')::bigint and began.lists_version = (walk ->> 'lists')::uuid) then 'yes'
        else 'unknown' end)
      into keys, walk
      from walk_page(case when begins then page.keys[search.page_size :] else page.keys end, search.activity, instant,
        case when begins then 1 else search.page_size end, walk) page_of_walk;
    end if;
    if total is not null and (search.activity <> 'any' or search.facets is not null) then
      changes_at := 1000 * extract(epoch from least(
        (select min(start_at) from campaigns where start_at > instant),
        (select min(end_at) from campaigns where end_at > instant)));
    end if;
    return next;
  end loop;
end
$$;
