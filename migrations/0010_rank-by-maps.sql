CREATE INDEX "campaign_places_by_place" ON "campaign_places" USING btree ("since","place");
--> statement-breakpoint
-- How much has been claimed in the windows of trending: six binary digits each.
insert into popular_facets (kind, chain_id, value)
select 'claims', width, digit::text from unnest(array[3600, 86400]) width, generate_series(0, 5) digit;
--> statement-breakpoint
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
--> statement-breakpoint
-- How much has been claimed, from 1 to 63, so that who has a higher level is before who has a lower one in the order of
-- trending: by US dollars, then by number of claims. Ten levels for each power of ten, from ten cents to a hundred
-- thousand dollars.
create or replace function claims_level(claim_count bigint, amount_usd numeric)
returns integer
language sql immutable parallel safe
as $$
  select case when amount_usd > 0 then 3 + width_bucket(amount_usd, '{
      0.1, 0.125, 0.16, 0.2, 0.25, 0.32, 0.4, 0.5, 0.63, 0.8,
      1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8,
      10, 12.5, 16, 20, 25, 32, 40, 50, 63, 80,
      100, 125, 160, 200, 250, 320, 400, 500, 630, 800,
      1000, 1250, 1600, 2000, 2500, 3200, 4000, 5000, 6300, 8000,
      10000, 12500, 16000, 20000, 25000, 32000, 40000, 50000, 63000, 80000}'::numeric[])
    when claim_count > 1 then 2
    else 1 end
$$;
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
select 'all', 0, '', key from campaigns
union all
select 'whitelisted', 0, '', key from campaigns where has_whitelisted_rewards
union all
select 'active', 0, '', key from campaigns, campaign_activity
where not is_exhausted and coalesce(start_at <= as_of, true) and coalesce(end_at > as_of, true)
union all
select 'template', 0, '', key from campaigns where uses_template_as_is
union all
-- The binary digits of how much has been claimed in the windows of trending.
select 'claims', window_seconds, digit::text, campaign_key
from campaign_claim_totals, generate_series(0, 5) digit
where window_seconds in (3600, 86400) and claims_level(claim_count, amount_usd) >> digit & 1 = 1;
--> statement-breakpoint
-- Keeps the maps of what has been claimed in the windows of trending: bit n of the map for a digit is that binary digit of
-- the level (`claims_level`) of the campaign of place n; none has been claimed where all digits are 0. Run for each statement
-- that changes totals. Campaigns without a place are put in when they get one.
create or replace function map_claims_levels()
returns trigger
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  keys bigint[];
  windows integer[];
  befores integer[];
  afters integer[];
begin
  case tg_op
    when 'INSERT' then
      select array_agg(campaign_key), array_agg(window_seconds), array_agg(0),
        array_agg(claims_level(claim_count, amount_usd))
      into keys, windows, befores, afters from new_totals where window_seconds in (3600, 86400);
    when 'DELETE' then
      select array_agg(campaign_key), array_agg(window_seconds), array_agg(claims_level(claim_count, amount_usd)),
        array_agg(0)
      into keys, windows, befores, afters from old_totals where window_seconds in (3600, 86400);
    when 'UPDATE' then
      select array_agg(campaign_key), array_agg(window_seconds), array_agg(level_before), array_agg(level_after)
      into keys, windows, befores, afters from (
        select campaign_key, window_seconds,
          claims_level(earlier.claim_count, earlier.amount_usd) as level_before,
          claims_level(later.claim_count, later.amount_usd) as level_after
        from old_totals earlier join new_totals later using (campaign_key, window_seconds)
        where window_seconds in (3600, 86400)
      ) levels where level_before <> level_after;
    else
      delete from facet_maps using popular_facets where facet_key = key and kind = 'claims';
  end case;
  if keys is null then
    return null;
  end if;
  merge into facet_maps map
  using (
    select facet.key, span.since, bit_or(set_bit(span.blank, placed.place, moved.before >> digit & 1)) as gone,
      bit_or(set_bit(span.blank, placed.place, moved.after >> digit & 1)) as come
    from unnest(keys, windows, befores, afters) moved (campaign_key, window_seconds, before, after)
    cross join generate_series(0, 5) digit
    join popular_facets facet
      on facet.kind = 'claims' and facet.chain_id = moved.window_seconds and facet.value = digit::text
    join campaign_places placed using (campaign_key)
    join campaign_spans span using (since)
    where (moved.before # moved.after) >> digit & 1 = 1
    group by facet.key, span.since
  ) changes
  on map.facet_key = changes.key and map.since = changes.since
  when matched then update set bits = map.bits & ~changes.gone | changes.come
  when not matched then insert (facet_key, since, bits) values (changes.key, changes.since, changes.come);
  return null;
end
$$;
--> statement-breakpoint
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
  -- The values as they are stored: lower-case, but for the one kind that has upper case.
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
    cross join lateral (select case entry.kind when 'autocampaign' then entry.value else lower(entry.value) end) as written (stored)
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
  )
  select coalesce(array_agg(since order by part, since desc), '{}'),
    coalesce(array_agg(bits order by part, since desc), '{}')
  into spans, maps
  from parts where bit_count(bits) > 0;
