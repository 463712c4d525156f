import { campaignFields, withColumns } from '../../database/campaign-fields.ts'
import { insertStagedFacets } from '../../read-models/campaign-index/maintain.ts'
import { populating, type Step, stepsFor } from '../../read-models/steps.ts'
import { upsert } from './upsert.ts'

/*
 * How staged campaigns become rows of six tables, and are removed, and which campaigns a batch touches. They are
 * replaced whole; their claims stay.
 */

/** Marks campaigns, except those already marked. `isRecordAffected`: see the working tables. */
const touch = (keys: string, { isRecordAffected }: { isRecordAffected: boolean }) =>
  populating(
    'touched_campaigns',
    `insert into touched_campaigns (key, is_record_touched)
    select distinct key, ${isRecordAffected} from (${keys}) touching
    where not exists (select from touched_campaigns already where already.key = touching.key)`,
  )

/** The campaigns of changed claims. */
export const touchClaimed = touch('select campaign_key as key from claim_deltas', { isRecordAffected: false })

/**
 * Campaigns whose derived columns may change; for each of them the sources are read again. Stored ones that are
 * replaced or withdrawn come first: what they add to the totals of contracts must be known before anything changes.
 * Those that are only claimed come with their claims.
 */
export const touchCampaigns: Step[] = [
  ...stepsFor(
    ['withdrawnCampaign'],
    touch('select key from withdrawn_campaign join campaigns using (id)', { isRecordAffected: true }),
  ),
  ...stepsFor(
    ['campaign'],
    touch('select campaigns.key from staged_campaign join campaigns using (id)', { isRecordAffected: true }),
  ),
  ...stepsFor(
    ['token'],
    touch(
      `select incentives.campaign_key as key
      from staged_token token
      left join tokens known using (chain_id, address)
      join incentives on incentives.chain_id = token.chain_id and incentives.asset = token.address
      where coalesce(token.is_whitelisted, false) <> coalesce(known.is_whitelisted, false)`,
      { isRecordAffected: false },
    ),
  ),
  ...stepsFor(
    ['actionTemplate'],
    touch(
      `select campaigns.key
      from staged_actiontemplate template
      join action_templates known using (id)
      join campaigns on campaigns.action_template_id = template.id
      where fold_case(template.action_type) <> fold_case(known.action_type)`,
      { isRecordAffected: false },
    ),
  ),
]

/** The columns of campaigns with their values where they are staged. */
const campaignColumns = Object.fromEntries([
  ...['chain_id', 'core_address', 'identifier', 'max_claims_per_claimant'].map((column) => [column, column]),
  ...withColumns(campaignFields).map(({ sqlName, sqlType }) => [
    sqlName,
    sqlType === 'text[]' ? `array(select jsonb_array_elements_text(${sqlName}))` : sqlName,
  ]),
  ...['action_token_chain_id', 'action_token_address'].map((column) => [column, column]),
  ['uses_template_as_is', 'action_template_id is not null and not custom_action'],
])

