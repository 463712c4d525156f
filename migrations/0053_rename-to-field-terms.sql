-- Names that the field uses. Nothing is rewritten: tables, columns, constraints, indexes and triggers are renamed, functions are
-- created again. Processes of earlier versions cannot use the new names (see docs/guides/upgrading.md).
alter table popular_facets rename to indexed_facets;
--> statement-breakpoint
alter table facet_maps rename to facet_bitmaps;
--> statement-breakpoint
alter table campaign_spans rename to bitmap_segments;
--> statement-breakpoint
alter table campaign_places rename to campaign_bits;
--> statement-breakpoint
alter table campaign_activity rename to active_bitmap_state;
--> statement-breakpoint
alter table data_revisions rename to data_versions;
--> statement-breakpoint
alter table facet_bitmaps rename column since to segment;
--> statement-breakpoint
alter table bitmap_segments rename column since to segment;
--> statement-breakpoint
alter table bitmap_segments rename column place_count to used_bits;
--> statement-breakpoint
alter table bitmap_segments rename column blank to empty;
--> statement-breakpoint
alter table campaign_bits rename column since to segment;
--> statement-breakpoint
alter table campaign_bits rename column place to bit;
--> statement-breakpoint
alter table data_versions rename column identity to epoch;
--> statement-breakpoint
alter table data_versions rename column alters_lists to affects_lists;
--> statement-breakpoint
alter table changes rename column identity to epoch;
--> statement-breakpoint
alter table indexed_facets rename constraint popular_facets_pkey to indexed_facets_pkey;
--> statement-breakpoint
alter table indexed_facets rename constraint popular_facets_are_unique to indexed_facets_are_unique;
--> statement-breakpoint
alter table facet_bitmaps rename constraint facet_maps_facet_key_popular_facets_key_fk to facet_bitmaps_facet_key_indexed_facets_key_fk;
--> statement-breakpoint
alter table facet_bitmaps rename constraint facet_maps_facet_key_since_pk to facet_bitmaps_facet_key_segment_pk;
--> statement-breakpoint
alter table bitmap_segments rename constraint campaign_spans_pkey to bitmap_segments_pkey;
--> statement-breakpoint
alter table bitmap_segments rename constraint campaign_spans_have_room to bitmap_segments_have_room;
--> statement-breakpoint
alter table campaign_bits rename constraint campaign_places_pkey to campaign_bits_pkey;
--> statement-breakpoint
alter table campaign_bits rename constraint campaign_places_are_not_negative to campaign_bits_are_not_negative;
--> statement-breakpoint
alter table campaign_bits rename constraint campaign_places_campaign_key_campaigns_key_fk to campaign_bits_campaign_key_campaigns_key_fk;
--> statement-breakpoint
alter table active_bitmap_state rename constraint campaign_activity_pkey to active_bitmap_state_pkey;
--> statement-breakpoint
alter table active_bitmap_state rename constraint campaign_activity_has_one_row to active_bitmap_state_has_one_row;
--> statement-breakpoint
alter table data_versions rename constraint data_revisions_pkey to data_versions_pkey;
--> statement-breakpoint
alter table campaigns rename constraint campaigns_place_is_unique to campaigns_identifier_is_unique;
--> statement-breakpoint
alter index facet_maps_by_span rename to facet_bitmaps_by_segment;
--> statement-breakpoint
alter index campaign_places_by_place rename to campaign_bits_by_bit;
--> statement-breakpoint
alter index campaign_places_by_recency rename to campaign_bits_by_recency;
--> statement-breakpoint
alter sequence popular_facets_key_seq rename to indexed_facets_key_seq;
--> statement-breakpoint
alter view campaign_memberships rename to all_campaign_facets;
--> statement-breakpoint
alter function count_mapped_campaigns() rename to count_indexed_campaigns;
--> statement-breakpoint
alter function remember_position() rename to record_former_position;
--> statement-breakpoint
alter function renew_token_version() rename to bump_token_version;
--> statement-breakpoint
alter function revise_data_before_write() rename to bump_data_version_before_write;
--> statement-breakpoint
alter function count_for_creator() rename to sync_creator_totals;
--> statement-breakpoint
alter trigger data_is_revised on access_list_members rename to bump_data_version;
--> statement-breakpoint
alter trigger data_is_revised on access_lists rename to bump_data_version;
--> statement-breakpoint
alter trigger data_is_revised on action_steps rename to bump_data_version;
--> statement-breakpoint
alter trigger data_is_revised on action_templates rename to bump_data_version;
--> statement-breakpoint
alter trigger data_is_revised on allow_list_addresses rename to bump_data_version;
--> statement-breakpoint
alter trigger data_is_revised on allow_lists rename to bump_data_version;
--> statement-breakpoint
alter trigger data_is_revised on campaign_documents rename to bump_data_version;
--> statement-breakpoint
alter trigger data_is_revised on campaign_facets rename to bump_data_version;
--> statement-breakpoint
alter trigger data_is_revised on campaigns rename to bump_data_version;
--> statement-breakpoint
alter trigger position_is_remembered on campaigns rename to record_former_position;
--> statement-breakpoint
alter trigger data_is_revised on claim_signatures rename to bump_data_version;
--> statement-breakpoint
alter trigger data_is_revised on claims rename to bump_data_version;
--> statement-breakpoint
alter trigger data_is_revised on contracts rename to bump_data_version;
--> statement-breakpoint
alter trigger campaigns_are_counted_when_added on facet_bitmaps rename to count_indexed_campaigns_after_insert;
--> statement-breakpoint
alter trigger campaigns_are_counted_when_changed on facet_bitmaps rename to count_indexed_campaigns_after_update;
--> statement-breakpoint
alter trigger campaigns_are_counted_when_removed on facet_bitmaps rename to count_indexed_campaigns_after_delete;
--> statement-breakpoint
alter trigger data_is_revised on feed_prices rename to bump_data_version;
--> statement-breakpoint
alter trigger data_is_revised on imported_prices rename to bump_data_version;
--> statement-breakpoint
alter trigger data_is_revised on incentives rename to bump_data_version;
--> statement-breakpoint
alter trigger creator_is_counted on indexed_facets rename to sync_creator_totals_after_insert;
--> statement-breakpoint
alter trigger creator_is_counted_no_more on indexed_facets rename to sync_creator_totals_after_delete;
--> statement-breakpoint
alter trigger data_is_revised on priced_tokens rename to bump_data_version;
--> statement-breakpoint
alter trigger data_is_revised on tokens rename to bump_data_version;
--> statement-breakpoint
alter trigger token_version_is_renewed_by_delete on tokens rename to bump_token_version_after_delete;
--> statement-breakpoint
alter trigger token_version_is_renewed_by_insert on tokens rename to bump_token_version_after_insert;
--> statement-breakpoint
alter trigger token_version_is_renewed_by_truncate on tokens rename to bump_token_version_after_truncate;
--> statement-breakpoint
alter trigger token_version_is_renewed_by_update on tokens rename to bump_token_version_after_update;
--> statement-breakpoint
drop function
  active_rewards(timestamptz),
  advance_campaign_activity(integer),
  bit_places(varbit),
  campaign_access(bigint,text),
  campaign_activity_moved(timestamptz),
  campaign_facet_counts(integer[],text[],bigint[],text[],text,timestamptz,json,integer),
  campaign_keys_of(text,bigint,text),
  campaign_page(integer[],text[],bigint[],text[],boolean,boolean,text,timestamptz,integer,bigint),
  campaign_page(integer[],text[],bigint[],text[],text,timestamptz,integer,bigint,boolean,jsonb),
  campaign_pages(json,timestamptz),
  campaign_standing(bigint,text),
  claim_facts(bigint[],smallint[],text),
  ending_page(bigint[],varbit[],integer,timestamptz,integer,bigint,jsonb),
  facet_counts(text[],bigint[],varbit[],bigint,integer),
  few_facet_counts(text[],bigint[],varbit[]),
  filtered_maps(integer[],text[],bigint[],text[],timestamptz),
  full_span(),
  map_facet(text,bigint,text),
  mapped_page(integer[],integer[],integer[],bigint[],text,timestamptz,integer,bigint,boolean,jsonb),
  matching_candidates(bigint[],integer[],integer[],integer[],bigint[],text,timestamptz),
  matching_maps(integer[],integer[],integer[],bigint[]),
  max_unmapped_campaigns(),
  newest_maps(integer[],integer[]),
  popular_facet_counts(text[],bigint[],varbit[],integer),
  rare_facet_counts(text,bigint[],varbit[]),
  read_campaigns(bigint[],timestamptz),
  rebuild_campaign_maps(integer),
  resolved_facets(integer[],text[],bigint[],text[]),
  revise_data(),
  span_page(bigint,varbit,integer,bigint,jsonb),
  values_of_kind(text),
  walk_page(bigint[],text,timestamptz,integer,jsonb);
