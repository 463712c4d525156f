-- name: dropUnchangedMetadata
-- What is stored as it is changes nothing.
delete from staged_campaignmetadata staged using campaign_metadata stored
where stored.id = staged.id and stored.chosen = staged.chosen;

-- name: storeChosen
insert into campaign_metadata (id, chosen) select id, chosen from staged_campaignmetadata where is_removed is null
on conflict (id) do update set chosen = excluded.chosen;

-- name: emptyRemovedMetadata
-- Its campaign is staged again below, without it; the row itself goes once that is done.
update campaign_metadata stored set chosen = '{}' from staged_campaignmetadata removed
where is_removed and stored.id = removed.id;

-- name: stageStoredCampaigns
-- The campaigns of changed metadata, as they would be staged, with what their own records have. Metadata applies only once the
-- campaign's own record is stored.
insert into staged_campaign
select again.* from staged_campaignmetadata metadata
join campaign_metadata stored using (id)
join campaigns using (id)
left join allow_lists on allow_lists.campaign_key = campaigns.key
left join campaign_facets collection on collection.campaign_key = campaigns.key and collection.kind = 'collection'
cross join lateral (
  select coalesce(array_agg(position order by position), '{}') as positions, coalesce(jsonb_agg(
    definition || jsonb_strip_nulls(jsonb_build_object('auction', auction)) order by position), '[]') as incentives
  from incentives where campaign_key = campaigns.key
) paid
cross join lateral (
  select coalesce(jsonb_agg(definition order by position), '[]') as action_steps
  from action_steps where campaign_key = campaigns.key
) actions
cross join lateral jsonb_populate_record(null::staged_campaign, to_jsonb(campaigns) || jsonb_build_object(
  'line_id', metadata.line_id, 'incentives', incentives, 'incentive_positions', positions, 'action_steps', action_steps,
  'nft_collection_chain_id', collection.chain_id, 'nft_collection_address', collection.value,
  'allow_list_owner', allow_lists.owner, 'allow_list_contract_address', contract_address,
  'allow_list_type', allow_lists.type, 'access_list_id', allow_lists.access_list_id,
  'allowed_list_ids', coalesce(allowed_list_ids, '{}'), 'denied_list_ids', coalesce(denied_list_ids, '{}'),
  'allow_list_addresses', case when allow_lists.has_recorded_addresses then array(
    select address from allow_list_addresses where campaign_key = campaigns.key order by address) end
) || coalesce(stored.own, '{}')) again
where not exists (select from staged_campaign named where named.id = metadata.id)
  and not exists (select from withdrawn_campaign removed where removed.id = metadata.id);

-- name: deleteRemovedMetadata
delete from campaign_metadata stored using staged_campaignmetadata removed
where is_removed and stored.id = removed.id;

-- name: forgetOwnColumns
-- Metadata outlives its campaign, which may come again.
update campaign_metadata metadata set own = null
from withdrawn_campaign withdrawn where withdrawn.id = metadata.id and own is not null;

-- name: recordAddedCampaigns
insert into pending_changes
select 'campaign.added', chain_id, id, null from staged_campaign staged
where not exists (select from campaigns where campaigns.id = staged.id);

-- name: recordChangedCampaigns
-- A staged campaign as it will be stored, with addresses in their order and each once, beside the stored one as it would be staged
-- (as in `stageStoredCampaigns`).
insert into pending_changes
select 'campaign.changed', campaigns.chain_id, campaigns.id, null
from (
  select id, line_id, jsonb_set(to_jsonb(campaign) - 'line_id', '{allow_list_addresses}',
    case when allow_list_addresses is null then 'null' else coalesce((
      select jsonb_agg(distinct address order by address) from unnest(allow_list_addresses) address), '[]') end) as coming
  from staged_campaign campaign
) staged
join campaigns using (id)
left join allow_lists on allow_lists.campaign_key = campaigns.key
left join campaign_facets collection on collection.campaign_key = campaigns.key and collection.kind = 'collection'
cross join lateral (
  select coalesce(array_agg(position order by position), '{}') as positions, coalesce(jsonb_agg(
    definition || jsonb_strip_nulls(jsonb_build_object('auction', auction)) order by position), '[]') as incentives
  from incentives where campaign_key = campaigns.key
) paid
cross join lateral (
  select coalesce(jsonb_agg(definition order by position), '[]') as action_steps
  from action_steps where campaign_key = campaigns.key
) actions
cross join lateral jsonb_populate_record(null::staged_campaign, to_jsonb(campaigns) || jsonb_build_object(
  'line_id', staged.line_id, 'incentives', incentives, 'incentive_positions', positions, 'action_steps', action_steps,
  'nft_collection_chain_id', collection.chain_id, 'nft_collection_address', collection.value,
  'allow_list_owner', allow_lists.owner, 'allow_list_contract_address', contract_address,
  'allow_list_type', allow_lists.type, 'access_list_id', allow_lists.access_list_id,
  'allowed_list_ids', coalesce(allowed_list_ids, '{}'), 'denied_list_ids', coalesce(denied_list_ids, '{}'),
  'allow_list_addresses', case when allow_lists.has_recorded_addresses then array(
    select address from allow_list_addresses where campaign_key = campaigns.key order by address) end
)) again
where to_jsonb(again) - 'line_id' <> coming;

-- name: recordRemovedCampaigns
insert into pending_changes
select 'campaign.removed', chain_id, id, null from withdrawn_campaign join campaigns using (id);
