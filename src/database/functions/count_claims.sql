-- Exactly how many claims there are of a claimant, or of campaigns, or of both; read from indexes alone, and those of a
-- campaign from totals.
create or replace function count_claims(claimant text, campaign_ids text[], chain_ids bigint[])
returns bigint
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  if claimant is null then
    return (
      select coalesce(sum(totals.claim_count), 0) from campaigns campaign
      join campaign_claim_totals totals on totals.campaign_key = campaign.key and totals.window_seconds = 0
      where campaign.id = any (campaign_ids) and (chain_ids is null or campaign.chain_id = any (chain_ids)));
  elsif campaign_ids is null then
    return (
      select count(*) from claims
      where claims.claimant = count_claims.claimant and (chain_ids is null or claims.chain_id = any (chain_ids)));
  else
    return (
      select coalesce(sum(own.claim_count), 0) from campaigns campaign
      join incentives incentive on incentive.campaign_key = campaign.key
      cross join lateral (
        select count(*) as claim_count from claims
        where claims.campaign_key = campaign.key and claims.incentive_position = incentive.position
          and claims.claimant = count_claims.claimant
      ) own
      where campaign.id = any (campaign_ids) and (chain_ids is null or campaign.chain_id = any (chain_ids)));
  end if;
end
$$;