end
$$;
--> statement-breakpoint
-- One page of campaigns that can be found by all of some groups of facets, by any of a group (see `campaign_matches`); newest
-- first, ties on chain ID, core address, identifier. And how many there are in all, exact. `activity`: 'any', 'only' active
-- ones at an `instant`, or those 'first'.
--
-- Of the campaigns themselves only those of the page's own spans are read: whatever the filters, the page and the number of
-- campaigns.
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
  matches record;
begin
  matches := campaign_matches(
    facet_groups, kinds, chain_ids, facet_values, only_whitelisted, only_templates, activity, instant);
  if matches.keys is not null then
    total := cardinality(matches.keys);
    keys := case when skipped < total then matches.keys[skipped + 1 : skipped + page_size] else '{}' end;
    return;
  end if;
  with counted as materialized (
    select nth, since, bits, bit_count(bits) as own, sum(bit_count(bits)) over (order by nth) as upto
    from unnest(matches.spans, matches.maps) with ordinality span (since, bits, nth)
  ), paged as materialized (
    select nth, since, bits, own, greatest(skipped - (upto - own), 0) as passed from counted
    where page_size > 0 and upto > skipped and upto - own < skipped + page_size
  ), shown as (
    select nth, campaign.* from paged cross join lateral (
      select campaign_key, block_timestamp, chain_id, core_address, identifier
      from bit_places(bits) one
      -- Looked up one by one, which the limit keeps the planner to.
      cross join lateral (
        select * from campaign_places where since = paged.since and place = one.place limit 1
      ) placed
      order by block_timestamp desc, chain_id, core_address, identifier limit page_size offset passed
    ) campaign
    where own <= 500
    union all
    -- Where a span has many, they are read in their order.
    select nth, campaign.* from paged cross join lateral (
      select campaign_key, block_timestamp, chain_id, core_address, identifier
      from campaign_places placed where placed.since = paged.since and get_bit(paged.bits, place) = 1
      order by block_timestamp desc, chain_id, core_address, identifier limit page_size offset passed
    ) campaign
    where own > 500
  )
  select (select coalesce(max(upto), 0) from counted), array(
    select campaign_key from shown
    order by nth, block_timestamp desc, chain_id, core_address, identifier limit page_size)
  into total, keys;
end
$$;
--> statement-breakpoint
-- What the allow list of a campaign says of a user (spec of trending: `accessStatus`). A campaign without one is open to all.
-- A plain query, so that it becomes part of the query that calls it.
create or replace function campaign_access(campaign bigint, claimant text)
returns table (status text)
language sql stable parallel safe
as $$
  select coalesce((
    select case type
      when 'OpenAllowList' then 'allowed'
      when 'SimpleAllowList' then case when is_listed then 'allowed' else 'not-allowed' end
      when 'SimpleDenyList' then case when is_listed then 'denied' else 'allowed' end
      when 'OffchainAccessList' then case when exists (
        select from access_list_members members
        where members.access_list_id = list.access_list_id and members.address = claimant
      ) then 'allowed' else 'not-allowed' end
    end
    from allow_lists list, lateral (
      select exists (
        select from allow_list_addresses listed
        where listed.campaign_key = list.campaign_key and listed.address = claimant
      ) as is_listed
    ) listing
    where list.campaign_key = campaign), 'allowed')
