import { readStatements } from '../../read-models/named-statements.ts'
import { populating, type Step, stepsFor, stepsUnlessEmpty } from '../../read-models/steps.ts'

/*
 * The changes by staged claims: a row with direction -1 for each claim that is removed or replaced, and one with +1 for
 * each that is added or replaces one. All totals derived from claims change by these rows, so the work does not grow
 * with the number of claims that a campaign has already.
 */

export const claimDeltaTables = {
  claim_deltas:
    'direction smallint, chain_id bigint, tx_hash bytea, log_index integer, campaign_key bigint, incentive_position smallint, claimant text, amount numeric, amount_usd numeric, block_timestamp bigint, is_value_derived boolean',
}

const statements = readStatements(
  'ingest/merge/merge-claims.sql',
  ...(['findWithdrawnClaims', 'findChangedClaims', 'touchClaimed'] as const),
  ...(['deleteWithdrawnClaims', 'storeChangedClaims'] as const),
)

/** The campaigns of changed claims. */
export const touchClaimed = populating('touched_campaigns', statements.touchClaimed)

/** Once every campaign has its key: what changes in claims, and the campaigns that are touched by it. */
export const findClaimDeltas: Step[] = [
  ...stepsFor(['withdrawnClaim'], populating('claim_deltas', statements.findWithdrawnClaims)),
  ...stepsFor(['claim'], populating('claim_deltas', statements.findChangedClaims)),
  ...stepsFor(['claim', 'withdrawnClaim'], touchClaimed),
]

/**
 * Unchanged claims do not even start to write, and so take no revision: a campaign is touched by them, or by something
 * else that is written.
 */
export const mergeClaims: Step[] = [
  ...stepsUnlessEmpty('touched_campaigns', ['withdrawnClaim'], statements.deleteWithdrawnClaims),
  ...stepsUnlessEmpty('touched_campaigns', ['claim'], statements.storeChangedClaims),
]
