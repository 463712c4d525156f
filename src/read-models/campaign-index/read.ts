import { sql } from 'drizzle-orm'
import { campaignFacets } from './tables.ts'

export type { Activity, IndexPage } from './campaign-index.ts'
export { type CampaignIndexReader, followCampaigns } from './follow.ts'
export { createExplanations } from './lookups/explanations.ts'
export {
  createFormerPositionLookup,
  createSymbolLookup,
  createWordLookup,
} from './lookups/side-lookups.ts'
export { type CampaignFilter, toSearch } from './search.ts'
export { toWalk, toWalkPosition, WALK_POSITION, type Walk, type WalkedPage } from './walks.ts'

/** Contracts that the action steps of campaigns target, as a relation: `campaign_key`, `chain_id`, `value`. */
export const targetContracts = sql`(
  select campaign_key, chain_id, value from ${campaignFacets} where kind = 'target')`
