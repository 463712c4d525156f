import { readStatements } from '../named-statements.ts'

const statements = readStatements(
  'read-models/campaign-index/maintain.sql',
  ...(['insertStagedFacets', 'emptyFacets', 'stageAllKeys', 'analyzeStagedKeys'] as const),
)

/** For the campaigns that a batch replaces, once their other rows are written. */
export const insertStagedFacets = statements.insertStagedFacets

/** From the other rows of all campaigns, on a connection that has working tables. */
export const recomputeFacets = [
  statements.emptyFacets,
  statements.stageAllKeys,
  statements.analyzeStagedKeys,
  statements.insertStagedFacets,
]