--> statement-breakpoint
-- What the allow list of a campaign says of somebody, each as far as it is known: of which kind it is, whether it denies and whether it
-- admits that one; null where a fact is missing that would say so. A campaign without a list admits everybody, and has no
-- kind. The one place where these rules stand. A plain query, so that it becomes part of the query that calls it.
create or replace function allow_list_verdict(campaign bigint, claimant text)
returns table (list_type text, is_denied boolean, is_admitted boolean)
language sql stable parallel safe
as $$
  select list.type, case
    when unknown.is_unknown then null
    when list.type = 'SimpleDenyList' then case when is_listed then true when list.has_recorded_addresses then false end
    when list.type = 'OffchainAccessList' then case
      when exists (
        select from access_list_members members
        where members.access_list_id = any (list.denied_list_ids) and members.address = claimant
      ) then true
      when not exists (
        select from unnest(list.denied_list_ids) named (id)
        where not exists (select from access_lists known where known.id = named.id)
      ) then false end
    else false end,
  case
    when unknown.is_unknown then null
    when list.type = 'SimpleAllowList' then case when is_listed then true when list.has_recorded_addresses then false end
    when list.type = 'OffchainAccessList' then case
      when exists (
        select from access_list_members members
        where members.access_list_id = any (deciding.ids) and members.address = claimant
      ) then true
      -- Without any list nobody has said who is admitted.
      when deciding.ids <> '{}' and not exists (
        select from unnest(deciding.ids) named (id)
        where not exists (select from access_lists known where known.id = named.id)
      ) then false end
    else true end
  from campaigns
  left join allow_lists list on list.campaign_key = campaigns.key
  cross join lateral (
    select case when list.access_list_id is null then list.allowed_list_ids else array[list.access_list_id] end as ids
  ) deciding
  cross join lateral (
    select exists (
      select from allow_list_addresses listed
      where listed.campaign_key = list.campaign_key and listed.address = claimant
    ) as is_listed
  ) listing
  -- It has one, and nobody knows what that says.
  cross join lateral (
    select list.campaign_key is null and exists (
      select from unknown_components component
      where component.campaign_id = campaigns.id and component.kind = 'allowList'
    ) as is_unknown
  ) unknown
  where campaigns.key = campaign
