import { readStatements } from '../../read-models/named-statements.ts'
import { type Step, stepsFor } from '../../read-models/steps.ts'

const statements = readStatements(
  'ingest/merge/merge-signatures.sql',
  ...(['recordSignatures', 'recordDetached', 'recordAttached', 'recordOfWithdrawnCampaigns'] as const),
  ...(['storeSignatures', 'deleteSignatures', 'deleteDetachedSignatures'] as const),
)

/** Signatures and proofs that come, change or go, also with their incentives: before anything is withdrawn. */
export const recordSignatureChanges: Step[] = [
  ...stepsFor(['claimSignature'], statements.recordSignatures),
  ...stepsFor(['campaign'], statements.recordDetached, statements.recordAttached),
  ...stepsFor(['withdrawnCampaign'], statements.recordOfWithdrawnCampaigns),
]

/** Signatures of claims, and proofs, which belong to the operator. */
export const mergeSignatures: Step[] = stepsFor(
  ['claimSignature'],
  statements.storeSignatures,
  statements.deleteSignatures,
  statements.deleteDetachedSignatures,
)
