import { readStatements } from '../named-statements.ts'

/** What a revision is about: the last two statements of a batch. */
export const { recordAffectedCampaigns, recordListedCampaigns } = readStatements(
  'read-models/data-version/maintain.sql',
  'recordAffectedCampaigns',
  'recordListedCampaigns',
)
