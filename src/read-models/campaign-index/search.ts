import { DEFAULT_FACET_SIZE, type FacetName, facetNames } from '../../schemas/campaigns/campaign-facets.ts'
import type { CampaignFilters } from '../../schemas/campaigns/campaign-filters.ts'
import { toSearchWords } from '../../schemas/parameters/search-words.ts'
import type { Activity, CountedFacet, FilterGroup } from './campaign-index.ts'
import { type ColumnFilterValues, columnFilters, valuesOf } from './column-filters.ts'

/** The filters of a page of campaigns, and what is counted beside it. */
export interface CampaignFilter extends CampaignFilters, Omit<ColumnFilterValues, keyof CampaignFilters> {
  campaignId?: string[]
  incentiveType?: string[]
  actionType?: string[]
  search?: string
  actionTemplateOnly: boolean
  activity: Activity
  /** The facets to count beside the page, and the number of values of each. */
  facets?: readonly FacetName[]
  facetSize?: number
}

/** What an index is asked: a campaign matches if it passes each group. */
export interface Search {
  groups: FilterGroup[]
  /** The words of a search: each makes a group more, of what is found by it. */
  words: string[]
  /** In a fixed order: equal requests have equal responses. */
  facets: (CountedFacet & { name: FacetName })[]
  facetSize: number
}

/** How a facet is counted: the values of this kind. The filter of the last one is not among the groups. */
const COUNTED_KINDS: Readonly<Record<FacetName, string>> = {
  chainId: 'chain',
  token: 'token',
  incentiveType: 'incentive',
  actionType: 'action',
  distributionChannel: 'channel',
  isActive: 'active',
}

/** A group, and the counted facet whose filter it is, if any. */
interface OwnGroup extends FilterGroup {
  filter?: FacetName
}

export function toSearch(filters: CampaignFilter): Search {
  const { facets = [], facetSize = DEFAULT_FACET_SIZE } = filters
  const groups = toGroups(filters)
  const ownOf = (name: FacetName) => {
    const own = groups.findIndex(({ filter }) => filter === name)
    return own < 0 ? undefined : own
  }
  return {
    groups,
    words: toWords(filters.search),
    facets: facetNames
      .filter((name) => facets.includes(name))
      .map((name) => ({ name, kind: COUNTED_KINDS[name], own: ownOf(name) })),
    facetSize,
  }
}

function toGroups(filters: CampaignFilter): OwnGroup[] {
  const { tokens, rewardToken, campaignId, incentiveType, actionType, distributionChannel } = filters
  const groups: (OwnGroup | undefined)[] = [
    ...columnFilters.map(({ name, kind, isName }) => {
      const values = valuesOf(filters, name)
      return group(kind, isName ? values : values?.map(foldCase))
    }),
    toChainGroup(filters),
    tokens && { values: tokens.flatMap(toTokenValues), filter: 'token' },
    group('reward', rewardToken?.map(foldCase)),
    group('channel', distributionChannel?.map(foldCase), 'distributionChannel'),
    campaignId && { values: [], ids: campaignId.map(foldCase) },
    group('incentive', incentiveType, 'incentiveType'),
    group('action', actionType?.map(foldCase), 'actionType'),
    filters.tokenWhitelist ? { values: ['whitelisted '] } : undefined,
    filters.actionTemplateOnly ? { values: ['template '] } : undefined,
  ]
  return groups.filter((given) => given !== undefined)
}

/** A search without a word, of accents alone say, searches for the word that no text has. */
const toWords = (search: string | undefined) => {
  const words = search === undefined ? [] : toSearchWords(search)
  return search !== undefined && words.length === 0 ? [''] : words
}

const group = (kind: string, values: readonly string[] | undefined, filter?: FacetName): OwnGroup | undefined =>
  values ? { values: values.map((value) => `${kind} ${value}`), ...(filter !== undefined && { filter }) } : undefined

/** With a target contract, the chain is that of the contract. */
function toChainGroup({ chainId, targetContract }: CampaignFilters): OwnGroup | undefined {
  if (targetContract !== undefined) return { values: [`target ${chainId}:${foldCase(targetContract)}`] }
  return chainId === undefined ? undefined : { values: [`chain ${chainId}`], filter: 'chainId' }
}

/** A collection may be named in the record, or be the target of an action step. */
function toTokenValues(entry: string) {
  const [chain, address = '', suffix] = foldCase(entry).split(':')
  const kinds = suffix === undefined ? ['token'] : ['collection', 'target']
  return kinds.map((kind) => `${kind} ${chain}:${address}`)
}

/** As the function `fold_case` of the database does it, with all letters that this version of Node.js knows. */
export const foldCase = (text: string) => text.toLowerCase().replaceAll('ς', 'σ')
