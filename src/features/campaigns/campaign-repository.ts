import { batchLookups } from '../../database/connection/batched-lookups.ts'
import type { Database } from '../../database/connection/client.ts'
import { createTokenStore } from '../../database/lookups/token-metadata-cache.ts'
import { createSerialQueue } from '../../database/serial-queue.ts'
import type { Paged } from '../../http/request/page-links.ts'
import {
  type Campaign,
  createDocumentCache,
  createDocumentReader,
  lacksAddresses,
} from '../../read-models/campaign-documents/read.ts'
import {
  type CampaignPageQuery,
  type Counts,
  createCampaignTotals,
  toSearchRequest,
  type Walk,
  type WalkedPage,
} from '../../read-models/campaign-search/read.ts'
import { createListsVersionReader, type Dependencies } from '../../read-models/data-version/read.ts'
import { toRows, WALK_START } from '../../schemas/parameters/paging.ts'
import { toWalkParts, walkOf } from './campaign-cursors.ts'
import { toJson, tokenIdsOf } from './campaign-responses.ts'
import { addressesColumn, detailColumns, prepareFind, prepareList, type StateRow } from './campaign-rows.ts'
import type { ListCampaignsQuery } from './campaign-schemas.ts'

export interface CampaignRepository {
  /**
   * One page of the matching campaigns, and their exact number, both as of the same moment. Newest first, or active
   * ones first; ties end on chain ID, core address, identifier, ascending. At most 100 rows. The cost hardly depends on
   * filters and page: milliseconds at a million campaigns. Simultaneous requests share a statement; pages of a walk are
   * read one by one.
   */
  list(query: ListCampaignsQuery): Promise<Answerable>
  /**
   * One campaign with all its allow-list addresses, or some of its fields; undefined if there is none. Five index
   * lookups; simultaneous requests share a statement.
   */
  find(id: string, fields?: readonly string[]): Promise<Answerable | undefined>
}

/** The JSON of a response with its dependencies. */
interface Answerable extends Paged {
  json: string
  headers?: Record<string, string>
  dependencies: Dependencies
}

/** A campaign as it is shown, in a response of its own or on a page. */
interface Shown {
  key: number
  /** Milliseconds since 1970 at which it changes without any write; infinite if it never does. */
  changesAt: number
  /** Whether the addresses of its allow list are still to be read. */
  lacksAddresses: boolean
  /** All of it, or some of its fields. */
  toJson(fields: readonly string[] | undefined): string
}

/** Memory for documents of campaigns, about 34,000 of them; included in the production guide's figure for a process. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024

type WithCampaign<Row> = Row & { campaign: Campaign | undefined }

interface Page extends Counts {
  shown: Shown[]
  walked: WalkedPage | null
}

/** Maximum number of campaigns that share a statement; a page has no more. */
const MAX_FOUND_TOGETHER = 100

/** Maximum number of pages that share a statement: each may take some milliseconds, and all wait for all. */
const MAX_LISTED_TOGETHER = 8

/**
 * A page with more filter entries than this, with search words or with facets may be slow, so no other page waits for
 * it.
 */
const MAX_ENTRIES_TOGETHER = 6

