import { readStatements } from '../../read-models/named-statements.ts'
import { type Step, stepsFor } from '../../read-models/steps.ts'

const statements = readStatements('ingest/merge/merge-tokens.sql', 'mergeTokens')

/** Tokens, before the campaigns that pay them. Their prices have a history of their own. */
export const mergeTokens: Step[] = stepsFor(['token'], statements.mergeTokens)
