import { type Step, stepsFor } from '../../read-models/steps.ts'
import { chosenColumnNames } from '../staging/staged-columns.ts'

/*
 * A `campaignMetadata` record sets some columns of its campaign, whichever of the two comes first. The columns are
 * overlaid when campaigns are staged, so that everything derived from a campaign sees only the result; a campaign that
 * is already stored is staged again.
 */

const overlaid = chosenColumnNames.join(', ')

/** Joins the row by which a campaign as it is stored would be staged, as `again`. */
const asStaged = (lineId: string, others: string) => `
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
      'line_id', ${lineId}, 'incentives', incentives, 'incentive_positions', positions, 'action_steps', action_steps,
      'nft_collection_chain_id', collection.chain_id, 'nft_collection_address', collection.value,
      'allow_list_owner', allow_lists.owner, 'allow_list_contract_address', contract_address,
      'allow_list_type', allow_lists.type, 'access_list_id', allow_lists.access_list_id,
      'allowed_list_ids', coalesce(allowed_list_ids, '{}'), 'denied_list_ids', coalesce(denied_list_ids, '{}'),
      'allow_list_addresses', case when allow_lists.has_recorded_addresses then array(
        select address from allow_list_addresses where campaign_key = campaigns.key order by address) end
    ) || ${others}) again`

const storeMetadata: Step[] = stepsFor(
  ['campaignMetadata'],
  // What is stored as it is changes nothing.
  `delete from staged_campaignmetadata staged using campaign_metadata stored
  where stored.id = staged.id and stored.chosen = staged.chosen`,
  `insert into campaign_metadata (id, chosen) select id, chosen from staged_campaignmetadata where is_removed is null
  on conflict (id) do update set chosen = excluded.chosen`,
  // The metadata applies only once the campaign's own record is stored.
  `update campaign_metadata stored set chosen = '{}' from staged_campaignmetadata removed
  where is_removed and stored.id = removed.id`,
  `insert into staged_campaign
  select again.* from staged_campaignmetadata metadata
  join campaign_metadata stored using (id)
  join campaigns using (id)
  ${asStaged('metadata.line_id', "coalesce(stored.own, '{}')")}
  where not exists (select from staged_campaign named where named.id = metadata.id)
    and not exists (select from withdrawn_campaign removed where removed.id = metadata.id)`,
)

/** Before anything reads the staged campaigns. */
export const overlayMetadata: Step[] = [
  ...storeMetadata,
  ...stepsFor(
    ['campaign', 'campaignMetadata'],
    `update campaign_metadata metadata set own = staged.own
    from (
      select id, (
        select jsonb_object_agg(key, value) from jsonb_each(to_jsonb(campaign))
        where key = any ('{${overlaid}}')
      ) as own
      from staged_campaign campaign
    ) staged
    where metadata.id = staged.id and metadata.own is distinct from staged.own`,
    // The columns of each kind of list are set together.
    `update staged_campaign staged set (${overlaid}) = (
      select ${overlaid} from jsonb_populate_record(staged, chosen
        - case when allow_list_type = 'OffchainAccessList' then '' else 'access_list_id' end
        - case when allow_list_type in ('SimpleAllowList', 'SimpleDenyList') then '' else 'allow_list_addresses' end))
    from campaign_metadata metadata where metadata.id = staged.id`,
  ),
  ...stepsFor(
    ['campaignMetadata'],
    `delete from campaign_metadata stored using staged_campaignmetadata removed
    where is_removed and stored.id = removed.id`,
  ),
  ...stepsFor(
    ['withdrawnCampaign'],
    `update campaign_metadata metadata set own = null
    from withdrawn_campaign withdrawn where withdrawn.id = metadata.id and own is not null`,
  ),
]

/** A staged campaign as it will be stored: addresses in their order, each once. */
const asItComes = `select id, line_id, jsonb_set(to_jsonb(campaign) - 'line_id', '{allow_list_addresses}',
    case when allow_list_addresses is null then 'null' else coalesce((
      select jsonb_agg(distinct address order by address) from unnest(allow_list_addresses) address), '[]') end) as coming
  from staged_campaign campaign`

/** Which of the staged campaigns are new, or other than what is stored: before anything is stored. */
export const recordCampaignChanges: Step[] = [
  ...stepsFor(
    ['campaign', 'campaignMetadata'],
    `insert into pending_changes
    select 'campaign.added', chain_id, id, null from staged_campaign staged
    where not exists (select from campaigns where campaigns.id = staged.id)`,
    `insert into pending_changes
    select 'campaign.changed', campaigns.chain_id, campaigns.id, null
    from (${asItComes}) staged join campaigns using (id)
    ${asStaged('staged.line_id', "'{}'")}
    where to_jsonb(again) - 'line_id' <> coming`,
  ),
  ...stepsFor(
    ['withdrawnCampaign'],
    `insert into pending_changes
    select 'campaign.removed', chain_id, id, null from withdrawn_campaign join campaigns using (id)`,
  ),
]
