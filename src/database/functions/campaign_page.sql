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
