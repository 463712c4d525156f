import { populating, type Step, stepsFor, stepsUnlessEmpty } from '../../read-models/steps.ts'
import { isSameClaim } from '../staging/staging.ts'
import { touchClaimed } from './merge-campaigns.ts'
import { upsert } from './upsert.ts'

/*
 * The changes by staged claims: a row with direction -1 for each claim that is removed or replaced, and one with +1 for
 * each that is added or replaces one. All totals derived from claims change by these rows, so the work does not grow
 * with the number of claims that a campaign has already.
 */

export const claimDeltaTables = {
  claim_deltas:
    'direction smallint, chain_id bigint, tx_hash bytea, log_index integer, campaign_key bigint, incentive_position smallint, claimant text, amount numeric, amount_usd numeric, block_timestamp bigint, is_value_derived boolean',
}

const withdrawnClaims = `insert into claim_deltas
  select -1, chain_id, tx_hash, log_index, campaign_key, incentive_position, claimant, amount, amount_usd,
    block_timestamp, is_value_derived
  from (select distinct chain_id, tx_hash, log_index from withdrawn_claim) withdrawn
  join claims using (chain_id, tx_hash, log_index)`

/**
 * Claims that are already stored this way change nothing, and touch no campaign. A claim whose record has no value gets
 * the value by the price, which is not looked up for other claims (`offset 0`: else the planner looks it up first and
 * reads the record afterwards).
 */
const comingClaims = `insert into claim_deltas
  select change.*
  from staged_claim claim join campaigns on campaigns.id = campaign_id
  join incentives on incentives.campaign_key = campaigns.key and position = claim.incentive_position
  left join claims stored on ${isSameClaim('stored', 'claim')}
  left join lateral (
    select amount_usd from derived_claim_value(incentives.chain_id, asset, claim.amount, claim.block_timestamp)
    where claim.amount_usd is null offset 0
  ) derived on true
  cross join lateral (values
    (-1, stored.chain_id, stored.tx_hash, stored.log_index, stored.campaign_key, stored.incentive_position,
      stored.claimant, stored.amount, stored.amount_usd, stored.block_timestamp, stored.is_value_derived),
    (1, claim.chain_id, claim.tx_hash, claim.log_index, campaigns.key, claim.incentive_position, claim.claimant,
      claim.amount, coalesce(claim.amount_usd, derived.amount_usd), claim.block_timestamp,
      claim.amount_usd is null and asset is not null)
  ) change (direction, chain_id)
  where change.chain_id is not null
    and (stored.campaign_key, stored.incentive_position, stored.claimant, stored.amount,
        case when not stored.is_value_derived then stored.amount_usd end, stored.block_timestamp)
      is distinct from (campaigns.key, claim.incentive_position, claim.claimant, claim.amount, claim.amount_usd,
        claim.block_timestamp)`

/** Once every campaign has its key: what changes in claims, and the campaigns that are touched by it. */
export const findClaimDeltas: Step[] = [
  ...stepsFor(['withdrawnClaim'], populating('claim_deltas', withdrawnClaims)),
  ...stepsFor(['claim'], populating('claim_deltas', comingClaims)),
  ...stepsFor(['claim', 'withdrawnClaim'], touchClaimed),
]

/**
 * Unchanged claims do not even start to write, and so take no revision: a campaign is touched by them, or by something
 * else that is written.
 */
export const mergeClaims: Step[] = [
  ...stepsUnlessEmpty(
    'touched_campaigns',
    ['withdrawnClaim'],
    `delete from claims using withdrawn_claim withdrawn where ${isSameClaim('claims', 'withdrawn')}`,
  ),
  ...stepsUnlessEmpty(
    'touched_campaigns',
    ['claim'],
    upsert(
      'claims',
      ['chain_id', 'tx_hash', 'log_index'],
      [
        ...['campaign_key', 'incentive_position', 'claimant', 'amount', 'amount_usd', 'block_timestamp'],
        'is_value_derived',
      ],
      'select * from claim_deltas where direction = 1',
    ),
  ),
]
