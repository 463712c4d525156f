import { sql } from 'drizzle-orm'
import { DEFAULT_FACET_SIZE, type FacetName, facetNames } from '../../schemas/campaigns/campaign-facets.ts'
import type { CampaignFilters } from '../../schemas/campaigns/campaign-filters.ts'
import { toSearchWords } from '../../schemas/parameters/search-words.ts'
import { campaignFacets, type FacetKind } from './tables.ts'

/** A facet of a campaign; an empty chain or value is 0 or ''. */
interface Facet {
  kind: FacetKind
  chain: number
  value: string
}

/** The parameters of a page of campaigns. */
export interface CampaignPageQuery extends CampaignFilters {
  campaignId?: string[]
  incentiveType?: string[]
  actionType?: string[]
  search?: string
  actionTemplateOnly: boolean
  /** All campaigns, active ones only, active ones first, or active ones that end, the earliest end first. */
  activity: 'any' | 'only' | 'first' | 'ending'
  /** The facets to count beside the page, and the number of values of each. */
  facets?: readonly FacetName[]
  facetSize?: number
  limit: number
  offset: bigint
  /** The walk of the page, as far as it has begun; not with an offset. */
  walk?: Walk | undefined
}

/**
 * Pages of campaigns, as a relation with one row for each entry of the JSON array at the placeholder `searches`: its position `nth`, from 1; `total`, the number of matches, null if already known;
 * `lists_version`, for which total and page are right; `changes_at`, when they may change all the same because it
 * matters which campaigns are active, in milliseconds since 1970; `facet_counts`, JSON of the counts beside the page,
 * null if known or not requested; `walk`, the state of the page's walk (`WalkedPage`); and `keys`, those of the page in order (newest first; ties end
 * on chain ID, core address, identifier, ascending). All as of one moment, that of the placeholder `now`. The plan is
 * right for all values.
 */
export const campaignPages = sql`campaign_pages(
  ${sql.placeholder('searches')}::json, ${sql.placeholder('now')}::timestamptz)`

/** A group of facets, and the counted facet whose filter it is, if any. */
interface FacetGroup {
  facets: Facet[]
  filter?: FacetName
}

/** The filters, as the first arguments of `campaign_page`. */
function toFacetEntries(groups: readonly FacetGroup[]) {
  const entries = groups.flatMap(({ facets }, index) => facets.map((facet) => ({ ...facet, group: index + 1 })))
  return {
    groups: entries.map(({ group }) => group),
    kinds: entries.map(({ kind }) => kind),
    chains: entries.map(({ chain }) => chain),
    values: entries.map(({ value }) => value),
  }
}

/** How a facet is counted: the values of this kind. The filter of the last one is not made of facets. */
const COUNTED_KINDS: Readonly<Record<FacetName, FacetKind>> = {
  chainId: 'chain',
  token: 'token',
  incentiveType: 'incentive',
  actionType: 'action',
  distributionChannel: 'channel',
  isActive: 'active',
}

/** In a fixed order: equal requests have equal responses. */
function toCounted({ facets, facetSize = DEFAULT_FACET_SIZE }: CampaignPageQuery, groups: readonly FacetGroup[]) {
  if (facets === undefined) return {}
  const own = (name: FacetName) => groups.findIndex(({ filter }) => filter === name) + 1
  const counted = facetNames.filter((name) => facets.includes(name))
  return {
    facets: counted.map((name) => ({ name, kind: COUNTED_KINDS[name], own: own(name) })),
    facet_size: facetSize,
  }
}

/**
 * The search of a page as text, equal for equal searches: a line of JSON about all campaigns, and one about the page.
 */
export function toSearchRequest(query: CampaignPageQuery) {
  const groups = toFacetGroups(query)
  const entries = toFacetEntries(groups)
  const lines = [
    { ...entries, activity: query.activity, ...toCounted(query, groups) },
    // As text: JSON numbers are not as large.
    { page_size: query.limit, skipped: String(query.offset), walk: query.walk?.state },
  ]
  return {
    /** The number of filter entries, which determines the cost of a page. */
    entryCount: entries.groups.length,
    text: lines.map((line) => JSON.stringify(line)).join('\n'),
  }
}

/** A campaign matches if it has at least one facet of each group. */
function toFacetGroups(filters: CampaignPageQuery): FacetGroup[] {
  const { targetContract, tokens, incentiveType, actionType, distributionChannel } = filters
  const chain = toChainFacets(filters)
  const groups: (FacetGroup | undefined)[] = [
    group(filters.budgetAccount && toFacets('budget', filters.budgetAccount)),
    group(filters.owner ? toFacets('owner', [filters.owner]) : undefined),
    group(filters.autocampaignId ? toFacets('autocampaign', [filters.autocampaignId]) : undefined),
    targetContract === undefined ? group(chain, 'chainId') : group(chain),
    group(tokens && toTokenFacets(tokens), 'token'),
    group(filters.rewardToken && toRewardFacets(filters.rewardToken)),
    group(distributionChannel && toFacets('channel', distributionChannel), 'distributionChannel'),
    group(filters.campaignId && toFacets('id', filters.campaignId)),
    group(incentiveType && toFacets('incentive', incentiveType), 'incentiveType'),
    group(actionType && toFacets('action', actionType), 'actionType'),
    ...toWords(filters.search).map((word) => group(toFacets('word', [word]))),
    group(filters.activity === 'ending' ? [aFacet('ending', '')] : undefined),
    group(filters.tokenWhitelist ? [aFacet('whitelisted', '')] : undefined),
    group(filters.actionTemplateOnly ? [aFacet('template', '')] : undefined),
  ]
  const given = groups.filter((facets) => facets !== undefined)
  return given.length > 0 ? given : [{ facets: [aFacet('all', '')] }]
}

