-- name: campaignOfFollowedChain
-- Two who write the same facts would never agree: only who follows a chain (`reward_campaigns.follows`) writes what it says.
select line_id, '/id', 'is of chain ' || chain_id || ', which is followed by index and not imported: '
  || 'only what no chain tells of a campaign can be, as campaignMetadata'
from staged_campaign join followed_chains using (chain_id)
where chain_id::text is distinct from current_setting('reward_campaigns.follows', true);

-- name: claimOfFollowedChain
select line_id, '/campaignId', 'is of chain ' || chain_id || ', which is followed by index and not imported: '
  || 'only what no chain tells of a campaign can be, as campaignMetadata'
from staged_claim join followed_chains using (chain_id)
where chain_id::text is distinct from current_setting('reward_campaigns.follows', true);

-- name: withdrawnCampaignOfFollowedChain
select line_id, '/id', 'is of chain ' || chain_id || ', which is followed by index and not imported: '
  || 'only what no chain tells of a campaign can be, as campaignMetadata'
from (select line_id, split_part(id, ':', 1)::bigint as chain_id from withdrawn_campaign) withdrawn
join followed_chains using (chain_id)
where chain_id::text is distinct from current_setting('reward_campaigns.follows', true);

-- name: withdrawnClaimOfFollowedChain
select line_id, '/chainId', 'is of chain ' || chain_id || ', which is followed by index and not imported: '
  || 'only what no chain tells of a campaign can be, as campaignMetadata'
from withdrawn_claim join followed_chains using (chain_id)
where chain_id::text is distinct from current_setting('reward_campaigns.follows', true);

-- name: removedTokenOfFollowedChain
-- One that was read on the chain; one that was imported may be removed.
select line_id, '/address', 'is of chain ' || chain_id || ', which is followed by index and not imported: '
  || 'only what no chain tells of a campaign can be, as campaignMetadata'
from staged_token removed join tokens using (chain_id, address) join followed_chains using (chain_id)
where chain_id::text is distinct from current_setting('reward_campaigns.follows', true) and is_removed and not is_imported;

-- name: unknownTemplateOfCampaign
select line_id, '/actionTemplateId',
  'refers to action template ' || action_template_id || ', which is neither stored nor in the call'
from staged_campaign
where action_template_id is not null
  and not exists (select from staged_actiontemplate where id = action_template_id and is_removed is null)
  and not exists (select from action_templates where id = action_template_id);

-- name: unknownTemplateOfMetadata
select line_id, '/actionTemplateId',
  'refers to action template ' || template || ', which is neither stored nor in the call'
from staged_campaignmetadata, lateral (select (chosen ->> 'action_template_id')::uuid as template) named
where template is not null
  and not exists (select from staged_actiontemplate where id = template and is_removed is null)
  and not exists (select from action_templates where id = template);

-- name: unknownAccessListOfCampaign
select line_id, '/allowList/accessListId',
  'refers to access list ' || access_list_id || ', which is neither stored nor in the call'
from staged_campaign
where access_list_id is not null
  and not exists (select from staged_accesslist where id = access_list_id and is_removed is null)
  and not exists (select from access_lists where id = access_list_id);

-- name: unknownAccessListOfMetadata
select line_id, '/accessListId', 'refers to access list ' || list || ', which is neither stored nor in the call'
from staged_campaignmetadata, lateral (select chosen ->> 'access_list_id' as list) named
where list is not null
  and not exists (select from staged_accesslist where id = list and is_removed is null)
  and not exists (select from access_lists where id = list);

-- name: claimsOfLostIncentive
-- A campaign that is replaced, and no longer has an incentive with claims; a claim that is replaced in the same call may leave it.
-- In materialized subqueries: the planner might otherwise compare positions before campaigns, which is every record with every other.
with shrunk as materialized (
  select campaign.line_id, campaign.incentive_positions, stored.key
  from staged_campaign campaign join campaigns stored on stored.id = campaign.id
  where exists (
    select from incentives where campaign_key = stored.key and position <> all (campaign.incentive_positions))
), withdrawn as materialized (
  select shrunk.line_id, shrunk.incentive_positions, recorded.*
  from shrunk
  join claims recorded on recorded.campaign_key = shrunk.key
    and recorded.incentive_position <> all (shrunk.incentive_positions)
)
select line_id, '/incentives' as pointer, 'has ' || cardinality(incentive_positions) || ' incentives, but claims of incentive '
  || max(incentive_position) || ' are stored' as message
from withdrawn
where not exists (
    select from staged_claim claim where claim.chain_id = withdrawn.chain_id and claim.tx_hash = withdrawn.tx_hash
      and claim.log_index = withdrawn.log_index)
  and not exists (
    select from withdrawn_claim claim where claim.chain_id = withdrawn.chain_id and claim.tx_hash = withdrawn.tx_hash
      and claim.log_index = withdrawn.log_index)
group by line_id, incentive_positions;

-- name: signaturesOfLostIncentive
-- The same with signatures; those of a followed chain are stored until the incentive returns.
with shrunk as materialized (
  select campaign.line_id, campaign.incentive_positions, campaign.id as campaign_id, stored.key, stored.chain_id
  from staged_campaign campaign join campaigns stored on stored.id = campaign.id
  where exists (
    select from incentives where campaign_key = stored.key and position <> all (campaign.incentive_positions))
), withdrawn as materialized (
  select shrunk.line_id, shrunk.incentive_positions, shrunk.campaign_id, shrunk.chain_id, recorded.claimant,
    recorded.incentive_position
  from shrunk
  join claim_signatures recorded on recorded.campaign_key = shrunk.key
    and recorded.incentive_position <> all (shrunk.incentive_positions)
)
select line_id, '/incentives' as pointer, 'has ' || cardinality(incentive_positions)
  || ' incentives, but signatures of incentive ' || max(incentive_position) || ' are stored' as message
