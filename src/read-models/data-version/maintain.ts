import { readStatements } from '../named-statements.ts'

const statements = readStatements(
  'read-models/data-version/maintain.sql',
  ...(['recordAffectedCampaigns', 'recordListedCampaigns', 'beginRevision', 'forgetBeforeGaps'] as const),
)

/** What a revision is about: the last two statements of a batch. */
export const { recordAffectedCampaigns, recordListedCampaigns } = statements

/** For a rebuild: its first statement, and after all else is written. */
export const { beginRevision, forgetBeforeGaps } = statements
