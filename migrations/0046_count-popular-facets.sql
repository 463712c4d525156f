-- As an import does: whoever writes campaigns waits.
select pg_advisory_xact_lock(7201001);
--> statement-breakpoint
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
--> statement-breakpoint
insert into popular_facets (kind, chain_id, value)
select 'tokens', chain_id, '' from campaign_facets where kind = 'token'
group by chain_id having count(distinct campaign_key) > max_unmapped_campaigns();
--> statement-breakpoint
-- What all tokens of a chain have: those with maps of their own, and the others.
insert into facet_maps (facet_key, since, bits)
select whole.key, entry.since, bit_or(entry.bits)
from (
  select popular.chain_id, map.since, map.bits
  from popular_facets popular join facet_maps map on map.facet_key = popular.key where popular.kind = 'token'
  union all
  select rare.chain_id, placed.since, set_bit(span.blank, placed.place, 1)
  from campaign_facets rare
  join campaign_places placed using (campaign_key)
  join campaign_spans span using (since)
  where rare.kind = 'token' and not exists (
    select from popular_facets popular
    where popular.kind = 'token' and popular.chain_id = rare.chain_id and popular.value = rare.value)
) entry
join popular_facets whole on whole.kind = 'tokens' and whole.chain_id = entry.chain_id
group by whole.key, entry.since;
--> statement-breakpoint
ALTER TABLE "popular_facets" ADD COLUMN "campaigns" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
update popular_facets set campaigns = counted.ones
from (
  select facet_key, sum(ones) as ones
  from (select facet_key, bit_count(bits) as ones from facet_maps offset 0) map group by facet_key
) counted
where key = facet_key;
--> statement-breakpoint
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
--> statement-breakpoint
-- Keeps the number of campaigns of each facet, as its maps have them.
create or replace function count_mapped_campaigns()
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
  update popular_facets set campaigns = campaigns + changed.difference
  from (
    select facet_key, sum(difference) as difference from unnest(keys, differences) map (facet_key, difference)
    group by facet_key having sum(difference) <> 0
  ) changed
  where key = facet_key;
  return null;
end
$$;
--> statement-breakpoint
create or replace trigger campaigns_are_counted_when_added after insert on facet_maps
referencing new table as added for each statement execute function count_mapped_campaigns();
--> statement-breakpoint
create or replace trigger campaigns_are_counted_when_changed after update on facet_maps
referencing old table as removed new table as added for each statement execute function count_mapped_campaigns();
--> statement-breakpoint
create or replace trigger campaigns_are_counted_when_removed after delete on facet_maps
referencing old table as removed for each statement execute function count_mapped_campaigns();
--> statement-breakpoint
drop function filtered_maps(integer[], text[], bigint[], text[], text, timestamptz);
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
-- How many of the campaigns with a bit in some maps, a few, can be found by each value of a kind: each is looked at.
create or replace function few_facet_counts(asked text, spans bigint[], maps varbit[])
returns table (chain_id bigint, value text, campaigns bigint)
language sql stable
as $$
  select membership.chain_id, membership.value, count(*)
  from unnest(spans, maps) of_span (since, bits)
  cross join lateral bit_places(bits) one
  cross join lateral (
    select campaign_key from campaign_places where campaign_places.since = of_span.since and place = one.place limit 1
  ) placed
  cross join lateral (
    select * from campaign_memberships had where had.campaign_key = placed.campaign_key and had.kind = asked offset 0
  ) membership
  group by membership.chain_id, membership.value
$$;
--> statement-breakpoint
-- The same of many campaigns, for the values with maps, as far as they might be among the first `wanted` or the one after these:
-- the values of most campaigns are counted first, until one has fewer in all than those have here.
create or replace function popular_facet_counts(asked text, spans bigint[], maps varbit[], wanted integer)
returns table (chain_id bigint, value text, campaigns bigint)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  keys integer[];
  sizes integer[];
  seen integer := 0;
  upto integer;
  found_keys integer[] := '{}';
  found_counts bigint[] := '{}';
  -- The count of the one after those wanted.
  least_count bigint := 0;
begin
  select array_agg(key order by facet.campaigns desc), array_agg(facet.campaigns order by facet.campaigns desc) into keys, sizes
  from popular_facets facet
  -- Not the tokens of chains of which nobody has any.
  where facet.kind = asked and (asked <> 'token' or facet.chain_id <> all (array(
    select whole.chain_id from popular_facets whole where whole.kind = 'tokens' and not exists (
      select from unnest(spans, maps) of_span (since, bits) join facet_maps map using (since)
      where map.facet_key = whole.key and bit_count(map.bits & of_span.bits) > 0))));
  while sizes[seen + 1] >= least_count loop
    upto := least(2 * seen + wanted + 1, (select count(*) from unnest(sizes) size where size >= least_count));
    select found_keys || coalesce(array_agg(facet.key), '{}'), found_counts || coalesce(array_agg(counted.campaigns), '{}')
    into found_keys, found_counts
    from unnest(keys[seen + 1 : upto]) facet (key)
    -- For each by itself: together, they would be sorted with their maps.
    cross join lateral (
      select sum(bit_count(map.bits & of_span.bits)) as campaigns
      -- One range of the index, not a search for each span.
      from (select * from facet_maps where facet_key = facet.key offset 0) map
      join unnest(spans, maps) of_span (since, bits) using (since)
    ) counted
    where counted.campaigns > 0;
    seen := upto;
    least_count := coalesce((select count from unnest(found_counts) count order by count desc offset wanted limit 1), 0);
  end loop;
  return query
  select facet.chain_id, facet.value, counted.campaigns
  from unnest(found_keys, found_counts) counted (key, campaigns) join popular_facets facet using (key);