/** Campaigns with everything that is replaced with them. */
export const mergeCampaigns = stepsFor(
  ['campaign'],
  upsert(
    'campaigns',
    ['id'],
    Object.keys(campaignColumns),
    `select id, ${Object.entries(campaignColumns)
      .map(([column, value]) => `${value} as ${column}`)
      .join(', ')}
    from staged_campaign`,
  ),
  populating(
    'staged_key',
    `insert into staged_key
    select campaigns.key, staged_campaign.id, staged_campaign.incentive_positions
    from staged_campaign join campaigns using (id)`,
  ),
  touch('select key from staged_key', { isRecordAffected: true }),
  `delete from allow_lists where campaign_key in (select key from staged_key)`,
  `delete from action_steps where campaign_key in (select key from staged_key)`,
  `delete from campaign_facets where campaign_key in (select key from staged_key)`,
  upsert(
    'incentives',
    ['campaign_key', 'position'],
    ['type', 'chain_id', 'asset', 'definition', 'auction'],
    `select key as campaign_key, staged_key.incentive_positions[nth] as position, definition ->> 'type' as type, chain_id,
      definition ->> 'asset' as asset, definition - 'auction' as definition, definition -> 'auction' as auction
    from staged_campaign join staged_key using (id),
      jsonb_array_elements(incentives) with ordinality as incentive (definition, nth)`,
  ),
  `insert into action_steps (campaign_key, position, definition)
  select key, position - 1, definition
  from staged_campaign join staged_key using (id),
    jsonb_array_elements(action_steps) with ordinality as step (definition, position)`,
  `insert into allow_lists (campaign_key, owner, contract_address, type, access_list_id, allowed_list_ids,
    denied_list_ids, has_recorded_addresses, address_count)
  select key, allow_list_owner, allow_list_contract_address, allow_list_type, access_list_id,
    array(select jsonb_array_elements_text(allowed_list_ids)), array(select jsonb_array_elements_text(denied_list_ids)),
    allow_list_addresses is not null,
    (select count(distinct address) from unnest(allow_list_addresses) as address)
  from staged_campaign join staged_key using (id) where allow_list_type is not null`,
  `insert into allow_list_addresses (campaign_key, address)
  select distinct key, address
  from staged_campaign join staged_key using (id), unnest(allow_list_addresses) as address`,
  insertStagedFacets,
)

/**
 * Incentives with a new state: only those stay staged that differ from what is stored, which comes with what is derived from it.
 * Searches find their campaigns as before.
 */
export const findRestatedIncentives = stepsFor(
  ['incentive'],
  `delete from staged_incentive_state staged where not exists (
    select from campaigns join incentives stored on stored.campaign_key = campaigns.key
    where campaigns.id = staged.campaign_id and stored.position = staged.position
      and (stored.definition, stored.auction) is distinct from (staged.definition - 'auction', staged.definition -> 'auction'))`,
  `insert into pending_changes
  select distinct 'campaign.changed', chain_id, id from staged_incentive_state join campaigns on id = campaign_id`,
  touch('select key from staged_incentive_state join campaigns on id = campaign_id', { isRecordAffected: false }),
)

const signatureColumns = 'claimant, incentive_position, signature, referrer'

/** Signatures belong to the operator: withdrawn campaigns may come again, and their signatures with them. */
const detachSignatures = (those: string) => `with gone as (
    delete from claim_signatures using ${those} returning campaign_key, ${signatureColumns}
  )
  insert into detached_claim_signatures (campaign_id, ${signatureColumns})
  select campaigns.id, ${signatureColumns} from gone join campaigns on campaigns.key = gone.campaign_key
    join followed_chains using (chain_id)
  on conflict (campaign_id, claimant, incentive_position) do update
  set signature = excluded.signature, referrer = excluded.referrer`

/** Once no claim refers to them: the claims of this call may just have left an incentive that is withdrawn. */
export const withdrawIncentives: Step[] = [
  ...stepsFor(
    ['campaign'],
    `with attached as (
      delete from detached_claim_signatures detached using staged_key
      where detached.campaign_id = staged_key.id and incentive_position = any (staged_key.incentive_positions)
      returning staged_key.key as campaign_key, ${signatureColumns}
    )
    insert into claim_signatures (campaign_key, ${signatureColumns})
    select campaign_key, ${signatureColumns} from attached on conflict do nothing`,
    // The checks guarantee that no signature refers to an imported one. A chain that has changed is not checked.
    detachSignatures(`staged_key where campaign_key = staged_key.key
    and incentive_position <> all (staged_key.incentive_positions)`),
    `delete from incentives using staged_key
    where incentives.campaign_key = staged_key.key and incentives.position <> all (staged_key.incentive_positions)`,
  ),
  ...stepsFor(
    ['withdrawnCampaign'],
    detachSignatures(`campaigns leaving join withdrawn_campaign using (id) where campaign_key = leaving.key`),
    `delete from campaigns using withdrawn_campaign where campaigns.id = withdrawn_campaign.id`,
  ),
]
