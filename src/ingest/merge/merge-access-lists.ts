import { readStatements } from '../../read-models/named-statements.ts'
import { type Step, stepsFor } from '../../read-models/steps.ts'

const statements = readStatements(
  'ingest/merge/merge-access-lists.sql',
  ...(['storeAccessLists', 'deleteMembers', 'insertMembers', 'recountMembers'] as const),
)

/** Access lists with their members, which are replaced whole, before the campaigns that refer to them; those that are removed go at the end of the batch (`removeReferred`). */
export const mergeAccessLists: Step[] = stepsFor(
  ['accessList'],
  statements.storeAccessLists,
  statements.deleteMembers,
  statements.insertMembers,
)

/** From the members of all access lists. */
export const recountMembers = statements.recountMembers
