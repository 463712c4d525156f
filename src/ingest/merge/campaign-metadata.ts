import { readStatements } from '../../read-models/named-statements.ts'
import { type Step, stepsFor } from '../../read-models/steps.ts'
import { overlayChosenColumns, storeOwnColumns } from './campaign-columns.ts'

/*
 * A `campaignMetadata` record sets some columns of its campaign, whichever of the two comes first. The columns are
 * overlaid when campaigns are staged, so that everything derived from a campaign sees only the result; a campaign that
 * is already stored is staged again.
 */

const statements = readStatements(
  'ingest/merge/campaign-metadata.sql',
  ...(['dropUnchangedMetadata', 'storeChosen', 'emptyRemovedMetadata', 'stageStoredCampaigns'] as const),
  ...(['deleteRemovedMetadata', 'forgetOwnColumns'] as const),
  ...(['recordAddedCampaigns', 'recordChangedCampaigns', 'recordRemovedCampaigns'] as const),
)

/** Before anything reads the staged campaigns. */
export const overlayMetadata: Step[] = [
  ...stepsFor(
    ['campaignMetadata'],
    statements.dropUnchangedMetadata,
    statements.storeChosen,
    statements.emptyRemovedMetadata,
    statements.stageStoredCampaigns,
  ),
  ...stepsFor(['campaign', 'campaignMetadata'], storeOwnColumns, overlayChosenColumns),
  ...stepsFor(['campaignMetadata'], statements.deleteRemovedMetadata),
  ...stepsFor(['withdrawnCampaign'], statements.forgetOwnColumns),
]

/** Which of the staged campaigns are new, or other than what is stored: before anything is stored. */
export const recordCampaignChanges: Step[] = [
  ...stepsFor(['campaign', 'campaignMetadata'], statements.recordAddedCampaigns, statements.recordChangedCampaigns),
  ...stepsFor(['withdrawnCampaign'], statements.recordRemovedCampaigns),
]
