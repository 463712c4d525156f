import { putIntoMaps, takeOutOfMaps } from './campaign-maps.ts'
import { overlayMetadata } from './campaign-metadata.ts'
import { countClaimants, noteClaimChanges } from './claim-changes.ts'
import { rollUpSteps } from './rollups.ts'
import { allOf, type Step } from './steps.ts'
import { markTouchedCampaigns, touch } from './touched-campaigns.ts'
import { plainUpsert, upsert } from './upserts.ts'

/*
 * How staged records become rows. Every statement works on all records of a type at once; a record that is already
 * stored as it is writes nothing. References have been checked before. Claims that change nothing do not even begin to
 * write, and so take no revision.
 */

const campaignColumns = [
  ...['chain_id', 'core_address', 'identifier', 'campaign_index', 'action', 'budget', 'owner', 'creator', 'validator'],
  ...['block_timestamp', 'tx_hash', 'protocol_fee', 'max_participants', 'action_claimant'],
  ...['created_at_blockchain_numbers', 'campaign_name', 'template_id', 'action_template_id', 'custom_action'],
  ...['nft_image_uri', 'nft_name', 'nft_metadata_id', 'project_image_uri', 'project_url', 'token_image_uri'],
  ...['start_at', 'end_at', 'verification_level', 'autocampaign_id'],
  ...['action_token_chain_id', 'action_token_address'],
]

/** Of other names or forms where they are staged. */
const convertedColumns = {
  distribution_channels: 'array(select jsonb_array_elements_text(distribution_channels))',
  uses_template_as_is: 'action_template_id is not null and not custom_action',
}

const mergeCampaigns = allOf(
  ['campaign'],
  [
    upsert(
      'campaigns',
      ['id'],
      [...campaignColumns, ...Object.keys(convertedColumns)],
      `select id, ${campaignColumns.join(', ')},
      ${Object.entries(convertedColumns)
        .map(([column, value]) => `${value} as ${column}`)
        .join(', ')}
    from staged_campaign`,
    ),
    [
      `insert into staged_key
        select campaigns.key, staged_campaign.id, staged_campaign.incentive_count
        from staged_campaign join campaigns using (id)`,
      'staged_key',
    ],
    [touch('select key from staged_key', { isRecordTouched: true }), 'touched_campaigns'],
    `delete from allow_lists where campaign_key in (select key from staged_key)`,
    `delete from action_steps where campaign_key in (select key from staged_key)`,
    `delete from campaign_facets where campaign_key in (select key from staged_key)`,
    upsert(
      'incentives',
      ['campaign_key', 'position'],
      ['type', 'chain_id', 'asset', 'definition'],
      `select key as campaign_key, position - 1 as position, definition ->> 'type' as type, chain_id,
      definition ->> 'asset' as asset, definition
    from staged_campaign join staged_key using (id),
      jsonb_array_elements(incentives) with ordinality as incentive (definition, position)`,
    ),
    `insert into action_steps (campaign_key, position, definition)
    select key, position - 1, definition
    from staged_campaign join staged_key using (id),
      jsonb_array_elements(action_steps) with ordinality as step (definition, position)`,
    `insert into allow_lists (campaign_key, owner, contract_address, type, access_list_id, address_count)
    select key, allow_list_owner, allow_list_contract_address, allow_list_type, access_list_id,
      (select count(distinct address) from unnest(allow_list_addresses) as address)
    from staged_campaign join staged_key using (id) where allow_list_type is not null`,
    `insert into allow_list_addresses (campaign_key, address)
    select distinct key, address
    from staged_campaign join staged_key using (id), unnest(allow_list_addresses) as address`,
    `insert into campaign_facets (kind, chain_id, value, campaign_key)
    select 'target', (definition ->> 'chainId')::bigint, definition ->> 'targetContract', key
    from action_steps join staged_key on key = campaign_key
    union
    select 'token', incentives.chain_id, asset, key
    from incentives join staged_key on key = campaign_key
    where asset is not null and position < incentive_count
    union
    select 'token', action_token_chain_id, action_token_address, key
    from staged_campaign join staged_key using (id) where action_token_address is not null
    union
    select 'collection', nft_collection_chain_id, nft_collection_address, key
    from staged_campaign join staged_key using (id) where nft_collection_address is not null
    union
    select 'channel', 0, lower(channel), key
    from staged_campaign join staged_key using (id), jsonb_array_elements_text(distribution_channels) as channel`,
  ],
)

const mergeAccessLists = allOf(
  ['accessList'],
  [
    upsert(
      'access_lists',
      ['id'],
      ['user_id', 'name', 'icon', 'created_at', 'member_count'],
      `select *, (select count(distinct address) from unnest(members) as address)::integer as member_count
    from staged_accesslist`,
    ),
    `delete from access_list_members where access_list_id in (select id from staged_accesslist)`,
    `insert into access_list_members (access_list_id, address)
    select distinct id, address from staged_accesslist, unnest(members) as address`,
  ],
)

