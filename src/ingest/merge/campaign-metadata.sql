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
cross join lateral campaign_as_staged(campaigns.key) known
cross join lateral jsonb_populate_record(null::staged_campaign,
  as_staged || jsonb_build_object('line_id', metadata.line_id) || coalesce(stored.own, '{}')) again
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
-- A staged campaign as it will be stored, with addresses in their order and each once, beside the stored one as it would be staged.
insert into pending_changes
select 'campaign.changed', campaigns.chain_id, campaigns.id, null
from (
  select id, line_id, jsonb_set(to_jsonb(campaign) - 'line_id', '{allow_list_addresses}',
    case when allow_list_addresses is null then 'null' else coalesce((
      select jsonb_agg(distinct address order by address) from unnest(allow_list_addresses) address), '[]') end) as coming
  from staged_campaign campaign
) staged
join campaigns using (id)
cross join lateral campaign_as_staged(campaigns.key) known
cross join lateral jsonb_populate_record(null::staged_campaign, as_staged || jsonb_build_object('line_id', staged.line_id)) again
where to_jsonb(again) - 'line_id' <> coming;

-- name: recordRemovedCampaigns
insert into pending_changes
select 'campaign.removed', chain_id, id, null from withdrawn_campaign join campaigns using (id);
