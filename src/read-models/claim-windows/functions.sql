-- Every campaign with its kept totals of the last day and hour, and all that trending filters and sorts by: what
-- `trending_campaigns` has of the campaigns with claims, column by column. Of each incentive, in order, `incentive_figures` has
-- in base units what has been claimed and, where it pays a token, what can still be paid: `5 95,7`.
create or replace view trending_candidates as
select campaign.key as campaign_key,
  coalesce(hour.claim_count, 0) as hour_claim_count, coalesce(hour.amount_usd, 0) as hour_amount_usd,
  coalesce(day.claim_count, 0) as day_claim_count, coalesce(day.amount_usd, 0) as day_amount_usd,
  campaign.block_timestamp, campaign.chain_id, campaign.core_address, campaign.identifier, campaign.owner, campaign.creator,
  campaign.budget, campaign.autocampaign_id, fold_case(template.action_type) as action_type, campaign.has_whitelisted_rewards,
  campaign.is_exhausted, campaign.start_at, campaign.end_at,
  coalesce((
    select ever.claim_count from campaign_claim_totals ever
    where ever.campaign_key = campaign.key and ever.window_seconds = 0
  ), 0) as claim_count,
  (
    select string_agg(concat_ws(' ', incentive.claimed_amount, incentive.remaining_budget), ',' order by incentive.position)
    from incentives incentive where incentive.campaign_key = campaign.key
  ) as incentive_figures,
  array(
    select facet.kind || ':' || facet.chain_id || ':' || facet.value
    from campaign_facets facet where facet.campaign_key = campaign.key order by 1
  ) as facets,
  list.type as allow_list_type, case when list.denied_list_ids = '{}' then list.access_list_id end as access_list_id
from campaigns campaign
left join action_templates template on template.id = campaign.action_template_id
left join allow_lists list on list.campaign_key = campaign.key
left join campaign_claim_totals hour on hour.campaign_key = campaign.key and hour.window_seconds = 3600
left join campaign_claim_totals day on day.campaign_key = campaign.key and day.window_seconds = 86400;

-- Makes the rows of `trending_campaigns` what the view says of these campaigns, after their totals, their records or their
-- flags have changed. A campaign without claims in the day has no row.
create or replace function refresh_trending_campaigns(keys bigint[])
returns void
language plpgsql
as $$
begin
  delete from trending_campaigns kept
  where kept.campaign_key = any (keys) and not exists (
    select from campaign_claim_totals day where day.campaign_key = kept.campaign_key and day.window_seconds = 86400);
  insert into trending_campaigns as kept
  select * from trending_candidates where campaign_key = any (keys) and day_claim_count > 0
  on conflict (campaign_key) do update
  set (hour_claim_count, hour_amount_usd, day_claim_count, day_amount_usd, block_timestamp, chain_id, core_address, identifier,
      owner, creator, budget, autocampaign_id, action_type, has_whitelisted_rewards, is_exhausted, start_at, end_at,
      claim_count, incentive_figures, facets, allow_list_type, access_list_id)
    = (excluded.hour_claim_count, excluded.hour_amount_usd, excluded.day_claim_count, excluded.day_amount_usd,
      excluded.block_timestamp, excluded.chain_id, excluded.core_address, excluded.identifier, excluded.owner,
      excluded.creator, excluded.budget, excluded.autocampaign_id, excluded.action_type, excluded.has_whitelisted_rewards,
      excluded.is_exhausted, excluded.start_at, excluded.end_at, excluded.claim_count, excluded.incentive_figures,
      excluded.facets, excluded.allow_list_type, excluded.access_list_id)
  where kept is distinct from excluded;
end
$$;

-- What claims have entered and left the hour and the day that end at an instant (Unix seconds), since the kept totals, by
-- campaign. Its plan is made once for a connection: the claims are found by their time, however many or few they are.
create or replace function trending_changes(instant bigint)
returns table (
  campaign_key bigint, more_in_hour bigint, more_usd_in_hour numeric, more_in_day bigint, more_usd_in_day numeric
)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set max_parallel_workers_per_gather = 0
as $$
declare
  kept_up_to constant bigint := (select as_of from claim_windows where window_seconds = 86400);
begin
  return query
  select moved.campaign_key, sum(hour_claims)::bigint, sum(hour_usd), sum(day_claims)::bigint, sum(day_usd)
  from (
    select in_hour.campaign_key, claim_count as hour_claims, amount_usd as hour_usd, 0 as day_claims, 0 as day_usd
    from claim_window_changes(3600, kept_up_to, instant) in_hour
    union all
    select in_day.campaign_key, 0, 0, claim_count, amount_usd from claim_window_changes(86400, kept_up_to, instant) in_day
  ) moved
  group by moved.campaign_key;
end
$$;

-- What is shown of campaigns that are trending, in any order. What is about a claimant, or about the token of the action, is
-- looked up only where that is asked for. Its plan is made once for a connection.
create or replace function trending_entries(keys bigint[], claimant text, with_token boolean)
returns table (
  campaign_key bigint, body text, project_url text, verification_level text, action_template json, action_token json,
  has_claimed boolean, signature json
)
language plpgsql stable rows 100
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set max_parallel_workers_per_gather = 0
as $$
begin
  return query
  select campaign.key, document.body, campaign.project_url, campaign.verification_level, template.json,
    case when with_token then (
      select json_strip_nulls(json_build_object('tokenSymbol', token.symbol, 'tokenContract', token.address,
        'chainId', token.chain_id, 'tokenImage', token.image_uri, 'decimals', token.decimals,
        'marketCap', token.market_cap, 'priceChange24Hr', token.price_change_24_hr, 'volume24Hr', token.volume_24_hr,
        'priceUsd', token.price_usd::text, 'holders', token.holders))
      from tokens token
      where token.chain_id = campaign.action_token_chain_id and token.address = campaign.action_token_address
    ) end,
    -- Asked incentive by incentive, so that an index answers however many claims there are.
    claimant is not null and exists (
      select from incentives incentive
      join claims claim on claim.campaign_key = incentive.campaign_key
        and claim.incentive_position = incentive.position and claim.claimant = trending_entries.claimant
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
  join campaign_documents document on document.campaign_key = wanted.key
  -- Made once for all campaigns of a template, which the offset allows.
  left join lateral (
    select json_build_object('id', id, 'projectId', project_id, 'actionType', action_type, 'projectImage', project_image,
      'description', description, 'category', category) as json
    from action_templates where id = campaign.action_template_id offset 0
  ) template on true;
end
$$;
