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
--> statement-breakpoint
-- Those of list_claims that are of some campaigns, and of one claimant if that is given. The first timestamps are a tenth as many
-- from each campaign, since fewer than ten of them can have more claims than that from there on.
create or replace function list_claims_of_campaigns(
  claimant text, keys bigint[], since bigint, until bigint,
  after_timestamp bigint, after_chain bigint, after_hash bytea, after_log integer, most integer
)
returns setof claims
language plpgsql stable rows 10
as $$
declare
  last constant bigint := least(until, after_timestamp);
  few constant integer := most / 10 + 1;
  earliest bigint;
begin
  if claimant is not null then
    select claim.block_timestamp into earliest from incentives incentive
    cross join lateral (
      select block_timestamp from claims
      where claims.campaign_key = incentive.campaign_key and claims.incentive_position = incentive.position
        and claims.claimant = list_claims_of_campaigns.claimant
        -- As rows: of the timestamps alone the planner believes that any index which has them is as good.
        and (claims.claimant, block_timestamp)
          between (list_claims_of_campaigns.claimant, since) and (list_claims_of_campaigns.claimant, least(until, after_timestamp - 1))
      order by block_timestamp desc limit few
    ) claim
    where incentive.campaign_key = any (keys)
    order by claim.block_timestamp desc offset greatest(most - 1, 0) limit 1;
    earliest := coalesce(earliest, since);
    return query
    select claim.* from incentives incentive
    cross join lateral (
      select * from claims
      where claims.campaign_key = incentive.campaign_key and claims.incentive_position = incentive.position
        and claims.claimant = list_claims_of_campaigns.claimant
        and (claims.claimant, block_timestamp) between (list_claims_of_campaigns.claimant, earliest) and (list_claims_of_campaigns.claimant, last)
        and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
      order by block_timestamp desc, chain_id, tx_hash, log_index limit most
    ) claim
    where incentive.campaign_key = any (keys)
    order by claim.block_timestamp desc, claim.chain_id, claim.tx_hash, claim.log_index limit most;
  else
    select claim.block_timestamp into earliest from unnest(keys) campaign (key)
    cross join lateral (
      select block_timestamp from claims
      where claims.campaign_key = campaign.key and block_timestamp between since and least(until, after_timestamp - 1)
      order by block_timestamp desc limit few
    ) claim
    order by claim.block_timestamp desc offset greatest(most - 1, 0) limit 1;
    earliest := coalesce(earliest, since);
    return query
    select claim.* from unnest(keys) campaign (key)
    cross join lateral (
      select * from claims
      where claims.campaign_key = campaign.key and block_timestamp between earliest and last
        and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
      order by block_timestamp desc, chain_id, tx_hash, log_index limit most
    ) claim
    order by claim.block_timestamp desc, claim.chain_id, claim.tx_hash, claim.log_index limit most;
  end if;
end
$$;
--> statement-breakpoint
-- The newest claims by block timestamp, those of one second by chain ID, transaction hash, log index, ascending: at most
-- `most`, with timestamps from `since` to `until` and behind a place in this order (`after_…`). Of one claimant, of some campaigns, of some
-- chains, as far as these are given. Each combination is read from indexes that have the order, so the work grows with
-- neither claims nor pages: from every campaign, chain or incentive that may have one of them the newest, of which the
-- newest are taken. First the timestamps alone, which say how far back the page reaches. Only what has the same timestamp as the
-- last of them is sorted. Its settings are those of list_claims_of_campaigns too.
create or replace function list_claims(
  claimant text, campaign_ids text[], chain_ids bigint[], since bigint, until bigint,
  after_timestamp bigint, after_chain bigint, after_hash bytea, after_log integer, most integer
)
returns setof claims
language plpgsql stable rows 10
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
set max_parallel_workers_per_gather = 0
as $$
declare
  last constant bigint := least(until, after_timestamp);
  keys constant bigint[] := array(
    select key from campaigns
    where id = any (campaign_ids) and (chain_ids is null or campaigns.chain_id = any (chain_ids)));
  claimed_on bigint[];
  earliest bigint;
begin
  if campaign_ids is not null then
    return query select * from list_claims_of_campaigns(
      claimant, keys, since, until, after_timestamp, after_chain, after_hash, after_log, most);
  elsif claimant is not null then
    claimed_on := array(
      with recursive found (chain) as (
        (select min(chain_id) from claims where claims.claimant = list_claims.claimant)
        union all
        select (select min(chain_id) from claims where claims.claimant = list_claims.claimant and chain_id > chain)
        from found where chain is not null
      )
      select chain from found where chain_ids is null or chain = any (chain_ids));
    select claim.block_timestamp into earliest from unnest(claimed_on) chain
    cross join lateral (
      select block_timestamp from claims
      where claims.claimant = list_claims.claimant and chain_id = chain
        and block_timestamp between since and least(until, after_timestamp - 1)
      order by block_timestamp desc limit most
    ) claim
    order by claim.block_timestamp desc offset greatest(most - 1, 0) limit 1;
    earliest := coalesce(earliest, since);
    return query
    select claim.* from unnest(claimed_on) chain
    cross join lateral (
      select * from claims
      where claims.claimant = list_claims.claimant and chain_id = chain and block_timestamp between earliest and last
        and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
      order by block_timestamp desc, tx_hash, log_index limit most
    ) claim
    order by claim.block_timestamp desc, claim.chain_id, claim.tx_hash, claim.log_index limit most;
  elsif chain_ids is not null then
    return query
    select claim.* from unnest(chain_ids) chain
    cross join lateral (
      select * from claims
      where chain_id = chain and block_timestamp between since and last
        and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
      order by block_timestamp desc, tx_hash, log_index limit most
    ) claim
    order by claim.block_timestamp desc, claim.chain_id, claim.tx_hash, claim.log_index limit most;
  else
    return query
    select * from claims
    where block_timestamp between since and last
      and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
    order by block_timestamp desc, chain_id, tx_hash, log_index limit most;
  end if;
end
$$;
