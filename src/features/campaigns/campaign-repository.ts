import type { Database } from '../../database/connection/open-database.ts'
import { batchLookups } from '../../database/connection/single-flight.ts'
import type { TokenStore } from '../../database/lookups/token-metadata-cache.ts'
import { readCursor, toCursor } from '../../http/request/cursors.ts'
import type { Paged } from '../../http/request/page-links.ts'
import {
  type CampaignPageQuery,
  toSearchRequest,
  toWalk,
  toWalkPosition,
  WALK_POSITION,
  type Walk,
  type WalkedPage,
} from '../../read-models/campaign-search/read.ts'
import type { DataVersion, DataVersionReader, Dependencies } from '../../read-models/data-version/read.ts'
import { toRows, WALK_START } from '../../schemas/parameters/shared-parameters.ts'
import { createTurns } from '../../turns.ts'
import { prepareFind, prepareFindWithAddresses, prepareList } from './campaign-rows.ts'
import type { ListCampaignsQuery } from './campaign-schemas.ts'
import { createCampaignTotals, createKnownPages, createPageCache, type Page } from './known-pages.ts'
import { createShownCampaigns, type Shown, type ShownReader, withFields } from './shown-campaigns.ts'

export interface CampaignRepository {
  /**
   * One page of the matching campaigns, and their exact number, both as of the same moment. Newest first, or active
   * ones first; ties end on chain ID, core address, identifier, ascending. At most 100 rows. The cost hardly depends on
   * filters and page: milliseconds at a million campaigns. Simultaneous requests share a statement; pages of a walk are
   * read one by one. What is in memory and current at the version, which is the committed one, is not read.
   */
  list(query: ListCampaignsQuery, version: DataVersion): Promise<Answerable>
  /**
   * One campaign with all its allow-list addresses, or some of its fields; undefined if there is none. Five index
   * lookups, or none if it is in memory and current at the version; simultaneous requests share a statement.
   */
  find(id: string, version: DataVersion, fields?: readonly string[]): Promise<Answerable | undefined>
}

/** The JSON of a response with its dependencies. */
interface Answerable extends Paged {
  json: string
  headers?: Record<string, string>
  dependencies: Dependencies
}

/** Maximum number of details that share a statement. */
const MAX_FOUND_TOGETHER = 100

/** Maximum number of pages that share a statement: each may take some milliseconds, and all wait for all. */
const MAX_LISTED_TOGETHER = 8

/**
 * A page with more filter entries than this, with search words or with facets may be slow, so no other page waits for
 * it.
 */
const MAX_ENTRIES_TOGETHER = 6

/** Of a larger page the keys are read first, and then only campaigns that are not in memory: a statement costs as much as these. */
const MAX_READ_AT_ONCE = 25

/** @param lookups the pool for what is found by keys, and never waits for pages. */
export function createCampaignRepository(
  database: Database,
  lookups: Database,
  tokenStore: TokenStore,
  versions: DataVersionReader,
  clock: () => Date,
): CampaignRepository {
  const shownIn = createShownCampaigns(tokenStore, versions)
  const [listed, detailed] = [shownIn('list'), shownIn('detail')]
  const findKnownPage = createKnownPages(lookups, listed, clock)
  const findNewPage = createKnownPages(database, listed, clock)
  const pages = createPageCache(versions)
  const totals = createCampaignTotals(pages)
  const listTogether = prepareList(database, 'list_campaigns')
  // Under a separate name, so that its cost does not count against the other statement.
  const listAlone = prepareList(database, 'list_campaigns_alone')
  const loadPage = batchLookups(MAX_LISTED_TOGETHER, (searches) => readPages(listTogether, searches, clock()))
  const loadKeys = batchLookups(MAX_LISTED_TOGETHER, (searches) => readPages(listTogether, searches, clock(), false))

  async function readPages(list: typeof listTogether, searches: string[], now: Date, withCampaigns = true) {
    const totalsRequest = totals.request(searches, now)
    const values = { searches: totalsRequest.json, now: now.toISOString(), withCampaigns }
    const rows = await listed.read(() => list.execute(values), now)
    const byKey = new Map<number, Shown>()
    for (const { shown } of rows) if (shown !== undefined) byKey.set(shown.key, shown)
    const pages = new Map<string, Page>()
    for (const { nth, listsVersion, keys: list, ...found } of rows) {
      if (nth === null || listsVersion === null || list === null) continue
      const allKeys = list === '' ? [] : list.split(',').map(Number)
      const shown = allKeys.flatMap((key) => byKey.get(key) ?? [])
      const keys = withCampaigns ? shown.map(({ key }) => key) : allKeys
      const counts = totalsRequest.totalOf(nth, { ...found, listsVersion, keys })
      pages.set(searches[nth - 1] ?? '', { ...counts, shown, walked: found.walked })
    }
    return pages
  }

  async function findPage(query: ListCampaignsQuery, walk: Walk | undefined, version: DataVersion) {
    const { pageSize, facets, search: words } = query
    const criteria = { ...query, ...toRows(query), activity: activityOf(query), walk }
    const { text: search, entryCount } = toSearchRequest(criteria)
    const lookUp = (now: Date) => totals.lookup(search, pageSize === 0, version, now)
    const isExpensive = entryCount > MAX_ENTRIES_TOGETHER || facets !== undefined || words !== undefined
    if (walk === undefined) {
      const isKnown = lookUp(clock()) !== undefined
      if (!isKnown && !isExpensive && pageSize > MAX_READ_AT_ONCE) await loadKeys(search)
      const page = await (isKnown ? findKnownPage : findNewPage)(lookUp, version)
      if (page !== undefined || !isExpensive) return page ?? loadPage(search)
    }
    return (await readPages(isExpensive ? listAlone : listTogether, [search], walk?.instant ?? clock())).get(search)
  }

  return {
    async list(query, version) {
      const walk = walkOf(query, clock)
      const page = await findPage(query, walk, version)
      if (page === undefined) throw new TypeError('a page is not among those that were requested')
      return toListResponse(page, query, walk)
    },

    find: createFind(database, lookups, detailed, clock),
  }
}