$$;
--> statement-breakpoint
-- The foremost hundred of the active campaigns with claims in a window that ends at an instant, by US dollars claimed in it,
-- number of claims in it, and as pages are; with those US dollars. They can be found by some groups of facets (see
-- `campaign_matches`), admit a claimant, and have an action type that is included and none that is excluded, where that is
-- asked for. Exact for every instant: totals are those that are kept, and what has entered and left the window since.
--
-- Where there are few, they are looked at one by one. Where every sixth campaign matches, the foremost of all are, in the order
-- of an index. Else, and where that does not do, maps of how much has been claimed (see `map_claims_levels`) tell who may be
-- among the foremost. Only the totals of those are read, and those that have changed since.
create or replace function rank_trending(
  width integer, facet_groups integer[], kinds text[], chain_ids bigint[], facet_values text[], only_whitelisted boolean,
  claimant text, included text[], excluded text[], instant timestamptz,
  out keys bigint[], out amounts numeric[])
language plpgsql stable
as $$
declare
  most constant integer := 100;
  kept_up_to constant bigint := (select as_of from claim_windows where window_seconds = width);
  matches record;
  changed_keys bigint[];
  changed_counts bigint[];
  changed_amounts numeric[];
  -- Those of them that match.
  changed_matches bigint[];
  candidates bigint[];
  included_templates uuid[];
  excluded_templates uuid[];
  -- So many of the foremost of all are looked at; null: maps are.
  walked integer;
  foremost_keys bigint[];
  -- The kept totals of the last of them.
  last_amount numeric;
  last_count bigint;
  counts bigint[];
  -- So many of the highest level are looked for: more where not all of them are shown.
  wanted integer := case when claimant is null and included is null and excluded is null then most else 4 * most end;
  -- Maps of those that are among them, and of those of one level that may be.
  sure_spans bigint[];
  sure_maps varbit[];
  sure_count bigint;
  open_spans bigint[];
  open_maps varbit[];
  ones_spans bigint[];
  ones_maps varbit[];
  ones_count bigint;
  zeros_spans bigint[];
  zeros_maps varbit[];
  -- Nobody else has this level, or a higher one; 0: nobody else has claims.
  level integer := 0;
  last_level integer;
  digit_key integer;
