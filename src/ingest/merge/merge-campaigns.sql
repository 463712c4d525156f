-- name: touchWithdrawn
insert into touched_campaigns (key, is_record_touched)
select distinct key, true from withdrawn_campaign join campaigns using (id)
where not exists (select from touched_campaigns already where already.key = campaigns.key);

-- name: touchReplaced
insert into touched_campaigns (key, is_record_touched)
select distinct key, true from staged_campaign join campaigns using (id)
where not exists (select from touched_campaigns already where already.key = campaigns.key);

-- name: touchByTokens
-- Those that pay a token whose whitelisting changes.
insert into touched_campaigns (key, is_record_touched)
select distinct incentives.campaign_key, false
from staged_token token
left join tokens known using (chain_id, address)
join incentives on incentives.chain_id = token.chain_id and incentives.asset = token.address
where coalesce(token.is_whitelisted, false) <> coalesce(known.is_whitelisted, false)
  and not exists (select from touched_campaigns already where already.key = incentives.campaign_key);

-- name: touchByTemplates
-- Those of an action template whose type changes.
insert into touched_campaigns (key, is_record_touched)
select distinct campaigns.key, false
from staged_actiontemplate template
join action_templates known using (id)
join campaigns on campaigns.action_template_id = template.id
where fold_case(template.action_type) <> fold_case(known.action_type)
  and not exists (select from touched_campaigns already where already.key = campaigns.key);

-- name: findStagedKeys
-- Once all of them are stored, and so have a key.
insert into staged_key
select campaigns.key, staged_campaign.id, staged_campaign.incentive_positions
from staged_campaign join campaigns using (id);

-- name: touchStaged
insert into touched_campaigns (key, is_record_touched)
select distinct key, true from staged_key
where not exists (select from touched_campaigns already where already.key = staged_key.key);

-- name: deleteAllowLists
delete from allow_lists where campaign_key in (select key from staged_key);

-- name: deleteActionSteps
delete from action_steps where campaign_key in (select key from staged_key);

-- name: deleteFacets
delete from campaign_facets where campaign_key in (select key from staged_key);

-- name: storeIncentives
-- Those that a campaign no longer has go at the end of the batch (`deleteIncentives`). An unchanged one writes nothing.
insert into incentives as target (campaign_key, position, type, chain_id, asset, definition, auction)
select key, staged_key.incentive_positions[nth], type, chain_id, case when pays_token then definition ->> 'asset' end,
  definition - 'auction', definition -> 'auction'
from staged_campaign join staged_key using (id),
  jsonb_array_elements(incentives) with ordinality as incentive (definition, nth)
left join incentive_traits on type = definition ->> 'type'
on conflict (campaign_key, position) do update
set type = excluded.type, chain_id = excluded.chain_id, asset = excluded.asset, definition = excluded.definition,
  auction = excluded.auction
where (target.type, target.chain_id, target.asset, target.definition, target.auction)
  is distinct from (excluded.type, excluded.chain_id, excluded.asset, excluded.definition, excluded.auction);

-- name: insertActionSteps
insert into action_steps (campaign_key, position, definition)
select key, position - 1, definition
from staged_campaign join staged_key using (id),
  jsonb_array_elements(action_steps) with ordinality as step (definition, position);

-- name: insertAllowLists
insert into allow_lists (campaign_key, owner, contract_address, type, access_list_id, allowed_list_ids, denied_list_ids,
  has_recorded_addresses, address_count)
select key, allow_list_owner, allow_list_contract_address, allow_list_type, access_list_id,
  array(select jsonb_array_elements_text(allowed_list_ids)), array(select jsonb_array_elements_text(denied_list_ids)),
  allow_list_addresses is not null,
  (select count(distinct address) from unnest(allow_list_addresses) as address)
from staged_campaign join staged_key using (id) where allow_list_type is not null;

-- name: insertAllowListAddresses
insert into allow_list_addresses (campaign_key, address)
select distinct key, address
from staged_campaign join staged_key using (id), unnest(allow_list_addresses) as address;

-- name: dropUnchangedStates
-- Only those incentives stay staged whose new state differs from what is stored.
delete from staged_incentive_state staged where not exists (
  select from campaigns join incentives stored on stored.campaign_key = campaigns.key
  where campaigns.id = staged.campaign_id and stored.position = staged.position
    and (stored.definition, stored.auction) is distinct from (staged.definition - 'auction', staged.definition -> 'auction'));

-- name: recordRestated
insert into pending_changes
select distinct 'campaign.changed', chain_id, id from staged_incentive_state join campaigns on id = campaign_id;

-- name: touchRestated
insert into touched_campaigns (key, is_record_touched)
select distinct key, false from staged_incentive_state join campaigns on id = campaign_id
where not exists (select from touched_campaigns already where already.key = campaigns.key);

-- name: attachSignatures
-- Those of incentives that were withdrawn, and come again.
with attached as (
  delete from detached_claim_signatures detached using staged_key
  where detached.campaign_id = staged_key.id and incentive_position = any (staged_key.incentive_positions)
  returning staged_key.key as campaign_key, claimant, incentive_position, signature, referrer
)
insert into claim_signatures (campaign_key, claimant, incentive_position, signature, referrer)
select campaign_key, claimant, incentive_position, signature, referrer from attached
on conflict do nothing;

-- name: detachFromIncentives
-- Signatures belong to the operator: what is withdrawn may come again, and its signatures with it. The checks guarantee that no
-- signature refers to an incentive that an import withdraws; a chain that has changed is not checked.
with gone as (
  delete from claim_signatures using staged_key
  where campaign_key = staged_key.key and incentive_position <> all (staged_key.incentive_positions)
  returning campaign_key, claimant, incentive_position, signature, referrer
)
insert into detached_claim_signatures (campaign_id, claimant, incentive_position, signature, referrer)
select campaigns.id, claimant, incentive_position, signature, referrer
from gone join campaigns on campaigns.key = gone.campaign_key join followed_chains using (chain_id)
on conflict (campaign_id, claimant, incentive_position) do update
set signature = excluded.signature, referrer = excluded.referrer;

-- name: deleteIncentives
-- Once no claim refers to them: the claims of this batch may just have left an incentive that is withdrawn.
delete from incentives using staged_key
where incentives.campaign_key = staged_key.key and incentives.position <> all (staged_key.incentive_positions);

-- name: detachFromCampaigns
with gone as (
  delete from claim_signatures using campaigns leaving join withdrawn_campaign using (id)
  where campaign_key = leaving.key
  returning campaign_key, claimant, incentive_position, signature, referrer
)
insert into detached_claim_signatures (campaign_id, claimant, incentive_position, signature, referrer)
select campaigns.id, claimant, incentive_position, signature, referrer
from gone join campaigns on campaigns.key = gone.campaign_key join followed_chains using (chain_id)
on conflict (campaign_id, claimant, incentive_position) do update
set signature = excluded.signature, referrer = excluded.referrer;

-- name: deleteCampaigns
delete from campaigns using withdrawn_campaign where campaigns.id = withdrawn_campaign.id;

-- name: recountAddresses
-- Of all campaigns.
update allow_lists list set address_count = due.count
from (
  select key, (select count(*) from allow_list_addresses where campaign_key = key) as count from campaigns
) due
where list.campaign_key = due.key and list.address_count <> due.count;
