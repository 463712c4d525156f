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