end
$$;
--> statement-breakpoint
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
--> statement-breakpoint
-- How many of the campaigns with a bit in some maps can be found by each value of a kind, exact; of many values at least the first
-- `wanted` and one more.
create or replace function facet_counts(kind text, spans bigint[], maps varbit[], matching bigint, wanted integer)
returns table (chain_id bigint, value text, campaigns bigint)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  counts bigint[];
begin
  if matching <= 1000 then
    return query select * from few_facet_counts(kind, spans, maps);
    return;
  end if;
  for chain_id, value, campaigns in select * from popular_facet_counts(kind, spans, maps, wanted) loop
    counts := counts || campaigns;
    return next;
  end loop;
  if (select count(*) <= wanted or min(count) <= max_unmapped_campaigns()
      from (select count from unnest(counts) count order by count desc limit wanted + 1) most) then
    return query select * from rare_facet_counts(kind, spans, maps);
  end if;
end
$$;
--> statement-breakpoint
-- The counts of facets beside a page, as JSON: of each in `facets` (its name, its kind, and the group of its own filter, which
-- does not count for it) the first `facet_size` values, and the names of those that have more. The values of `isActive` are
-- those of its filter: `false` lets all pass.
create or replace function campaign_facet_counts(
  facet_groups integer[], kinds text[], chain_ids bigint[], facet_values text[], activity text, instant timestamptz,
  facets json, facet_size integer)
returns json
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  asked record;
  -- The campaigns that a facet is counted under.
  spans bigint[];
  maps varbit[];
  passing bigint;
  active bigint;
  own_before integer;
  counted json;
  has_more boolean;
  -- In the order of `facets`.
  lists text[];
  more text[];
begin
  for asked in
    select * from rows from (json_to_recordset(facets) as (name text, kind text, own integer))
      with ordinality as facet (name, kind, own, nth) order by own
  loop
    if asked.own is distinct from own_before then
      own_before := asked.own;
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
          where grp <> own_before
        ) renumbered
      ) other
      cross join lateral filtered_maps(others, their_kinds, their_chains, their_values, instant) filtered
      cross join lateral (select case when activity in ('any', 'first') then bits else filtered.active end as shown) chosen
      where bit_count(bits) > 0;
      if activity = 'ending' then
        passing := active;
      end if;
    end if;
    select coalesce(json_agg(json_strip_nulls(json_build_object('value', value, 'count', campaigns, 'label', label))
        order by place) filter (where place <= facet_size), '[]'), count(*) > facet_size
    into counted, has_more
    from (
      select listed.value, campaigns, symbol as label, row_number() over (
        order by campaigns desc, case when asked.kind = 'chain' then listed.chain_id end, listed.value collate "C") as place
      from (
        select null::bigint as chain_id, campaigns, null as address, value
        from (values ('true', active), ('false', passing)) both_values (value, campaigns)
        where asked.kind = 'active' and campaigns > 0
        union all
        select chain_id, campaigns, value as address,
          case asked.kind when 'chain' then chain_id::text when 'token' then chain_id || ':' || value else value end
        from facet_counts(asked.kind, spans, maps,
          case when activity in ('any', 'first') then passing else active end, facet_size)
        where asked.kind <> 'active'
      ) listed
      left join tokens token on asked.kind = 'token' and token.chain_id = listed.chain_id and token.address = listed.address
    ) placed;
    lists[asked.nth] := to_json(asked.name)::text || ':' || counted::text;
    if has_more then
      more[asked.nth] := asked.name;
    end if;
  end loop;
  return ('{"facets":{' || array_to_string(lists, ',') || '},"facetsWithMore":'
    || array_to_json(array_remove(coalesce(more, '{}'), null))::text || '}')::json;
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
  begins boolean;
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
    -- Nothing has moved since it began if it begins: only the place of its last one has to be found.
    begins := not asked.walk ? 'newest';
    page := campaign_page(asked.groups, asked.kinds, asked.chains, asked."values", asked.activity, instant,
      asked.page_size + (walk is not null)::integer, asked.skipped, not is_known, case when not begins then walk end);
    total := page.total;
    keys := page.keys;
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
