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
