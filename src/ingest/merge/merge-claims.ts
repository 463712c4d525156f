import { noteFollowingClaims } from '../../read-models/claim-intervals/maintain.ts'
import { populating, type Step, stepsFor, stepsUnlessEmpty } from '../../read-models/steps.ts'
import { isSameClaim } from '../staging/staging.ts'
import { touchClaimed } from './merge-campaigns.ts'
import { upsert } from './merge-records.ts'

/*
 * The changes by staged claims: a row with direction -1 for each claim that is removed or replaced, and one with +1 for
 * each that is added or replaces one. All figures derived from claims change by these rows, so the work does not grow
 * with the number of claims that a campaign has already.
 */

export const claimChangeTables = {
  claim_changes:
    'direction smallint, chain_id bigint, tx_hash bytea, log_index integer, campaign_key bigint, incentive_position smallint, claimant text, amount numeric, amount_usd numeric, block_timestamp bigint, is_value_derived boolean',
  claimant_changes: 'campaign_key bigint, claimant text, was_there boolean, has_come boolean',
}

/**
 * Whether a claimant has a claim on a campaign. Asked incentive by incentive, so that an index answers however many
 * claims there are.
 */
const hasClaim = `exists (
  select from incentives join claims on claims.campaign_key = incentives.campaign_key
    and claims.incentive_position = incentives.position and claims.claimant = changes.claimant
  where incentives.campaign_key = changes.campaign_key)`

const goneBy = (claims: string) => `insert into claim_changes
  select -1, chain_id, tx_hash, log_index, campaign_key, recorded.incentive_position, recorded.claimant, recorded.amount,
    recorded.amount_usd, recorded.block_timestamp, recorded.is_value_derived
  from ${claims} claim join claims recorded using (chain_id, tx_hash, log_index)`

const revertedClaims = goneBy('(select distinct chain_id, tx_hash, log_index from withdrawn_claim)')

/**
 * A claim whose record has no value gets the value by the price, which is not looked up for other claims (`offset 0`:
 * else the planner looks it up first and reads the record afterwards).
 */
const comingClaims = `insert into claim_changes
  select 1, claim.chain_id, claim.tx_hash, log_index, campaigns.key, incentive_position, claimant, amount,
    coalesce(claim.amount_usd, derived.amount_usd), claim.block_timestamp, claim.amount_usd is null and asset is not null
  from staged_claim claim join campaigns on campaigns.id = campaign_id
  join incentives on campaign_key = campaigns.key and position = incentive_position
  left join lateral (
    select amount_usd from derived_claim_value(incentives.chain_id, asset, claim.amount, claim.block_timestamp)
    where claim.amount_usd is null offset 0
  ) derived on true`

/** Claims that are already stored this way change nothing, and touch no campaign. */
const dropUnchanged = `with unchanged as (
    delete from claim_changes recorded using campaigns, staged_claim claim
    where campaigns.key = recorded.campaign_key
      and ${isSameClaim('recorded', 'claim')}
      and (campaigns.id, recorded.incentive_position, recorded.claimant, recorded.amount,
          case when not recorded.is_value_derived then recorded.amount_usd end, recorded.block_timestamp)
        is not distinct from (claim.campaign_id, claim.incentive_position, claim.claimant, claim.amount, claim.amount_usd,
          claim.block_timestamp)
    returning recorded.chain_id, recorded.tx_hash, recorded.log_index
  )
  delete from staged_claim claim using unchanged
  where ${isSameClaim('claim', 'unchanged')}`

const changedClaimants = `insert into claimant_changes
  select campaign_key, claimant, has_gone or ${hasClaim}, has_come
  from (
    select campaign_key, claimant, bool_or(direction = -1) as has_gone, bool_or(direction = 1) as has_come
    from claim_changes group by campaign_key, claimant
  ) changes`

/** After the claims have been merged: a claimant whose claims have all gone is one less. */
const countClaimants = `merge into campaign_claimant_counts counts
  using (
    select campaign_key, sum((has_come or ${hasClaim})::integer - was_there::integer) as claimant_count
    from claimant_changes changes group by campaign_key
  ) changes
  on counts.campaign_key = changes.campaign_key
  when matched and counts.claimant_count + changes.claimant_count = 0 then delete
  when matched and changes.claimant_count <> 0
    then update set claimant_count = counts.claimant_count + changes.claimant_count
  when not matched and changes.claimant_count > 0 then insert (campaign_key, claimant_count)
    values (changes.campaign_key, changes.claimant_count)`

/** Once every campaign has its key. Unchanged claims do not even start to write, and so take no revision. */
export const mergeClaims: Step[] = [
  ...stepsFor(['withdrawnClaim'], populating('claim_changes', revertedClaims)),
  ...stepsFor(
    ['claim'],
    populating('claim_changes', goneBy('staged_claim')),
    dropUnchanged,
    populating('claim_changes', comingClaims),
  ),
  ...stepsFor(['claim', 'withdrawnClaim'], touchClaimed, populating('claimant_changes', changedClaimants)),
  ...noteFollowingClaims,
  ...stepsUnlessEmpty(
    'claim_changes',
    ['withdrawnClaim'],
    `delete from claims using withdrawn_claim withdrawn where ${isSameClaim('claims', 'withdrawn')}`,
  ),
  ...stepsUnlessEmpty(
    'claim_changes',
    ['claim'],
    upsert(
      'claims',
      ['chain_id', 'tx_hash', 'log_index'],
      [
        ...['campaign_key', 'incentive_position', 'claimant', 'amount', 'amount_usd', 'block_timestamp'],
        'is_value_derived',
      ],
      'select * from claim_changes where direction = 1',
    ),
  ),
  ...stepsFor(['claim', 'withdrawnClaim'], countClaimants),
]
