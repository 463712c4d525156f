import { readStatements } from '../named-statements.ts'
import { type Step, stepsFor } from '../steps.ts'

const statements = readStatements(
  'read-models/claim-hours/maintain.sql',
  ...(['changeClaimHours', 'emptyClaimHours', 'fillClaimHours'] as const),
)

/** After the claims of a batch are stored. */
export const changeClaimHours: Step[] = stepsFor(['claim', 'withdrawnClaim'], statements.changeClaimHours)

/** From all claims, once their values are right. */
export const recomputeClaimHours = [statements.emptyClaimHours, statements.fillClaimHours]
