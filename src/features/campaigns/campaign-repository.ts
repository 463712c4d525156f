import { type AnyColumn, and, asc, desc, not, type SQL, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import { batchLookups } from '../../database/batched-lookups.ts'
import { combine, given, isActive, toCampaignConditions } from '../../database/campaign-conditions.ts'
import type { Database } from '../../database/client.ts'
import type { Dependencies } from '../../database/data-version.ts'
import { rememberStatements } from '../../database/statements.ts'
import { campaigns } from '../../database/tables/campaigns.ts'
import { createTokenStore } from '../../database/token-store.ts'
import { toRows } from '../../schemas/paging.ts'
import { toJson, tokenIdsOf } from './campaign-answers.ts'
import { addressesColumn, type CampaignRow, detailColumns, listColumns, readCampaigns } from './campaign-rows.ts'
import type { ListCampaignsQuery } from './campaign-schemas.ts'

export interface CampaignRepository {
  /**
   * One page of the campaigns that match, and their exact number, both as of the same moment. Newest first, or active
   * ones first; ties end on chain ID, core address, identifier, ascending. At most 100 rows; the cost of a page grows
   * with its offset.
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

export function createCampaignRepository(database: Database, clock: () => Date): CampaignRepository {
  const statementOf = rememberStatements<ReturnType<typeof prepareList>>('list_campaigns')
  const tokenStore = createTokenStore(database)
  const findTogether = prepareFind(database, 'find_campaigns', detailColumns)
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
      const { shape, conditions, values } = combine([
        toCampaignConditions(query),
        given('template', query.actionTemplateOnly || undefined, () => sql`${campaigns.usesTemplateAsIs}`),
        given('active', query.showActiveOnly || undefined, () => isActive),
      ])
      // Where all are active, sorting by activity changes nothing.
      const activeFirst = query.sortBy === 'active' && !query.showActiveOnly
      const statement = statementOf(`${shape}${activeFirst ? ' active first' : ''}`, (name) =>
        prepareList(database, name, conditions, activeFirst),
      )
      const { limit, offset } = toRows(query)
      const now = clock()
      const placeholders = { ...values, now: now.toISOString(), limit, offset, last: offset + BigInt(limit) }
      const { rows, tokens } = await tokenStore.readWith(() => statement.execute(placeholders), tokenIdsOf)
      const page = rows.filter(({ key }) => key !== null)
      const { changesAt, ...dependencies } = { ...dependenciesOf(page), onLists: true }
      return {
        json: `{"campaigns":[${page.map((row) => toJson(row, tokens)).join(',')}],"totalCampaigns":${rows[0]?.total ?? 0}}`,
        // Which campaigns are active changes with any of them.
        dependencies: activeFirst || query.showActiveOnly ? dependencies : { ...dependencies, changesAt },
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

/** The columns that campaigns are sorted by age with. */
const recency = {
  blockTimestamp: campaigns.blockTimestamp,
  chainId: campaigns.chainId,
  coreAddress: campaigns.coreAddress,
  identifier: campaigns.identifier,
}

/** The order of campaigns by age: newest first, and always the same among equals. */
const newestFirst = (columns: Record<keyof typeof recency, AnyColumn>) => [
  desc(columns.blockTimestamp),
  asc(columns.chainId),
  asc(columns.coreAddress),
  asc(columns.identifier),
]

/** Under a name of its own, which stays unambiguous where the campaigns are joined again. */
const pageKey = sql<bigint>`${campaigns.key}`.as('page_key')

function prepareList(database: Database, name: string, conditions: SQL[], activeFirst: boolean) {
  const total = database
    .select({ total: sql<number>`count(*)::integer`.as('total') })
    .from(campaigns)
    .where(and(...conditions))
    .as('total')
  const newest = () =>
    database
      .select({ pageKey })
      .from(campaigns)
      .where(and(...conditions))
      .orderBy(...newestFirst(recency))
      .limit(sql.placeholder('limit'))
      .offset(sql.placeholder('offset'))
  const page = database.$with('page').as(activeFirst ? pageActiveFirst(database, conditions) : newest())
  return (
    database
      .with(page)
      .select({ total: total.total, ...listColumns })
      .from(total)
      // An outer join: the total is there also when the page is empty.
      .leftJoin(readCampaigns(sql`array(select page_key from ${page})`), sql`true`)
      .prepare(name)
  )
}

/**
 * Keys of a page with active campaigns first. No index can hold what is active at any moment, so both groups are read in
 * their own order, as far as the page could need them.
 */
function pageActiveFirst(database: Database, conditions: SQL[]) {
  const group = (rank: SQL, condition: SQL) =>
    database
      .select({ ...recency, pageKey, rank: rank.as('rank') })
      .from(campaigns)
      .where(and(...conditions, condition))
      .orderBy(...newestFirst(recency))
      .limit(sql.placeholder('last'))
  const groups = unionAll(group(sql`0`, isActive), group(sql`1`, not(isActive))).as('groups')
  return database
    .select({ pageKey: groups.pageKey })
    .from(groups)
    .orderBy(groups.rank, ...newestFirst(groups))
    .limit(sql.placeholder('limit'))
    .offset(sql.placeholder('offset'))
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