const mergeClaims: Step[] = [
  { of: ['withdrawnClaim'], sql: noteClaimChanges.withdrawn, fills: 'claim_changes' },
  { of: ['claim'], sql: noteClaimChanges.replaced, fills: 'claim_changes' },
  { of: ['claim'], needs: 'claim_changes', sql: noteClaimChanges.dropUnchanged },
  { of: ['claim'], sql: noteClaimChanges.come, fills: 'claim_changes' },
  {
    of: ['claim', 'withdrawnClaim'],
    sql: touch('select campaign_key as key from claim_changes', { isRecordTouched: false }),
    fills: 'touched_campaigns',
  },
  { of: ['claim', 'withdrawnClaim'], sql: noteClaimChanges.claimants, fills: 'claimant_changes' },
  {
    of: ['withdrawnClaim'],
    needs: 'claim_changes',
    sql: `delete from claims using withdrawn_claim withdrawn
      where claims.chain_id = withdrawn.chain_id and claims.tx_hash = withdrawn.tx_hash
        and claims.log_index = withdrawn.log_index`,
  },
  {
    of: ['claim'],
    needs: 'claim_changes',
    sql: upsert(
      'claims',
      ['chain_id', 'tx_hash', 'log_index'],
      ['campaign_key', 'incentive_position', 'claimant', 'amount', 'amount_usd', 'block_timestamp'],
      'select * from claim_changes where direction = 1',
    ),
  },
  { of: ['claim', 'withdrawnClaim'], sql: countClaimants },
]

/** Once no claim refers to them any more: the claims of this call may just have left an incentive that is withdrawn. */
const withdrawIncentives: Step[] = [
  {
    of: ['campaign'],
    sql: `delete from incentives using staged_key
      where incentives.campaign_key = staged_key.key and incentives.position >= staged_key.incentive_count`,
  },
  {
    of: ['withdrawnCampaign'],
    sql: `delete from claim_signatures using campaigns join withdrawn_campaign using (id)
      where claim_signatures.campaign_key = campaigns.key`,
  },
  {
    of: ['withdrawnCampaign'],
    sql: `delete from campaigns using withdrawn_campaign where campaigns.id = withdrawn_campaign.id`,
  },
]

/** Once the incentives are as the records have them. */
const makeDocuments: Step = {
  of: ['campaign'],
  sql: 'select make_campaign_documents(array(select key from staged_key))',
}

const markTouchedScores = `insert into touched_scores
  select distinct score_bucket from profiles join staged_profile using (user_address)
  where not exists (select from touched_scores already where already.score_bucket = profiles.score_bucket)`

const mergeProfiles: Step[] = [
  { of: ['profile'], sql: markTouchedScores },
  {
    of: ['profile'],
    sql: plainUpsert(
      'profile',
      'profiles',
      ['user_address'],
      [
        ...['eth_earned', 'score', 'streak_value', 'streak_last_expiration_at'],
        ...['streak_next_expiration_at', 'streak_last_completion_at'],
      ],
    ),
  },
  { of: ['profile'], sql: markTouchedScores, fills: 'touched_scores' },
]

/** All steps from staged records to rows and derived figures, in an order in which each finds what it refers to. */
export const mergeSteps: Step[] = [
  ...overlayMetadata,
  ...markTouchedCampaigns,
  ...takeOutOfMaps,
  {
    of: ['token'],
    sql: upsert(
      'tokens',
      ['chain_id', 'address'],
      [
        ...['decimals', 'name', 'symbol', 'image_uri', 'is_whitelisted', 'price_usd', 'base_unit_price_usd'],
        ...['market_cap', 'price_change_24_hr', 'volume_24_hr', 'holders'],
      ],
      // Multiplying by a power of ten is exact; dividing by one would be rounded.
      `select *, price_usd * ('1e-' || decimals)::numeric as base_unit_price_usd from staged_token`,
    ),
  },
  { of: ['contract'], sql: plainUpsert('contract', 'contracts', ['chain_id', 'address'], ['name']) },
  {
    of: ['actionTemplate'],
    sql: plainUpsert(
      'actionTemplate',
      'action_templates',
      ['id'],
      ['project_id', 'action_type', 'project_image', 'description', 'category'],
    ),
  },
  ...mergeAccessLists,
  ...mergeCampaigns,
  ...mergeClaims,
  ...withdrawIncentives,
  makeDocuments,
  {
    of: ['claimSignature'],
    sql: upsert(
      'claim_signatures',
      ['campaign_key', 'claimant', 'incentive_position'],
      ['signature', 'referrer'],
      `select staged_claimsignature.*, campaigns.key as campaign_key
      from staged_claimsignature join campaigns on campaigns.id = campaign_id`,
    ),
  },
  ...mergeProfiles,
  ...rollUpSteps,
  ...putIntoMaps,
]
