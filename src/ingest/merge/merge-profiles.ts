import { readStatements } from '../../read-models/named-statements.ts'
import { type Step, stepsFor } from '../../read-models/steps.ts'

const statements = readStatements(
  'ingest/merge/merge-profiles.sql',
  ...(['mergeProfiles', 'emptyScoreCounts', 'fillScoreCounts'] as const),
)

/** Profiles, with the number of profiles of each score. */
export const mergeProfiles: Step[] = stepsFor(['profile'], statements.mergeProfiles)

/** From all profiles. */
export const recountScores = [statements.emptyScoreCounts, statements.fillScoreCounts]
