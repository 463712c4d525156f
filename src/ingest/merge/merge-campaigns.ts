import { insertStagedFacets } from '../../read-models/campaign-index/maintain.ts'
import { readStatements } from '../../read-models/named-statements.ts'
import { populating, type Step, stepsFor } from '../../read-models/steps.ts'
import { storeCampaigns } from './campaign-columns.ts'

/*
 * How staged campaigns become rows of six tables, and are removed, and which campaigns a batch touches. They are
 * replaced whole; their claims stay.
 */

const statements = readStatements(
  'ingest/merge/merge-campaigns.sql',
  ...([
    'touchWithdrawn',
    'touchReplaced',
    'touchByTokens',
    'touchByTemplates',
    'touchStaged',
    'touchRestated',
  ] as const),
  ...(['findStagedKeys', 'deleteAllowLists', 'deleteActionSteps', 'deleteFacets', 'storeIncentives'] as const),
  ...(['insertActionSteps', 'insertAllowLists', 'insertAllowListAddresses'] as const),
  ...([
    'dropUnchangedStates',
    'recordRestated',
    'attachSignatures',
    'detachFromIncentives',
    'deleteIncentives',
  ] as const),
  ...(['detachFromCampaigns', 'deleteCampaigns', 'recountAddresses'] as const),
)

const touching = (sql: string) => populating('touched_campaigns', sql)

/**
 * Campaigns whose derived columns may change; for each of them the sources are read again. Stored ones that are
 * replaced or withdrawn come first: what they add to the totals of contracts must be known before anything changes.
 * Those that are only claimed come with their claims.
 */
export const touchCampaigns: Step[] = [
  ...stepsFor(['withdrawnCampaign'], touching(statements.touchWithdrawn)),
  ...stepsFor(['campaign'], touching(statements.touchReplaced)),
  ...stepsFor(['token'], touching(statements.touchByTokens)),
  ...stepsFor(['actionTemplate'], touching(statements.touchByTemplates)),
]

/** Campaigns with everything that is replaced with them. */
export const mergeCampaigns = stepsFor(
  ['campaign'],
  storeCampaigns,
  populating('staged_key', statements.findStagedKeys),
  touching(statements.touchStaged),
  statements.deleteAllowLists,
  statements.deleteActionSteps,
  statements.deleteFacets,
  statements.storeIncentives,
  statements.insertActionSteps,
  statements.insertAllowLists,
  statements.insertAllowListAddresses,
  insertStagedFacets,
)

/**
 * Incentives with a new state, which comes with what is derived from it (`refreshIncentives`). Searches find their campaigns as
 * before.
 */
export const findRestatedIncentives = stepsFor(
  ['incentive'],
  statements.dropUnchangedStates,
  statements.recordRestated,
  touching(statements.touchRestated),
)

/** After the claims. */
export const withdrawIncentives: Step[] = [
  ...stepsFor(['campaign'], statements.attachSignatures, statements.detachFromIncentives, statements.deleteIncentives),
  ...stepsFor(['withdrawnCampaign'], statements.detachFromCampaigns, statements.deleteCampaigns),
]

/** From the addresses of all allow lists. */
export const recountAddresses = statements.recountAddresses
