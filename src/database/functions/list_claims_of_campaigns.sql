-- Those of list_claims that are of some campaigns, and of one claimant if that is given. The first timestamps are a tenth as many
-- from each campaign, since fewer than ten of them can have more claims than that from there on.
create or replace function list_claims_of_campaigns(
  claimant text, keys bigint[], since bigint, until bigint,
  after_timestamp bigint, after_chain bigint, after_hash bytea, after_log integer, most integer
)
returns setof claims
language plpgsql stable rows 10
as $$
declare
  last constant bigint := least(until, after_timestamp);
  few constant integer := most / 10 + 1;
  earliest bigint;
begin
  if claimant is not null then
    select claim.block_timestamp into earliest from incentives incentive
    cross join lateral (
      select block_timestamp from claims
      where claims.campaign_key = incentive.campaign_key and claims.incentive_position = incentive.position
        and claims.claimant = list_claims_of_campaigns.claimant
        -- As rows: of the timestamps alone the planner believes that any index which has them is as good.
        and (claims.claimant, block_timestamp)
          between (list_claims_of_campaigns.claimant, since) and (list_claims_of_campaigns.claimant, least(until, after_timestamp - 1))
      order by block_timestamp desc limit few
    ) claim
    where incentive.campaign_key = any (keys)
    order by claim.block_timestamp desc offset greatest(most - 1, 0) limit 1;
    earliest := coalesce(earliest, since);
    return query
    select claim.* from incentives incentive
    cross join lateral (
      select * from claims
      where claims.campaign_key = incentive.campaign_key and claims.incentive_position = incentive.position
        and claims.claimant = list_claims_of_campaigns.claimant
        and (claims.claimant, block_timestamp) between (list_claims_of_campaigns.claimant, earliest) and (list_claims_of_campaigns.claimant, last)
        and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
      order by block_timestamp desc, chain_id, tx_hash, log_index limit most
    ) claim
    where incentive.campaign_key = any (keys)
    order by claim.block_timestamp desc, claim.chain_id, claim.tx_hash, claim.log_index limit most;
  else
    select claim.block_timestamp into earliest from unnest(keys) campaign (key)
    cross join lateral (
      select block_timestamp from claims
      where claims.campaign_key = campaign.key and block_timestamp between since and least(until, after_timestamp - 1)
      order by block_timestamp desc limit few
    ) claim
    order by claim.block_timestamp desc offset greatest(most - 1, 0) limit 1;
    earliest := coalesce(earliest, since);
    return query
    select claim.* from unnest(keys) campaign (key)
    cross join lateral (
      select * from claims
      where claims.campaign_key = campaign.key and block_timestamp between earliest and last
        and (block_timestamp < after_timestamp or (chain_id, tx_hash, log_index) > (after_chain, after_hash, after_log))
      order by block_timestamp desc, chain_id, tx_hash, log_index limit most
    ) claim
    order by claim.block_timestamp desc, claim.chain_id, claim.tx_hash, claim.log_index limit most;
  end if;
end
$$;
