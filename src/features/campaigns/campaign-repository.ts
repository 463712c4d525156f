import { sql } from 'drizzle-orm'
import { batchLookups } from '../../database/batched-lookups.ts'
import { readCampaigns } from '../../database/campaign-documents.ts'
import { campaignPage, toPageValues } from '../../database/campaign-pages.ts'
import type { Database } from '../../database/client.ts'
import type { Dependencies } from '../../database/data-version.ts'
import { campaigns } from '../../database/tables/campaigns.ts'
import { createTokenStore } from '../../database/token-store.ts'
import { toRows } from '../../schemas/paging.ts'
import { toJson, tokenIdsOf } from './campaign-answers.ts'
import { addressesColumn, type CampaignRow, detailColumns, listColumns } from './campaign-rows.ts'
import type { ListCampaignsQuery } from './campaign-schemas.ts'

export interface CampaignRepository {
  /**
   * One page of the campaigns that match, and their exact number, both as of the same moment. Newest first, or active
   * ones first; ties end on chain ID, core address, identifier, ascending. At most 100 rows. About the same cost for
   * whatever filters and page: milliseconds at a million campaigns.
   */
  list(query: ListCampaignsQuery): Promise<Answerable>
  /**
   * One campaign with all its allow-list addresses; undefined where there is none. Five index lookups; campaigns that are
   * asked for at the same moment share a statement.
   */
  find(id: string): Promise<Answerable | undefined>
}

/** The JSON of an answer with what that depends on. */
interface Answerable {
  json: string
  dependencies: Dependencies
}

/** As many campaigns share a statement; a page has no more. */
const MOST_FOUND_TOGETHER = 100

/** @param lookups where details are asked for, which are found by their keys and never wait for pages. */
export function createCampaignRepository(database: Database, lookups: Database, clock: () => Date): CampaignRepository {
  const listPage = prepareList(database)
  const tokenStore = createTokenStore(lookups)
  const findTogether = prepareFind(lookups, 'find_campaigns', detailColumns)
  const findWithAddresses = prepareFind(database, 'find_campaign', { ...detailColumns, addresses: addressesColumn })

  const lookUp = batchLookups(MOST_FOUND_TOGETHER, async (ids) => {
    const now = clock()
    const values = { ids, now: now.toISOString() }
    const { rows, tokens } = await tokenStore.readWith(() => findTogether.execute(values), tokenIdsOf)
    return new Map(rows.map((row) => [row.id, { row, tokens, now }]))
  })

  /** Not together with others: a list may have tens of megabytes. */
  async function lookUpAlone(id: string) {
    const now = clock()
    const values = { ids: [id], now: now.toISOString() }
    const { rows, tokens } = await tokenStore.readWith(() => findWithAddresses.execute(values), tokenIdsOf)
    return rows[0] && { row: rows[0], tokens, now }
  }

  return {
    async list(query) {
      const now = clock()
      // Where all are active, sorting by activity changes nothing.
      const activity = query.showActiveOnly ? 'only' : query.sortBy === 'active' ? 'first' : 'any'
      const values = toPageValues({ ...query, ...toRows(query), activity, now })
      const { rows, tokens } = await tokenStore.readWith(() => listPage.execute(values), tokenIdsOf)
      const page = rows.filter(({ key }) => key !== null)
      const { changesAt, ...dependencies } = { ...dependenciesOf(page), onLists: true }
      return {
        json: `{"campaigns":[${page.map((row) => toJson(row, tokens)).join(',')}],"totalCampaigns":${rows[0]?.total ?? 0}}`,
        // Which campaigns are active changes with any of them.
        dependencies: activity !== 'any' ? dependencies : { ...dependencies, changesAt },
      }
    },

    async find(id) {
      let found = await lookUp(id)
      if (found?.row.lacksAddresses) found = await lookUpAlone(id)
      return found && { json: toJson(found.row, found.tokens), dependencies: dependenciesOf([found.row]) }
    },
  }
}

/** What the answers about some campaigns depend on; they change when one of those starts or ends. */
function dependenciesOf(shown: Pick<CampaignRow, 'key' | 'changesAt'>[]) {
  return {
    campaignKeys: shown.map(({ key }) => Number(key)),
    onLists: false,
    changesAt: Math.min(...shown.map(({ changesAt }) => changesAt ?? Number.POSITIVE_INFINITY)),
  }
}

function prepareList(database: Database) {
  return (
    database
      .select({ total: sql<number>`page.total`, ...listColumns })
      .from(sql`${campaignPage} as page`)
      // An outer join: the total is there also when the page is empty.
      .leftJoin(readCampaigns(sql`page.keys`), sql`true`)
      .prepare('list_campaigns')
  )
}

const prepareFind = <Columns extends typeof detailColumns>(database: Database, name: string, columns: Columns) =>
  database
    .select(columns)
    .from(
      readCampaigns(
        sql`array(select ${campaigns.key} from ${campaigns} where ${campaigns.id} = any(${sql.placeholder('ids')}::text[]))`,
      ),
    )
    .prepare(name)