begin
  -- Lower-cased by the database, as what they are compared with: JavaScript has other ideas of some letters.
  if included is not null then
    included_templates := array(
      select id from action_templates where lower(action_type) in (select lower(type) from unnest(included) type));
  end if;
  if excluded is not null then
    excluded_templates := array(
      select id from action_templates where lower(action_type) in (select lower(type) from unnest(excluded) type));
  end if;
  matches := campaign_matches(facet_groups, kinds, chain_ids, facet_values, only_whitelisted, false, 'only', instant);

  select coalesce(array_agg(campaign_key), '{}'), coalesce(array_agg(claim_count), '{}'),
    coalesce(array_agg(amount_usd), '{}')
  into changed_keys, changed_counts, changed_amounts
  from claim_window_changes(width, kept_up_to, floor(extract(epoch from instant))::bigint);

  if matches.keys is null then
    changed_matches := array(
      select campaign_key from unnest(changed_keys) changed (campaign_key)
      join campaign_places placed using (campaign_key)
      join unnest(matches.spans, matches.maps) span (since, bits) using (since)
      where get_bit(span.bits, placed.place) = 1);
    if 6 * (select sum(bit_count(bits)) from unnest(matches.maps) bits) >= (select sum(place_count) from campaign_spans) then
      walked := case when included is null then 4 * most else 16 * most end;
    end if;
  end if;

  loop
    if matches.keys is not null then
      candidates := matches.keys;
    elsif walked is not null then
      foremost_keys := array(
        select campaign_key from campaign_claim_totals where window_seconds = width
        order by amount_usd desc, claim_count desc, campaign_key limit walked);
      candidates := changed_matches || array(
        select campaign_key from unnest(foremost_keys) foremost (campaign_key)
        join campaign_places placed using (campaign_key)
        join unnest(matches.spans, matches.maps) span (since, bits) using (since)
        where get_bit(span.bits, placed.place) = 1);

      select amount_usd, claim_count into last_amount, last_count
      from campaign_claim_totals where window_seconds = width
      order by amount_usd desc, claim_count desc, campaign_key limit 1 offset walked;
    else
      sure_spans := '{}';
      sure_maps := '{}';
      sure_count := 0;
      open_spans := matches.spans;
      open_maps := matches.maps;
      level := 0;
      -- Digit by digit: those that have it are higher than those that have not.
      for digit in reverse 5 .. 0 loop
        digit_key := (
          select key from popular_facets where kind = 'claims' and popular_facets.chain_id = width and value = digit::text);
        select coalesce(sum(bit_count(ones)), 0),
          coalesce(array_agg(since) filter (where bit_count(ones) > 0), '{}'),
          coalesce(array_agg(ones) filter (where bit_count(ones) > 0), '{}'),
          coalesce(array_agg(since) filter (where bit_count(zeros) > 0), '{}'),
          coalesce(array_agg(zeros) filter (where bit_count(zeros) > 0), '{}')
        into ones_count, ones_spans, ones_maps, zeros_spans, zeros_maps
        from (
          -- Each computed once, which the offsets keep the planner to.
          select since, ones, coalesce(bits # ones, bits) as zeros
          from (
            select span.since, span.bits, span.bits & map.bits as ones
            from unnest(open_spans, open_maps) span (since, bits)
            left join (
              select since, bits from facet_maps where facet_key = digit_key offset 0
            ) map on map.since = span.since
            offset 0
          ) span
          offset 0
        ) digits;
        if sure_count + ones_count >= wanted then
          level := level + (1 << digit);
          open_spans := ones_spans;
          open_maps := ones_maps;
        else
          sure_spans := sure_spans || ones_spans;
          sure_maps := sure_maps || ones_maps;
          sure_count := sure_count + ones_count;
          open_spans := zeros_spans;
          open_maps := zeros_maps;
        end if;
      end loop;
      if level > 0 then
        sure_spans := sure_spans || open_spans;
        sure_maps := sure_maps || open_maps;
      end if;
      candidates := changed_matches || array(
        select campaign_key from unnest(sure_spans, sure_maps) span (since, bits)
        cross join lateral bit_places(span.bits) one
        -- Looked up one by one, which the limit keeps the planner to.
        cross join lateral (
          select campaign_key from campaign_places where since = span.since and place = one.place limit 1
        ) placed);
    end if;

    if included is not null or excluded is not null then
      candidates := array(
        select key from campaigns where key = any (candidates)
          and (included_templates is null or action_template_id = any (included_templates))
          and (excluded_templates is null or coalesce(action_template_id <> all (excluded_templates), true)));
    end if;

    select array_agg(campaign_key), array_agg(amount), array_agg(claim_count), min(claims_level(claim_count, amount))
    into keys, amounts, counts, last_level
    from (
      select placed.campaign_key, total.claim_count, total.amount
      from (
        -- Who is a candidate, and what has changed since, put together without regard to who of them has changed.
        select campaign_key, sum(claim_count) as more_claims, sum(amount_usd) as more_usd from (
          select campaign_key, true as is_candidate, 0 as claim_count, 0 as amount_usd
          from unnest(candidates) candidate (campaign_key)
          union all
          select campaign_key, false, claim_count, amount_usd
          from unnest(changed_keys, changed_counts, changed_amounts) changed (campaign_key, claim_count, amount_usd)
        ) parts
        group by campaign_key having bool_or(is_candidate)
      ) candidate
      join campaign_places placed using (campaign_key)
      left join campaign_claim_totals kept on kept.campaign_key = candidate.campaign_key and window_seconds = width
      cross join lateral (
        select (coalesce(kept.claim_count, 0) + more_claims)::bigint as claim_count,
          coalesce(kept.amount_usd, 0) + more_usd as amount
      ) total
      cross join lateral campaign_access(candidate.campaign_key, claimant) access
      where total.claim_count > 0 and (claimant is null or access.status = 'allowed')
      order by total.amount desc, total.claim_count desc, block_timestamp desc, chain_id, core_address, identifier
      limit most
    ) foremost;
    if walked is not null then
      -- Nobody else has more than the next of all.
      exit when last_amount is null or cardinality(keys) = most and (amounts[most], counts[most]) > (last_amount, last_count);
      walked := case when walked = 4 * most then 16 * most end;
    else
      exit when level = 0 or cardinality(keys) = most and last_level >= level;
      wanted := 4 * wanted;
    end if;
  end loop;
end
$$;
--> statement-breakpoint
-- What the entries of trending are made of, in their order (see `rank_trending`), for a period of '1h' or '24h'. What is about
-- the claimant, or about the token of the action, is looked up only where that is asked for.
create or replace function list_trending(
  period text, facet_groups integer[], kinds text[], chain_ids bigint[], facet_values text[], only_whitelisted boolean,
  claimant text, included text[], excluded text[], with_token boolean, instant timestamptz)
returns table (
  body text, figures text, project_url text, verification_level text, action_template json, action_token json,
  claim_count double precision, usd_in_1h text, usd_in_24h text, access_status text, has_claimed boolean, signature json
)
language plpgsql stable rows 100
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set max_parallel_workers_per_gather = 0
as $$
#variable_conflict use_column
declare
  hour constant integer := 3600;
  day constant integer := 86400;
  width constant integer := case period when '1h' then hour else day end;
  other_width constant integer := case period when '1h' then day else hour end;
  kept_up_to constant bigint := (select as_of from claim_windows where window_seconds = other_width);
  present constant bigint := floor(extract(epoch from instant));
  ranked record;
begin
  ranked := rank_trending(width, facet_groups, kinds, chain_ids, facet_values, only_whitelisted, claimant, included, excluded,
    instant);
  return query
  with changes as materialized (
    select changed.campaign_key, changed.amount_usd
    from claim_window_changes(other_width, kept_up_to, present) changed
  )
  select shown.body, shown.figures, campaign.project_url, campaign.verification_level,
    case when template.id is not null then json_build_object('id', template.id, 'projectId', template.project_id,
      'actionType', template.action_type, 'projectImage', template.project_image, 'description', template.description,
      'category', template.category) end,
    case when with_token then (
      select json_strip_nulls(json_build_object('tokenSymbol', token.symbol, 'tokenContract', token.address,
        'chainId', token.chain_id, 'tokenImage', token.image_uri, 'decimals', token.decimals,
        'marketCap', token.market_cap, 'priceChange24Hr', token.price_change_24_hr, 'volume24Hr', token.volume_24_hr,
        'priceUsd', token.price_usd::text, 'holders', token.holders))
      from tokens token
      where token.chain_id = campaign.action_token_chain_id and token.address = campaign.action_token_address
    ) end,
    coalesce((
      select ever.claim_count from campaign_claim_totals ever where ever.campaign_key = shown.key and window_seconds = 0
    ), 0)::double precision,
    (case width when hour then ranked.amounts[place] else other.amount end)::text,
    (case width when day then ranked.amounts[place] else other.amount end)::text,
    case when claimant is not null then access.status end,
    -- Asked incentive by incentive, so that an index answers however many claims there are.
    claimant is not null and exists (
      select from incentives join claims on claims.campaign_key = incentives.campaign_key
        and claims.incentive_position = incentives.position and claims.claimant = list_trending.claimant
      where incentives.campaign_key = shown.key),
    case when claimant is not null then (
      select json_build_object('claimant', signed.claimant, 'incentiveId', signed.incentive_position,
        'signature', signed.signature, 'referrer', signed.referrer)
      from claim_signatures signed where signed.campaign_key = shown.key and signed.claimant = list_trending.claimant
      order by signed.incentive_position limit 1
    ) end
  from read_campaigns(ranked.keys, instant) with ordinality as shown (
    key, id, is_active, changes_at, body, allow_list, action_steps, detail_allow_list, detail, figures, place)
  join campaigns campaign on campaign.key = shown.key
  left join action_templates template on template.id = campaign.action_template_id
  cross join lateral campaign_access(shown.key, claimant) access
  left join changes on changes.campaign_key = shown.key
  cross join lateral (
    select coalesce((
        select kept.amount_usd from campaign_claim_totals kept
        where kept.campaign_key = shown.key and window_seconds = other_width
      ), 0) + coalesce(changes.amount_usd, 0) as amount
  ) other
  order by place;
end
$$;
--> statement-breakpoint
-- Makes all spans, places and maps anew from the campaigns, in spans of equal size: for existing data, for whoever has
-- written campaigns past the import, and where a span has become far larger than the others.
create or replace function rebuild_campaign_maps(span_places integer default 8192)
returns void
language plpgsql
-- To put maps together in memory, and not to sort them first.
set work_mem = '256MB'
set enable_sort = off
as $$
begin
  perform pg_advisory_xact_lock(7201001);
  -- Not truncated: who has begun to read goes on with what there was.
  delete from facet_maps;
  delete from popular_facets where kind not in ('all', 'whitelisted', 'active', 'template', 'claims');
  delete from campaign_places;
  delete from campaign_spans;
  update campaign_activity set as_of = clock_timestamp();

  with numbered as (
    select key, block_timestamp, chain_id, core_address, identifier,
      -- Equal timestamps have equal ranks, so they stay together.
      (rank() over (order by block_timestamp) - 1) / span_places as nth
    from campaigns
  )
  insert into campaign_places (campaign_key, since, place, block_timestamp, chain_id, core_address, identifier)
  select key, case nth when 0 then 0 else min(block_timestamp) over (partition by nth) end,
    row_number() over (partition by nth order by block_timestamp, key) - 1,
    block_timestamp, chain_id, core_address, identifier
  from numbered;
  insert into campaign_spans (since, place_count, blank)
  select since, max(place) + 1, repeat('0', greatest(span_places, max(place) + 1))::varbit from campaign_places group by since;
  insert into campaign_spans (since, blank) values (0, repeat('0', span_places)::varbit) on conflict do nothing;

  insert into facet_maps (facet_key, since, bits)
  select facet.key, placed.since, bit_or(set_bit(span.blank, placed.place, 1))
  from campaign_places placed
  join campaign_spans span using (since)
  join campaigns on campaigns.key = placed.campaign_key
  cross join campaign_activity
  join popular_facets facet on case facet.kind
    when 'all' then true
    when 'whitelisted' then has_whitelisted_rewards
    when 'template' then uses_template_as_is
    when 'active' then not is_exhausted and coalesce(start_at <= as_of, true) and coalesce(end_at > as_of, true)
    else false end
  group by facet.key, placed.since;
  insert into facet_maps (facet_key, since, bits)
  select facet.key, placed.since, bit_or(set_bit(span.blank, placed.place, 1))
  from campaign_memberships membership
  join popular_facets facet using (kind, chain_id, value)
  join campaign_places placed using (campaign_key)
  join campaign_spans span using (since)
  where membership.kind = 'claims'
  group by facet.key, placed.since;
  perform map_facet(kind, chain_id, value) from (
    select kind, chain_id, value from campaign_memberships
    where kind not in (select kind from popular_facets)
    group by kind, chain_id, value having count(*) > 300
  ) popular;
end
$$;
--> statement-breakpoint
create trigger claims_are_mapped_on_insert after insert on campaign_claim_totals referencing new table as new_totals
for each statement execute function map_claims_levels();
--> statement-breakpoint
create trigger claims_are_mapped_on_update after update on campaign_claim_totals referencing old table as old_totals new table as new_totals
for each statement execute function map_claims_levels();
--> statement-breakpoint
create trigger claims_are_mapped_on_delete after delete on campaign_claim_totals referencing old table as old_totals
for each statement execute function map_claims_levels();
--> statement-breakpoint
create trigger claims_are_mapped_on_truncate after truncate on campaign_claim_totals
for each statement execute function map_claims_levels();
