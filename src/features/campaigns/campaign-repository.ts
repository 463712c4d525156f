import type { Database } from '../../database/connection/open-database.ts'
import type { TokenStore } from '../../database/lookups/token-metadata-cache.ts'
import { readCursor, toCursor } from '../../http/cursors.ts'
import type { Paged } from '../../http/page-links.ts'
import {
  type Activity,
  type CampaignIndexReader,
  toWalk,
  toWalkPosition,
  WALK_POSITION,
  type Walk,
  type WalkedPage,
} from '../../read-models/campaign-index/read.ts'
import type { DataVersion, DataVersionReader, Dependencies } from '../../read-models/data-version/read.ts'
import { toRows, WALK_START } from '../../schemas/parameters/shared-parameters.ts'
import { batchLookups } from '../../single-flight.ts'
import { createTurns } from '../../turns.ts'
import { createPages, type Page } from './campaign-pages.ts'
import { prepareFind, prepareFindWithAddresses } from './campaign-rows.ts'
import type { ListCampaignsQuery } from './campaign-schemas.ts'
import { createShownCampaigns, jsonOf, type Shown, type ShownReader } from './shown-campaigns.ts'

export interface CampaignRepository {
  /**
   * One page of the matching campaigns, and their exact number, both as of the same moment. Newest first, or active
   * ones first; ties end on chain ID, core address, identifier, ascending. At most 100 rows. Found in the index of
   * campaigns in this process, within milliseconds at a million of them; words are looked up in the database. What is in
   * memory and current at the version, which is the committed one, is not read; simultaneous requests share a statement.
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

interface Options {
  database: Database
  /** The pool for what is found by keys, and never waits for pages. */
  lookups: Database
  tokenStore: TokenStore
  campaignIndex: CampaignIndexReader
  versions: DataVersionReader
  clock: () => Date
}

export function createCampaignRepository(options: Options): CampaignRepository {
  const { database, lookups, tokenStore, versions, clock } = options
  const shownIn = createShownCampaigns(tokenStore, versions)
  const findPage = createPages({ ...options, listed: shownIn('list') })

  return {
    async list(query, version) {
      const walk = walkOf(query, clock)
      const page = await findPage({ ...query, ...toRows(query), activity: activityOf(query), walk }, version)
      return toListResponse(page, query, walk)
    },

    find: createFind(database, lookups, shownIn('detail'), clock),
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

function toListResponse(
  { shown, total, counted, walked, explanation }: Page,
  query: ListCampaignsQuery,
  walk: Walk | undefined,
) {
  const walkParts = walk && walked ? toWalkParts(query, walk, walked) : undefined
  const campaigns = shown.map((campaign) => jsonOf(campaign, query.fields)).join(',')
  const next = walkParts === undefined ? '' : `,"nextCursor":${JSON.stringify(walkParts.nextCursor)}`
  const counts = counted === undefined ? '' : `,${JSON.stringify(counted).slice(1, -1)}`
  const explained = explanation === undefined ? '' : `,"explained":${JSON.stringify(explanation.explained)}`
  const { changesAt } = changesAtOf(shown, query)
  // A walk explains, as it lists, at its beginning.
  const explanationChangesAt = walk === undefined ? explanation?.changesAt : undefined
  return {
    json: `{"campaigns":[${campaigns}],"totalCampaigns":${total}${next}${counts}${explained}}`,
    totalCount: total,
    ...walkParts,
    dependencies: {
      campaignKeys: [...shown.map(({ key }) => key), ...(explanation?.key === undefined ? [] : [explanation.key])],
      onLists: true,
      ...(changesAt !== undefined && { changesAt: Math.min(changesAt, explanationChangesAt ?? changesAt) }),
    },
  }
}

/** When a page changes without any write; by default, when any campaign starts or ends. */
function changesAtOf(
  shown: readonly Shown[],
  { cursor, facets, ...query }: ListCampaignsQuery,
): { changesAt?: number } {
  // A walk under way is judged at its beginning, a new one now.
  if (cursor !== undefined && cursor !== WALK_START) return { changesAt: Number.POSITIVE_INFINITY }
  // Which campaigns are active changes with any of them.
  const changesWithAny = cursor === WALK_START || activityOf(query) !== 'any' || facets?.includes('isActive')
  return changesWithAny ? {} : { changesAt: Math.min(...shown.map(({ changesAt }) => changesAt)) }
}

/** If all are active, sorting by activity changes nothing. */
function activityOf({ sortBy, showActiveOnly }: Pick<ListCampaignsQuery, 'sortBy' | 'showActiveOnly'>): Activity {
  if (sortBy === 'ending-soon') return 'ending'
  if (showActiveOnly) return 'only'
  return sortBy === 'active' ? 'first' : 'any'
}

/** The dependencies of a response about one campaign; it changes when the campaign starts or ends. */
const dependenciesOf = ({ key, changesAt }: Shown): Dependencies => ({ campaignKeys: [key], onLists: false, changesAt })

const OPERATION = 'listCampaigns'

/** The walk of a request, as far as it has begun; undefined without one. */
function walkOf(query: ListCampaignsQuery, clock: () => Date): Walk | undefined {
  if (query.cursor === undefined) return undefined
  if (query.cursor === WALK_START) return { instant: clock() }
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
