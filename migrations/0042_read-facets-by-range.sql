-- How many of the campaigns with a bit in some maps can be found by each value of a kind, exact. Few campaigns are looked at one
-- by one. Of many, the popular values are counted by their maps; the others only where one of them might be among the first
-- `wanted` or the one after these: none has more campaigns than `max_unmapped_campaigns`.
create or replace function facet_counts(kind text, spans bigint[], maps varbit[], matching bigint, wanted integer)
returns table (chain_id bigint, value text, campaigns bigint)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  asked constant text := kind;
  popular_chains bigint[];
  popular_values text[];
  popular_counts bigint[];
begin
  if matching <= 1000 then
    return query
    select membership.chain_id, membership.value, count(*)
    from unnest(spans, maps) of_span (since, bits)
    cross join lateral bit_places(bits) one
    cross join lateral (
      select campaign_key from campaign_places where campaign_places.since = of_span.since and place = one.place limit 1
    ) placed
    cross join lateral (
      select * from campaign_memberships had where had.campaign_key = placed.campaign_key and had.kind = asked offset 0
    ) membership
    group by membership.chain_id, membership.value;
    return;
  end if;
  select coalesce(array_agg(chain_id order by campaigns desc), '{}'), coalesce(array_agg(value order by campaigns desc), '{}'),
    coalesce(array_agg(campaigns order by campaigns desc), '{}')
  into popular_chains, popular_values, popular_counts
  from (
    select popular.chain_id, popular.value, sum(bit_count(map.bits & of_span.bits))::bigint as campaigns
    from popular_facets popular
    -- One range of the index for each value, not a search for each of its spans.
    cross join lateral (select * from facet_maps where facet_key = popular.key offset 0) map
    join unnest(spans, maps) of_span (since, bits) on of_span.since = map.since
    where popular.kind = asked
    group by popular.key
  ) counted
  where campaigns > 0;
  return query select * from unnest(popular_chains, popular_values, popular_counts);
  if cardinality(popular_counts) > wanted and popular_counts[wanted] > max_unmapped_campaigns() then
    return;
  end if;
  return query
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
  where counted.campaigns > 0;
end
$$;