function createFind(
  database: Database,
  lookups: Database,
  detailed: ShownReader,
  clock: () => Date,
): CampaignRepository['find'] {
  const inTurn = createTurns(1)
  const findTogether = prepareFind(lookups)
  const findAlone = prepareFindWithAddresses(database)
  const load = batchLookups(MAX_FOUND_TOGETHER, async (ids) => {
    const now = clock()
    const rows = await detailed.read(() => findTogether.execute({ ids }), now)
    return new Map(rows.flatMap(({ record, shown }) => (shown === undefined ? [] : [[record.id, shown] as const])))
  })

  /**
   * Not together with others, and one after the other: a list may have tens of megabytes, several times while it is
   * read.
   */
  async function findWithAddresses(id: string) {
    const now = clock()
    const [row] = await detailed.read(() => findAlone.execute({ ids: [id] }), now)
    return row?.shown
  }

  return async (id, version, fields) => {
    const found = detailed.lookup(id, version, clock()) ?? (await load(id))
    const isEnough = !found?.lacksAddresses || fields?.includes('allowList') === false
    const shown = isEnough ? found : await inTurn(() => findWithAddresses(id))
    return shown && { json: jsonOf(shown, fields), dependencies: dependenciesOf(shown) }
  }
}

function toListResponse({ shown, total, facets, walked }: Page, query: ListCampaignsQuery, walk: Walk | undefined) {
  const walkParts = walk && walked ? toWalkParts(query, walk, walked) : undefined
  const campaigns = shown.map((campaign) => jsonOf(campaign, query.fields)).join(',')
  const next = walkParts === undefined ? '' : `,"nextCursor":${JSON.stringify(walkParts.nextCursor)}`
  const counts = facets === '' ? '' : `,${facets}`
  return {
    json: `{"campaigns":[${campaigns}],"totalCampaigns":${total}${next}${counts}}`,
    totalCount: total,
    ...walkParts,
    dependencies: { campaignKeys: shown.map(({ key }) => key), onLists: true, ...changesAtOf(shown, query) },
  }
}

/** When a page changes without any write; by default, when any campaign starts or ends. */
function changesAtOf(shown: readonly Shown[], { cursor, facets, ...query }: ListCampaignsQuery) {
  // A walk under way is judged at its beginning, a new one now.
  if (cursor !== undefined && cursor !== WALK_START) return { changesAt: Number.POSITIVE_INFINITY }
  // Which campaigns are active changes with any of them.
  const changesWithAny = cursor === WALK_START || activityOf(query) !== 'any' || facets?.includes('isActive')
  return changesWithAny ? {} : { changesAt: Math.min(...shown.map(({ changesAt }) => changesAt)) }
}

/** If all are active, sorting by activity changes nothing. */
function activityOf({
  sortBy,
  showActiveOnly,
}: Pick<ListCampaignsQuery, 'sortBy' | 'showActiveOnly'>): CampaignPageQuery['activity'] {
  if (sortBy === 'ending-soon') return 'ending'
  if (showActiveOnly) return 'only'
  return sortBy === 'active' ? 'first' : 'any'
}

/** All of a campaign, or some of its fields. */
const jsonOf = ({ json }: Shown, fields: readonly string[] | undefined) =>
  fields === undefined ? json : withFields(json, fields)

/** The dependencies of a response about one campaign; it changes when the campaign starts or ends. */
const dependenciesOf = ({ key, changesAt }: Shown): Dependencies => ({ campaignKeys: [key], onLists: false, changesAt })

const OPERATION = 'listCampaigns'

/** The walk of a request, as far as it has begun; undefined without one. */
function walkOf(query: ListCampaignsQuery, clock: () => Date): Walk | undefined {
  if (query.cursor === undefined) return undefined
  if (query.cursor === WALK_START) return { instant: clock(), state: {} }
  return toWalk(readCursor(query.cursor, OPERATION, query, WALK_POSITION))
}

/** The part of a response about its walk, besides the page. */
function toWalkParts(query: ListCampaignsQuery, { instant }: Walk, walked: WalkedPage) {
  const position = toWalkPosition(instant, walked)
  return {
    nextCursor: position === undefined ? null : toCursor(OPERATION, query, position),
    headers: { 'x-changed-since-start': walked.changed },
  }
}
