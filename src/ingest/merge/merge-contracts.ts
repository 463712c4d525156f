import { readStatements } from '../../read-models/named-statements.ts'
import { type Step, stepsFor } from '../../read-models/steps.ts'

const statements = readStatements('ingest/merge/merge-contracts.sql', 'mergeContracts')

/** Names of contracts. */
export const mergeContracts: Step[] = stepsFor(['contract'], statements.mergeContracts)
