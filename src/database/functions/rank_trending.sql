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
  if included is not null then
    included_templates := array(
      select id from action_templates where fold_case(action_type) in (select fold_case(type) from unnest(included) type));
  end if;
  if excluded is not null then
    excluded_templates := array(
      select id from action_templates where fold_case(action_type) in (select fold_case(type) from unnest(excluded) type));
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
