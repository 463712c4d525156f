import { type SQL, sql } from 'drizzle-orm'
import type { CampaignFilters } from '../../schemas/campaign-filters.ts'
import { campaignFacets, type FacetKind, popularFacets } from './tables.ts'

export { createCampaignTotals } from './totals.ts'

/** Something a campaign can be found by; a chain or a value that says nothing is 0 or empty. */
interface Facet {
  kind: FacetKind
  chain: number
  value: string
}

/** What a page of campaigns is asked for by. */
export interface CampaignPageQuery extends CampaignFilters {
  campaignId?: string[]
  incentiveType?: string[]
  actionType?: string[]
  actionTemplateOnly: boolean
  /** All campaigns, active ones only, or those first. */
  activity: 'any' | 'only' | 'first'
  limit: number
  offset: bigint
}

/**
 * Pages of campaigns, as something to select from, one row for each entry of the JSON array at the placeholder `questions`
 * (see `createCampaignTotals`): its place `nth` in it, from 1; `total`, how many match, null where that is known;
 * `lists_version`, which the total is right for; `changes_at`, when a total of active campaigns may change all the same, in
 * milliseconds since 1970; and `keys`, those of the page in their order (newest first; ties end on chain ID, core address,
 * identifier, ascending). All as of one moment, that of the placeholder `now`. The plan is right for all values.
 */
export const campaignPages = sql`campaign_pages(
  ${sql.placeholder('questions')}::json, ${sql.placeholder('now')}::timestamptz)`

/** What campaigns are found by, as the first arguments of `campaign_page`. */
function toFacetEntries(query: CampaignPageQuery) {
  const entries = toFacetGroups(query).flatMap((facets, index) =>
    facets.map((facet) => ({ ...facet, group: index + 1 })),
  )
  return {
    groups: entries.map(({ group }) => group),
    kinds: entries.map(({ kind }) => kind),
    chains: entries.map(({ chain }) => chain),
    values: entries.map(({ value }) => value),
  }
}

/** A question for a page as text, which is equal where the questions are: a line of JSON about all campaigns, and one about the page. */
export function toPageQuestion(query: CampaignPageQuery) {
  const entries = toFacetEntries(query)
  const lines = [
    { ...entries, activity: query.activity },
    // As text: JSON has no numbers as large.
    { page_size: query.limit, skipped: String(query.offset) },
  ]
  return {
    /** How many things campaigns are found by, which is what a page costs by. */
    entryCount: entries.groups.length,
    text: lines.map((line) => JSON.stringify(line)).join('\n'),
  }
}

/** A campaign passes if it has one facet of each group. */
function toFacetGroups(filters: CampaignPageQuery): Facet[][] {
  const groups = [
    filters.budgetAccount && toFacets('budget', filters.budgetAccount),
    filters.owner && [aFacet('owner', filters.owner)],
    filters.autocampaignId && [aFacet('autocampaign', filters.autocampaignId)],
    toChainFacets(filters),
    filters.tokens && toTokenFacets(filters.tokens),
    filters.rewardToken && toRewardFacets(filters.rewardToken),
    filters.distributionChannel && toFacets('channel', filters.distributionChannel),
    filters.campaignId && toFacets('id', filters.campaignId),
    filters.incentiveType && toFacets('incentive', filters.incentiveType),
    filters.actionType && toFacets('action', filters.actionType),
    filters.tokenWhitelist && [aFacet('whitelisted', '')],
    filters.actionTemplateOnly && [aFacet('template', '')],
  ]
  const given = groups.flatMap((facets) => (facets ? [facets] : []))
  return given.length > 0 ? given : [[aFacet('all', '')]]
}

const aFacet = (kind: FacetKind, value: string, chain = 0): Facet => ({ kind, chain, value })

/** With a target contract, the chain is that of the contract. */
function toChainFacets({ chainId, targetContract }: CampaignFilters) {
  if (targetContract !== undefined) return [aFacet('target', targetContract, chainId)]
  return chainId === undefined ? undefined : [aFacet('chain', '', chainId)]
}

const toTokenFacets = (entries: string[]) =>
  entries.flatMap((entry) => {
    const [chain, address = '', suffix] = entry.split(':')
    // A collection may stand as such in the record, or be what an action step targets.
    const kinds: FacetKind[] = suffix === undefined ? ['token'] : ['collection', 'target']
    return kinds.map((kind) => aFacet(kind, address, Number(chain)))
  })

const toRewardFacets = (entries: string[]) =>
  entries.map((entry) => {
    const [chain, address = ''] = entry.split(':')
    return aFacet('reward', address, Number(chain))
  })

const toFacets = (kind: FacetKind, values: string[]) => values.map((value) => aFacet(kind, value))

/** Whether a creator has so many campaigns that they are counted apart. */
export const isPopularCreator = (creator: SQL) =>
  sql`exists (select from ${popularFacets} where kind = 'creator' and chain_id = 0 and value = ${creator})`

/** Contracts that the action steps of campaigns target, as something to select from: `campaign_key`, `chain_id`, `value`. */
export const targetContracts = sql`(
  select campaign_key, chain_id, value from ${campaignFacets} where kind = 'target')`
