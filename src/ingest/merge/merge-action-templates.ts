import { readStatements } from '../../read-models/named-statements.ts'
import { type Step, stepsFor } from '../../read-models/steps.ts'

const statements = readStatements('ingest/merge/merge-action-templates.sql', 'mergeActionTemplates')

/** Action templates, before the campaigns that refer to them; those that are removed go at the end of the batch (`removeReferred`). */
export const mergeActionTemplates: Step[] = stepsFor(['actionTemplate'], statements.mergeActionTemplates)