$$;
--> statement-breakpoint
-- Changes the version of all tokens when some have changed. After writes with disabled triggers, do it by hand:
-- update token_versions set version = gen_random_uuid()
create or replace function bump_token_version()
returns trigger
language plpgsql
as $$
begin
  if tg_op = 'TRUNCATE' then
    update public.token_versions set version = gen_random_uuid();
  elsif exists (select from changed) then
    update public.token_versions set version = gen_random_uuid();
  end if;
  return null;
end
$$;
--> statement-breakpoint
-- What trending says of a user by the allow list of a campaign (`accessStatus`): who is not known to be admitted is not, and
-- who is not known to be on a deny list is. A plain query, so that it becomes part of the query that calls it.
create or replace function campaign_access(campaign bigint, claimant text)
returns table (status text)
language sql stable parallel safe
as $$
  select case
    when list_type = 'SimpleDenyList' then case when is_denied is true then 'denied' else 'allowed' end
    when is_admitted is true and is_denied is not true then 'allowed'
    else 'not-allowed' end
  from allow_list_verdict(campaign, claimant)
$$;
--> statement-breakpoint
-- A facet of more campaigns than this gets bitmaps; the campaigns of a smaller one are looked up in an index.
create or replace function max_unindexed_campaigns()
returns integer
language sql immutable parallel safe
as $$ select 150 $$;
--> statement-breakpoint
-- The number of campaigns at which a segment is full.
create or replace function segment_size()
returns integer
language sql immutable parallel safe
as $$ select 8192 $$;
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
    if not is_behind_active then
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
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
-- Inserts the totals of contracts of a creator who gets bitmaps; from then on batches change them. Deletes those of one who loses
-- them.
create or replace function sync_creator_totals()
returns trigger
language plpgsql
as $$
begin
  if tg_op = 'DELETE' then
    delete from contract_claim_totals where creator = old.value;
    delete from contract_counts where creator = old.value;
    return null;
  end if;
  insert into contract_claim_totals
    (creator, window_seconds, chain_id, address, campaign_count, newest_block_timestamp, claim_count, amount_usd)
  select new.value, window_seconds, target.chain_id, target.value, count(*), max(block_timestamp),
    coalesce(sum(claim_count), 0), coalesce(sum(amount_usd), 0)
  from campaigns
  join campaign_facets target on target.campaign_key = campaigns.key and target.kind = 'target'
  cross join claim_windows
  left join campaign_claim_totals totals using (campaign_key, window_seconds)
  where creator = new.value
  group by window_seconds, target.chain_id, target.value;
  insert into contract_counts (creator, chain_id, contract_count)
  select creator, chain_id, count(*) from contract_claim_totals
  where creator = new.value and window_seconds = 0 group by creator, chain_id;
  return null;
