-- Every campaign with its kept totals of the last day and hour, and all that trending filters and sorts by: what
-- `trending_campaigns` has of the campaigns with claims, column by column.
create or replace view trending_candidates as
select campaign.key as campaign_key,
  coalesce(hour.claim_count, 0) as hour_claim_count, coalesce(hour.amount_usd, 0) as hour_amount_usd,
  coalesce(day.claim_count, 0) as day_claim_count, coalesce(day.amount_usd, 0) as day_amount_usd,
  campaign.block_timestamp, campaign.chain_id, campaign.core_address, campaign.identifier, campaign.owner, campaign.creator,
  campaign.budget, campaign.autocampaign_id, lower(template.action_type) as action_type, campaign.has_whitelisted_rewards,
  campaign.is_exhausted, campaign.start_at, campaign.end_at,
  array(
    select facet.kind || ':' || facet.chain_id || ':' || facet.value
    from campaign_facets facet where facet.campaign_key = campaign.key order by 1
  ) as facets
from campaigns campaign
left join action_templates template on template.id = campaign.action_template_id
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
      owner, creator, budget, autocampaign_id, action_type, has_whitelisted_rewards, is_exhausted, start_at, end_at, facets)
    = (excluded.hour_claim_count, excluded.hour_amount_usd, excluded.day_claim_count, excluded.day_amount_usd,
      excluded.block_timestamp, excluded.chain_id, excluded.core_address, excluded.identifier, excluded.owner,
      excluded.creator, excluded.budget, excluded.autocampaign_id, excluded.action_type, excluded.has_whitelisted_rewards,
      excluded.is_exhausted, excluded.start_at, excluded.end_at, excluded.facets)
  where kept is distinct from excluded;
end
$$;