/** A search without a word, of accents alone say, searches for the word that no text has. */
const toWords = (search: string | undefined) => {
  const words = search === undefined ? [] : toSearchWords(search)
  return search !== undefined && words.length === 0 ? [''] : words
}

const group = (facets: Facet[] | undefined, filter?: FacetName): FacetGroup | undefined =>
  facets && { facets, ...(filter !== undefined && { filter }) }

const aFacet = (kind: FacetKind, value: string, chain = 0): Facet => ({ kind, chain, value })

/** With a target contract, the chain is that of the contract. */
function toChainFacets({ chainId, targetContract }: CampaignFilters) {
  if (targetContract !== undefined) return [aFacet('target', targetContract, chainId)]
  return chainId === undefined ? undefined : [aFacet('chain', '', chainId)]
}

const toTokenFacets = (entries: string[]) =>
  entries.flatMap((entry) => {
    const [chain, address = '', suffix] = entry.split(':')
    // A collection may be named in the record, or be the target of an action step.
    const kinds: FacetKind[] = suffix === undefined ? ['token'] : ['collection', 'target']
    return kinds.map((kind) => aFacet(kind, address, Number(chain)))
  })

const toRewardFacets = (entries: string[]) =>
  entries.map((entry) => {
    const [chain, address = ''] = entry.split(':')
    return aFacet('reward', address, Number(chain))
  })

const toFacets = (kind: FacetKind, values: string[]) => values.map((value) => aFacet(kind, value))

/**
 * How many campaigns that are active at the placeholder `now` pay a token: `chain_id`, `address`, `campaigns`; no row
 * for none.
 */
export const activeRewards = sql`active_rewards(${sql.placeholder('now')}::timestamptz)`

/** Contracts that the action steps of campaigns target, as a relation: `campaign_key`, `chain_id`, `value`. */
export const targetContracts = sql`(
  select campaign_key, chain_id, value from ${campaignFacets} where kind = 'target')`

/** The walk of a page: its beginning, and its position. */
export interface Walk {
  /** Starts and ends are judged as of its beginning. */
  instant: Date
  /**
   * Empty until it begins: then revision, state of the lists and newest key of its beginning, and the last position.
   */
  state: Record<string, string>
}

/** What a page returns about its walk. */
export interface WalkedPage {
  began: number | string
  lists: string
  newest: number | string
  /** Whether lists have changed since it began. */
  changed: 'yes' | 'no' | 'unknown'
  /** The position of the next page; null on the last. */
  place: { later: number; ends: string; age: number; chain: number; core: string; identifier: string } | null
}

/**
 * The position of a walk in a cursor: instant, revision, state of the lists and newest key of its beginning; then for
 * the last campaign whether it came after the active ones, its end (empty if that does not count), block timestamp and
 * ID.
 */
export const WALK_POSITION =
  /^(\d{1,13}) (\d{1,15}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) (\d{1,15}) ([01]) (-?\d{1,15}|) (\d{1,12}) (\d{1,16}) (0x[0-9a-f]{40}) (\d{1,78})$/

/** The limits of an instant, in milliseconds since 1970: of the years 1 and 9999. */
const [MIN_INSTANT, MAX_INSTANT] = [-62_135_596_800_000, 253_402_300_799_999]

const toInstant = (text: string) => new Date(Math.min(Math.max(Number(text), MIN_INSTANT), MAX_INSTANT))

/** The walk of a cursor. */
export function toWalk([instant = '', ...values]: readonly string[]): Walk {
  const [began = '', lists = '', newest = '', later = '', end, timestamp, chain = '', core = '', identifier = ''] =
    values
  const ends = end ? toInstant(end).toISOString() : 'infinity'
  const state = { began, lists, newest, later, ends, age: String(-Number(timestamp)), chain, core, identifier }
  return { instant: toInstant(instant), state }
}

/** The position of a walk after a page; undefined if that was the last. */
export function toWalkPosition(instant: Date, { began, lists, newest, place: position }: WalkedPage) {
  if (position === null) return undefined
  const { later, ends, age, chain, core, identifier } = position
  const end = ends === 'infinity' ? '' : Date.parse(ends)
  return [instant.getTime(), began, lists, newest, later, end, -age, chain, core, identifier]
}
