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
