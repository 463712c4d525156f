import { readStatements } from '../named-statements.ts'
import { differingFacetRows } from './check.ts'

const statements = readStatements(
  'read-models/campaign-index/maintain.sql',
  ...(['insertStagedFacets', 'deleteSurplusFacets', 'insertMissingFacets'] as const),
)

/** For the campaigns that a batch replaces, once their other rows are written. */
export const insertStagedFacets = statements.insertStagedFacets

/** Repairs what the check finds of all campaigns; most often nothing, and writing all of them takes four times as long. */
export const recomputeFacets = [
  `create temp table differing_facets on commit drop as ${differingFacetRows(null)}`,
  statements.deleteSurplusFacets,
  statements.insertMissingFacets,
]
