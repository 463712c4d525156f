CREATE TABLE "former_positions" (
	"campaign_key" bigint NOT NULL,
	"revision" bigint NOT NULL,
	"block_timestamp" bigint NOT NULL,
	"start_at" timestamp (3) with time zone,
	"end_at" timestamp (3) with time zone,
	"is_exhausted" boolean NOT NULL,
	"changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "former_positions_campaign_key_revision_pk" PRIMARY KEY("campaign_key","revision")
);
--> statement-breakpoint
CREATE INDEX "former_positions_by_revision" ON "former_positions" USING btree ("revision");
--> statement-breakpoint
-- As an import does: whoever writes campaigns waits.
select pg_advisory_xact_lock(7201001);
--> statement-breakpoint
-- They knew no walks.
drop function campaign_pages(json, timestamptz);
--> statement-breakpoint
drop function campaign_page(integer[], text[], bigint[], text[], text, timestamptz, integer, bigint, boolean);
--> statement-breakpoint
drop function span_page(bigint, varbit, integer, bigint);
--> statement-breakpoint
drop function ending_page(bigint[], varbit[], integer, timestamptz, integer, bigint);
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
      join campaigns on key = placed.campaign_key
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
      candidates := array(
        select key from unnest(few_groups, few_keys) few (grp, key) where grp = any (rare_groups)
        group by key having count(distinct grp) = cardinality(rare_groups));
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
-- `lists_version` it knows the total of; where that is the one of today, it is not counted. And when the total may change all
-- the same, in milliseconds since 1970: when the next campaign starts or ends, where only active ones are counted. An entry with a `walk` asks for a page of that; what
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
begin
  select revision, revised.lists_version into newest, lists_version from data_revisions revised order by revision desc limit 1;
  for asked in
    select * from rows from (json_to_recordset(questions) as (
      groups integer[], kinds text[], chains bigint[], "values" text[], activity text, page_size integer, skipped bigint,
      known_lists uuid, facets json, facet_size integer, walk jsonb
    )) with ordinality as question (
      groups, kinds, chains, "values", activity, page_size, skipped, known_lists, facets, facet_size, walk, nth)
  loop
    -- One that begins is of now. With one more than the page has, it is known where the next begins.
    walk := jsonb_build_object('began', newest, 'lists', lists_version,
      'newest', case when not asked.walk ? 'newest' then (select max(key) from campaigns) end) || asked.walk;
    page := campaign_page(asked.groups, asked.kinds, asked.chains, asked."values", asked.activity, instant,
      asked.page_size + (walk is not null)::integer, asked.skipped, asked.known_lists is distinct from lists_version, walk);
    nth := asked.nth;
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
    facet_counts := case when asked.facets is not null and total is not null then campaign_facet_counts(
      asked.groups, asked.kinds, asked.chains, asked."values", asked.activity, instant, asked.facets, asked.facet_size)::text end;
    changes_at := case when (asked.activity in ('only', 'ending') or asked.facets is not null) and total is not null then 1000 * extract(epoch from least(
      (select min(start_at) from campaigns where start_at > instant),
      (select min(end_at) from campaigns where end_at > instant))) end;
    return next;
  end loop;
end
$$;
--> statement-breakpoint
-- Writes down what a campaign was sorted by before this revision, its first change in it; and forgets the oldest revision that
-- is written down, where it is a day old: so there are never more of these than change in a day, and as many new ones.
create or replace function remember_position()
returns trigger
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  insert into former_positions (campaign_key, revision, block_timestamp, start_at, end_at, is_exhausted)
  select old.key, max(revision), old.block_timestamp, old.start_at, old.end_at, old.is_exhausted from data_revisions
  on conflict do nothing;
  delete from former_positions
  where revision = (select min(revision) from former_positions) and changed_at < now() - interval '1 day';
  return new;
end
$$;
--> statement-breakpoint
-- For walks that began before. Each change of a campaign takes a revision first, by a trigger of its own.
create or replace trigger position_is_remembered before update of block_timestamp, start_at, end_at, is_exhausted on campaigns
for each row when ((old.block_timestamp, old.start_at, old.end_at, old.is_exhausted)
  is distinct from (new.block_timestamp, new.start_at, new.end_at, new.is_exhausted)) execute function remember_position();
