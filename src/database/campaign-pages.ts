import { sql } from 'drizzle-orm'
import type { CampaignFilters } from '../schemas/campaign-filters.ts'
import type { FacetKind } from './tables/campaign-facets.ts'

/** Something a campaign can be found by; a chain or a value that says nothing is 0 or empty. */
export interface Facet {
  kind: FacetKind
  chain: number
  value: string
}

/** What a page of campaigns is asked for by. */
export interface CampaignPageQuery extends CampaignFilters {
  actionTemplateOnly: boolean
  /** All campaigns, active ones only, or those first. */
  activity: 'any' | 'only' | 'first'
  now: Date
  limit: number
  offset: bigint
}

/**
 * One page of campaigns, as something to select from: `total`, how many match, and `keys`, those of the page in their
 * order (newest first; ties end on chain ID, core address, identifier, ascending), as of one moment. It costs about the
 * same for whatever filters and page, some microseconds for each 2,048 campaigns (see functions/campaign_page.sql), and
 * is right for all values with one plan.
 */
export const campaignPage = sql`campaign_page(
  ${sql.placeholder('groups')}::integer[], ${sql.placeholder('kinds')}::text[], ${sql.placeholder('chains')}::bigint[],
  ${sql.placeholder('values')}::text[], ${sql.placeholder('onlyWhitelisted')}, ${sql.placeholder('onlyTemplates')},
  ${sql.placeholder('activity')}, ${sql.placeholder('now')}, ${sql.placeholder('limit')}, ${sql.placeholder('offset')})`

/** The values of the placeholders in `campaignPage`. */
export function toPageValues(query: CampaignPageQuery) {
  const entries = toFacetGroups(query).flatMap((facets, index) =>
    facets.map((facet) => ({ ...facet, group: index + 1 })),
  )
  return {
    groups: entries.map(({ group }) => group),
    kinds: entries.map(({ kind }) => kind),
    chains: entries.map(({ chain }) => chain),
    values: entries.map(({ value }) => value),
    onlyWhitelisted: query.tokenWhitelist,
    onlyTemplates: query.actionTemplateOnly,
    activity: query.activity,
    now: query.now.toISOString(),
    limit: query.limit,
    offset: query.offset,
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

export const toTokenFacets = (entries: string[]) =>
  entries.flatMap((entry) => {
    const [chain, address = '', suffix] = entry.split(':')
    // A collection may stand as such in the record, or be what an action step targets.
    const kinds: FacetKind[] = suffix === undefined ? ['token'] : ['collection', 'target']
    return kinds.map((kind) => aFacet(kind, address, Number(chain)))
  })

export const toChannelFacets = (channels: string[]) => channels.map((channel) => aFacet('channel', channel))
