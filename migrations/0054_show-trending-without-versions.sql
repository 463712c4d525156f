-- The version of each document was looked up, and nobody asked for it.
drop function trending_entries(bigint[], text, boolean);
--> statement-breakpoint
create or replace function trending_entries(keys bigint[], claimant text, with_token boolean)
returns table (
  campaign_key bigint, project_url text, verification_level text, action_template json, action_token json,
  has_claimed boolean, signature json
)
language plpgsql stable rows 100
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set max_parallel_workers_per_gather = 0
as $$
begin
  return query
  select campaign.key, campaign.project_url, campaign.verification_level, template.json,
    case when with_token then (
      select json_strip_nulls(json_build_object('tokenSymbol', token.symbol, 'tokenContract', token.address,
        'chainId', token.chain_id, 'tokenImage', token.image_uri, 'decimals', token.decimals,
        'marketCap', token.market_cap, 'priceChange24Hr', token.price_change_24_hr, 'volume24Hr', token.volume_24_hr,
        'priceUsd', token.price_usd::text, 'holders', token.holders))
      from tokens token
      where token.chain_id = campaign.action_token_chain_id and token.address = campaign.action_token_address
    ) end,
    -- Asked incentive by incentive, so that an index answers however many claims there are; the offset keeps the planner
    -- from reading all claims of the campaign, or all of the claimant.
    claimant is not null and exists (
      select from incentives incentive
      cross join lateral (
        select from claims
        where claims.campaign_key = campaign.key and claims.incentive_position = incentive.position
          and claims.claimant = trending_entries.claimant
        offset 0
      ) own
      where incentive.campaign_key = campaign.key),
    case when claimant is not null then (
      select json_build_object('claimant', signed.claimant, 'incentiveId', signed.incentive_position,
        'signature', signed.signature, 'referrer', signed.referrer)
      from claim_signatures signed
      where signed.campaign_key = campaign.key and signed.claimant = trending_entries.claimant
      order by signed.incentive_position limit 1
    ) end
  from unnest(keys) wanted (key)
  join campaigns campaign on campaign.key = wanted.key
  -- Made once for all campaigns of a template, which the offset allows.
  left join lateral (
    select json_build_object('id', id, 'projectId', project_id, 'actionType', action_type, 'projectImage', project_image,
      'description', description, 'category', category) as json
    from action_templates where id = campaign.action_template_id offset 0
  ) template on true;
end
$$;