end
$$;
--> statement-breakpoint
-- Inserts the next data version, once for each transaction, under the lock that imports hold: so there is one writer at a time,
-- and commits are in the order of their revisions. Runs before the transaction writes, while it holds no row that another one
-- could wait for. Call it by hand before writes with disabled triggers.
create or replace function bump_data_version()
returns void
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  newest bigint;
begin
  if current_setting('reward_campaigns.version_bumped_by', true) is not distinct from pg_current_xact_id()::text then
    return;
  end if;
  perform pg_advisory_xact_lock(7201001);
  select revision into newest from data_versions order by revision desc limit 1;
  insert into data_versions (revision, epoch) values (coalesce(newest, 0) + 1, gen_random_uuid());
  delete from data_versions where revision <= newest - 999;
  perform set_config('reward_campaigns.version_bumped_by', pg_current_xact_id()::text, true);
end
$$;
--> statement-breakpoint
-- Runs with the rights of its owner: a role that may write a table needs no right to call bump_data_version.
create or replace function bump_data_version_before_write()
returns trigger
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  perform public.bump_data_version();
  return null;
end
$$;
--> statement-breakpoint
-- What decides whether somebody can claim the incentives of campaigns, as far as it is known: of all of them, or, with `positions`,
-- of those at these places, parallel to the keys, in no order. A campaign without incentives has one row without a position.
create or replace function claim_facts(keys bigint[], positions smallint[], claimant text)
returns table (
  campaign_key bigint, starts_at timestamptz, ends_at timestamptz, max_participants numeric, are_participants_reached boolean,
  list_type text, is_denied boolean, is_admitted boolean, "position" smallint, type text, is_spent boolean,
  max_claims numeric, has_claimed_all boolean, last_hash bytea, last_timestamp bigint, signature text, referrer text
)
language plpgsql stable rows 20
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
set max_parallel_workers_per_gather = 0
as $$
begin
  return query
  select campaign.key, campaign.start_at, campaign.end_at, campaign.max_participants,
    campaign.max_participants <> 0 and coalesce(claimants.claimant_count >= campaign.max_participants, false),
    standing.list_type, standing.is_denied, standing.is_admitted,
    incentive."position", incentive.type, incentive.is_spent, allowed.max_claims,
    case when allowed.max_claims = 1 then last.tx_hash is not null when allowed.max_claims < 'Infinity'
      then (
        select own.claim_count from count_claims_on(incentive.campaign_key, incentive."position", claim_facts.claimant) own
      ) >= allowed.max_claims else false end,
    last.tx_hash, last.block_timestamp, signed.signature, signed.referrer
  from (
    select wanted.key, wanted."position" from unnest(keys, positions) wanted (key, "position")
  ) asked
  join campaigns campaign on campaign.key = asked.key
  left join campaign_claimant_counts claimants on claimants.campaign_key = campaign.key
  cross join lateral allow_list_verdict(campaign.key, claim_facts.claimant) standing
  left join incentives incentive on incentive.campaign_key = campaign.key
    and (asked."position" is null or incentive."position" = asked."position")
  -- A contract of these kinds pays an address once, whatever its validator allows.
  cross join lateral (
    select case when incentive.type in ('ERC20Incentive', 'CGDAIncentive', 'PointsIncentive', 'AllowListIncentive') then 1
      else campaign.max_claims_per_claimant end as max_claims
  ) allowed
  left join lateral (
    select claims.tx_hash, claims.block_timestamp from claims
    where claims.campaign_key = incentive.campaign_key and claims.incentive_position = incentive."position"
      and claims.claimant = claim_facts.claimant
    order by claims.block_timestamp desc, claims.tx_hash desc, claims.log_index desc limit 1
  ) last on true
  left join claim_signatures signed on signed.campaign_key = incentive.campaign_key
    and signed.incentive_position = incentive."position" and signed.claimant = claim_facts.claimant;
end
$$;
--> statement-breakpoint
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
--> statement-breakpoint
-- Keeps the number of campaigns of each indexed facet: the set bits of its bitmaps.
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
--> statement-breakpoint
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
--> statement-breakpoint
-- Advances the bitmap of active campaigns to the present, if at least `least_changes` campaigns have started or ended since. No
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
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