from withdrawn
where not exists (select from followed_chains where followed_chains.chain_id = withdrawn.chain_id)
  and not exists (
    select from staged_claimsignature removed where is_removed and removed.campaign_id = withdrawn.campaign_id
      and removed.claimant = withdrawn.claimant and removed.incentive_position = withdrawn.incentive_position)
group by line_id, incentive_positions;

-- name: priceInTheFuture
select line_id, '/at', 'is in the future' from staged_tokenprice where at > clock_timestamp() and is_removed is null;

-- name: unknownIncentiveOfClaim
select source.line_id,
  case when named.id is null and stored.key is null then '/campaignId' else '/incentiveIndex' end as pointer,
  case when named.id is null and stored.key is null
    then 'refers to campaign ' || source.campaign_id || ', which is neither stored nor in the call'
    else 'refers to incentive ' || source.incentive_position || ', which the campaign does not have' end as message
from staged_claim source
left join staged_campaign named on named.id = source.campaign_id
left join campaigns stored on stored.id = source.campaign_id
  and not exists (select from withdrawn_campaign withdrawn where withdrawn.id = source.campaign_id)
where source.is_removed is null and case
  when named.id is not null then source.incentive_position <> all (named.incentive_positions)
  else not exists (
    select from incentives where campaign_key = stored.key and position = source.incentive_position) end;

-- name: unknownIncentiveOfSignature
-- Who records a proof names no incentive.
select source.line_id,
  case when named.id is null and stored.key is null or source.signature like 'proof:%' then '/campaignId'
    else '/incentiveId' end as pointer,
  case when named.id is null and stored.key is null
    then 'refers to campaign ' || source.campaign_id || ', which is neither stored nor in the call'
    else 'refers to incentive ' || source.incentive_position || ', which the campaign does not have' end as message
from staged_claimsignature source
left join staged_campaign named on named.id = source.campaign_id
left join campaigns stored on stored.id = source.campaign_id
  and not exists (select from withdrawn_campaign withdrawn where withdrawn.id = source.campaign_id)
where source.is_removed is null and case
  when named.id is not null then source.incentive_position <> all (named.incentive_positions)
  else not exists (
    select from incentives where campaign_key = stored.key and position = source.incentive_position) end;

-- name: otherKindOfSignature
-- A signature where the incentive takes a proof, or the other way round.
select line_id,
  case when is_proof then '/campaignId' else '/incentiveId' end,
  case when is_proof then 'refers to campaign ' || campaign_id || ', which pays nothing by a proof'
    else 'refers to incentive ' || incentive_position || ', which is claimed by a claimProof' end
from (
  select source.*, source.signature like 'proof:%' as is_proof, coalesce(
    named.incentives -> (array_position(named.incentive_positions, source.incentive_position) - 1) ->> 'type',
    (select incentives.type from campaigns join incentives on incentives.campaign_key = campaigns.key
      where campaigns.id = source.campaign_id and incentives.position = source.incentive_position)) as type
  from staged_claimsignature source left join staged_campaign named on named.id = source.campaign_id
  where source.is_removed is null
) signed
join incentive_traits traits using (type)
where is_proof <> (traits.reward = 'proof');

-- name: claimsOfWithdrawnCampaign
select withdrawn_campaign.line_id, '/id', 'campaign ' || campaigns.id || ' still has claims'
from withdrawn_campaign join campaigns using (id)
where exists (
  select from claims recorded where recorded.campaign_key = campaigns.key
    and not exists (
      select from withdrawn_claim withdrawn where withdrawn.chain_id = recorded.chain_id
        and withdrawn.tx_hash = recorded.tx_hash and withdrawn.log_index = recorded.log_index)
    and not exists (
      select from staged_claim claim where claim.chain_id = recorded.chain_id and claim.tx_hash = recorded.tx_hash
        and claim.log_index = recorded.log_index));

-- name: signaturesOfWithdrawnCampaign
-- Those of a campaign that its chain has reverted are stored until it returns.
select withdrawn_campaign.line_id, '/id', 'campaign ' || campaigns.id || ' still has signatures'
from withdrawn_campaign join campaigns using (id)
where withdrawn_campaign.is_removed and exists (
  select from claim_signatures recorded where recorded.campaign_key = campaigns.key
    and not exists (
      select from staged_claimsignature removed where removed.is_removed and campaign_id = campaigns.id
        and removed.claimant = recorded.claimant and removed.incentive_position = recorded.incentive_position));

-- name: referredTemplates
-- Action templates to remove to which a campaign still refers, by its record or on its chain; metadata may decide on a campaign that
-- is still to come.
select line_id, '/id', 'is still referred to by a campaign' from staged_actiontemplate removed
where is_removed and (exists (select from campaigns where action_template_id = removed.id) or exists (
  select from campaign_metadata
  where removed.id::text in (chosen ->> 'action_template_id', own ->> 'action_template_id')));

-- name: deleteTemplates
delete from action_templates where id in (select id from staged_actiontemplate removed where is_removed);

-- name: referredAccessLists
select line_id, '/id', 'is still referred to by a campaign' from staged_accesslist removed
where is_removed and (removed.id in (
  select unnest(array[access_list_id] || allowed_list_ids || denied_list_ids) from allow_lists) or exists (
  select from campaign_metadata where removed.id::text in (chosen ->> 'access_list_id', own ->> 'access_list_id')));

-- name: deleteAccessLists
delete from access_lists where id in (select id from staged_accesslist removed where is_removed);
