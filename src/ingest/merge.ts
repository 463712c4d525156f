import { divideSpans, putIntoMaps, takeOutOfMaps } from '../read-models/campaign-search/maintain.ts'
import { allOf, type Step } from '../read-models/steps.ts'
import { overlayMetadata } from './campaign-metadata.ts'
import { countClaimants, noteClaimChanges } from './claim-changes.ts'
import { makeDocuments, mergeCampaigns, refigureIncentives, withdrawIncentives } from './merge-campaigns.ts'
import { contractSteps, rollUpSteps } from './rollups.ts'
import { markTouchedCampaigns, touch } from './touched-campaigns.ts'
import { plainUpsert, upsert } from './upserts.ts'

/*
 * How staged records become rows. Every statement works on all records of a type at once; a record that is already
 * stored as it is writes nothing. References have been checked before. Claims that change nothing do not even begin to
 * write, and so take no revision.
 */

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
  ...refigureIncentives,
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
  ...contractSteps,
  ...divideSpans,
]
