-- name: insertStagedFacets
-- The facets of the campaigns in `staged_key`, whose other rows are written; incentives that they no longer have may still be there.
-- Collections are staged, all others follow from those rows. A step of any contract (address zero) is about the contract of no campaign.
insert into campaign_facets (kind, chain_id, value, campaign_key, block_timestamp)
select kind, facet.chain_id, value, campaign_key, block_timestamp
from (
  select 'target' as kind, (step.definition ->> 'chainId')::bigint as chain_id, step.definition ->> 'targetContract' as value,
    step.campaign_key
  from action_steps step join staged_key staged on staged.key = step.campaign_key
  where step.definition ->> 'targetContract' <> '0x0000000000000000000000000000000000000000'
  union
  select 'token', incentive.chain_id, incentive.asset, incentive.campaign_key
  from incentives incentive join staged_key staged on staged.key = incentive.campaign_key
  where incentive.asset is not null and position = any (incentive_positions)
  union
  select 'token', campaign.action_token_chain_id, campaign.action_token_address, campaign.key
  from campaigns campaign join staged_key staged on staged.key = campaign.key
  where campaign.action_token_address is not null
  union
  select 'channel', 0, fold_case(channel), campaign.key
  from campaigns campaign join staged_key staged on staged.key = campaign.key, unnest(campaign.distribution_channels) channel
  union
  select 'collection', nft_collection_chain_id, nft_collection_address, key
  from staged_campaign join staged_key using (id) where nft_collection_address is not null
) facet
join campaigns on key = campaign_key;

-- name: deleteSurplusFacets
delete from campaign_facets stored using differing_facets other
where is_surplus
  and (stored.kind, stored.chain_id, stored.value, stored.campaign_key) = (other.kind, other.chain_id, other.value, other.campaign_key);

-- name: insertMissingFacets
insert into campaign_facets (kind, chain_id, value, campaign_key, block_timestamp)
select kind, chain_id, value, campaign_key, block_timestamp from differing_facets where not is_surplus;