/** @param lookups the pool for details, which are found by their keys and never wait for pages. */
export function createCampaignRepository(database: Database, lookups: Database, clock: () => Date): CampaignRepository {
  const readShown = createShownReader(lookups)
  const totals = createCampaignTotals(createListsVersionReader(lookups))
  const inTurn = createSerialQueue()
  const cache = createDocumentCache(MAX_DOCUMENT_BYTES)
  const withListDocuments = createDocumentReader(cache, database, 'list')
  const withDetailDocuments = createDocumentReader(cache, lookups, 'detail')
  const listTogether = prepareList(database, 'list_campaigns')
  // Under a separate name, so that its cost does not count against the other statement.
  const listAlone = prepareList(database, 'list_campaigns_alone')
  const findTogether = prepareFind(lookups, 'find_campaigns', detailColumns)
  const findAlone = prepareFind(database, 'find_campaign', { ...detailColumns, addresses: addressesColumn })

  const loadPage = batchLookups(MAX_LISTED_TOGETHER, (searches) => readPages(listTogether, searches, clock()))
  const loadCampaign = batchLookups(MAX_FOUND_TOGETHER, async (ids) => {
    const values = { ids, now: clock().toISOString() }
    const rows = await readShown(() => withDetailDocuments(() => findTogether.execute(values)))
    return new Map(rows.flatMap(({ id, shown }) => (shown === undefined ? [] : [[id, shown] as const])))
  })

  async function readPages(list: typeof listTogether, searches: string[], now: Date) {
    const totalsRequest = totals.ask(searches, now)
    const values = { searches: totalsRequest.json, now: now.toISOString() }
    const rows = await readShown(() => withListDocuments(() => list.execute(values)))
    const byKey = new Map<number, Shown>()
    for (const { shown } of rows) if (shown !== undefined) byKey.set(shown.key, shown)
    const pages = new Map<string, Page>()
    for (const { nth, total, listsVersion, changesAt, facetCounts, keys, walked } of rows) {
      if (nth === null || listsVersion === null || keys === null) continue
      const shown = keys.split(',').flatMap((key) => byKey.get(Number(key)) ?? [])
      pages.set(searches[nth - 1] ?? '', {
        ...totalsRequest.totalOf(nth, { total, listsVersion, changesAt, facetCounts, keys, walked }),
        shown,
        walked,
      })
    }
    return pages
  }

  async function findPage(query: ListCampaignsQuery, walk: Walk | undefined): Promise<Page | undefined> {
    const { pageSize, facets, search: words } = query
    const criteria = { ...query, ...toRows(query), activity: activityOf(query), walk }
    const { text: search, entryCount } = toSearchRequest(criteria)
    const counts = pageSize === 0 && walk === undefined ? await totals.lookup(search, clock()) : undefined
    if (counts !== undefined) return { ...counts, shown: [], walked: null }
    const isExpensive = entryCount > MAX_ENTRIES_TOGETHER || facets !== undefined || words !== undefined
    if (!isExpensive && walk === undefined) return loadPage(search)
    return (await readPages(isExpensive ? listAlone : listTogether, [search], walk?.instant ?? clock())).get(search)
  }

  /**
   * Not together with others, and one after the other: a list may have tens of megabytes, several times while it is
   * read.
   */
  async function findWithAddresses(id: string) {
    const values = { ids: [id], now: clock().toISOString() }
    const [row] = await readShown(() => withDetailDocuments(() => findAlone.execute(values)))
    return row?.shown
  }

  return {
    async list(query) {
      const walk = walkOf(query, clock)
      const page = await findPage(query, walk)
      if (page === undefined) throw new TypeError('a page is not among those that were asked for')
      return toListResponse(page, query, walk)
    },

    async find(id, fields) {
      const found = await loadCampaign(id)
      const isEnough = !found?.lacksAddresses || fields?.includes('allowList') === false
      const shown = isEnough ? found : await inTurn(() => findWithAddresses(id))
      return shown && { json: shown.toJson(fields), dependencies: dependenciesOf(shown) }
    },
  }
}

function toListResponse({ shown, total, facets, walked }: Page, query: ListCampaignsQuery, walk: Walk | undefined) {
  const walkParts = walk && walked ? toWalkParts(query, walk, walked) : undefined
  const campaigns = shown.map((campaign) => campaign.toJson(query.fields)).join(',')
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
function changesAtOf(shown: Shown[], { cursor, facets, ...query }: ListCampaignsQuery) {
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

/** Reads rows with their campaigns, and the tokens of these, as of one moment. */
function createShownReader(lookups: Database) {
  const tokenStore = createTokenStore(lookups)
  return async <Row extends StateRow>(read: () => Promise<readonly WithCampaign<Row>[]>) => {
    const { rows, tokens } = await tokenStore.readWith(read, ({ campaign }) => (campaign ? tokenIdsOf(campaign) : []))
    return rows.map(({ campaign, ...row }) => {
      if (campaign === undefined) return { ...row, shown: undefined }
      const { key, changesAt } = campaign.state
      const shown: Shown = {
        ...{ key, changesAt },
        lacksAddresses: row.addresses === undefined && lacksAddresses(campaign),
        toJson: (fields) => toJson(campaign, tokens, { fields, addresses: row.addresses ?? undefined }),
      }
      return { ...row, shown }
    })
  }
}

/** The dependencies of a response about one campaign; it changes when the campaign starts or ends. */
const dependenciesOf = ({ key, changesAt }: Shown): Dependencies => ({ campaignKeys: [key], onLists: false, changesAt })
