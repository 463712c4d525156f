import { type SQL, sql } from 'drizzle-orm'
import type { CampaignFilters } from '../../schemas/campaign-filters.ts'
import { campaignFacets, type FacetKind, popularFacets } from './tables.ts'

/** Something a campaign can be found by; a chain or a value that says nothing is 0 or empty. */
interface Facet {
  kind: FacetKind
  chain: number
  value: string
}

/** What a page of campaigns is asked for by. */
export interface CampaignPageQuery extends CampaignFilters {
  actionTemplateOnly: boolean
  /** All campaigns, active ones only, or those first. */
  activity: 'any' | 'only' | 'first'
  limit: number
  offset: bigint
}

/**
 * Pages of campaigns, as something to select from, one row for each entry of the JSON array at the placeholder `questions`
 * (see `toPageQuestion`): its place `nth` in it, from 1; `total`, how many match; and `keys`, those of the page in their
 * order (newest first; ties end on chain ID, core address, identifier, ascending). All as of one moment, that of the
 * placeholder `now`. A page costs about the same whatever its filters, some microseconds for each 8,192 campaigns (see
 * `campaign_page` in functions.sql), and the plan is right for all values.
 */
export const campaignPages = sql`(
  select nth::integer, total, keys
  from rows from (json_to_recordset(${sql.placeholder('questions')}::json) as (
    groups integer[], kinds text[], chains bigint[], "values" text[], only_whitelisted boolean, only_templates boolean,
    activity text, page_size integer, skipped bigint
  )) with ordinality as question (
    groups, kinds, chains, "values", only_whitelisted, only_templates, activity, page_size, skipped, nth
  ), campaign_page(groups, kinds, chains, "values", only_whitelisted, only_templates, activity,
    ${sql.placeholder('now')}::timestamptz, page_size, skipped))`

/** What campaigns are found by, as the first arguments of `campaign_page`. */
function toFacetEntries(filters: CampaignFilters) {
  const entries = toFacetGroups(filters).flatMap((facets, index) =>
    facets.map((facet) => ({ ...facet, group: index + 1 })),
  )
  return {
    groups: entries.map(({ group }) => group),
    kinds: entries.map(({ kind }) => kind),
    chains: entries.map(({ chain }) => chain),
    values: entries.map(({ value }) => value),
  }
}

/** An entry for `campaignPages`, as JSON; equal questions are equal texts. */
export function toPageQuestion(query: CampaignPageQuery) {
  const entries = toFacetEntries(query)
  return {
    /** How many things campaigns are found by, which is what a page costs by. */
    entryCount: entries.groups.length,
    json: JSON.stringify({
      ...entries,
      only_whitelisted: query.tokenWhitelist,
      only_templates: query.actionTemplateOnly,
      activity: query.activity,
      page_size: query.limit,
      // As text: JSON has no numbers as large.
      skipped: String(query.offset),
    }),
  }
}

/** A campaign passes if it has one facet of each group. */
function toFacetGroups(filters: CampaignFilters): Facet[][] {
  const groups = [
    filters.budgetAccount?.map((value) => aFacet('budget', value)),
    filters.owner && [aFacet('owner', filters.owner)],
    filters.autocampaignId && [aFacet('autocampaign', filters.autocampaignId)],
    toChainFacets(filters),
    filters.tokens && toTokenFacets(filters.tokens),
    filters.distributionChannel && toChannelFacets(filters.distributionChannel),
  ]
  return groups.flatMap((facets) => (facets ? [facets] : []))
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

const toChannelFacets = (channels: string[]) => channels.map((channel) => aFacet('channel', channel))

/** Whether a creator has so many campaigns that they are counted apart. */
export const isPopularCreator = (creator: SQL) =>
  sql`exists (select from ${popularFacets} where kind = 'creator' and chain_id = 0 and value = ${creator})`

/** Contracts that the action steps of campaigns target, as something to select from: `campaign_key`, `chain_id`, `value`. */
export const targetContracts = sql`(
  select campaign_key, chain_id, value from ${campaignFacets} where kind = 'target')`
