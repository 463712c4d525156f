import { readStatements } from '../named-statements.ts'
import { populating, type Step, stepsFor, stepsUnlessEmpty } from '../steps.ts'

const recomputing = [
  ...(['emptyClaimantCounts', 'fillClaimantCounts', 'recountClaims', 'touchAll', 'analyzeTouched'] as const),
  ...(['refreshIncentives', 'refreshFlags'] as const),
]

const statements = readStatements(
  'read-models/incentive-state/maintain.sql',
  ...(['noteClaimants', 'changeClaimantCounts', ...recomputing] as const),
)

export const stateTables = {
  // Whether each had a claim on the campaign before, and gets one.
  affected_claimants: 'campaign_key bigint, claimant text, was_there boolean, has_come boolean',
  // Campaigns whose flags have turned, by which they are found; else an incentive has become spent, or is no longer spent.
  turned_campaigns: 'key bigint, is_flag_turned boolean',
}

/** Once the changed claims are known, and before they are stored. */
export const noteClaimants: Step[] = stepsFor(
  ['claim', 'withdrawnClaim'],
  populating('affected_claimants', statements.noteClaimants),
)

/** After the claims are stored. */
export const changeClaimantCounts: Step[] = stepsFor(['claim', 'withdrawnClaim'], statements.changeClaimantCounts)

/** For the campaigns in `touched_campaigns`, after their records and `claim_deltas` are stored. */
export const refreshIncentiveState: Step[] = [
  ...stepsUnlessEmpty(
    'touched_campaigns',
    ['campaign', 'incentive', 'claim', 'withdrawnClaim'],
    statements.refreshIncentives,
  ),
  ...stepsUnlessEmpty(
    'touched_campaigns',
    ['campaign', 'incentive', 'claim', 'withdrawnClaim', 'token'],
    statements.refreshFlags,
  ),
]

/** From all claims and records, on a connection that has working tables. */
export const recomputeIncentiveState = recomputing.map((name) => statements[name])
