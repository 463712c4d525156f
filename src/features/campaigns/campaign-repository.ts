import { type AnyColumn, and, asc, desc, eq, not, type SQL, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import { combine, given, isActive, toCampaignConditions } from '../../database/campaign-conditions.ts'
import type { Database } from '../../database/client.ts'
import type { Dependencies } from '../../database/data-version.ts'
import { rememberStatements } from '../../database/statements.ts'
import { campaigns } from '../../database/tables/campaigns.ts'
import { toRows } from '../../schemas/paging.ts'
import { toDetail, toListItem } from './campaign-answers.ts'
import { type CampaignRow, campaignColumns, MOST_LISTED_ADDRESSES } from './campaign-rows.ts'
import type { CampaignDetail, ListCampaignsQuery, ListCampaignsResponse } from './campaign-schemas.ts'

export interface CampaignRepository {
  /**
   * One page of the campaigns that match, and their exact number, both as of the same moment. Newest first, or active
   * ones first; ties end on chain ID, core address, identifier, ascending. At most 100 rows; the cost of a page grows
   * with its offset.
   */
  list(query: ListCampaignsQuery): Promise<Answerable<ListCampaignsResponse>>
  /** One campaign with all its allow-list addresses; undefined where there is none. Two index lookups a part. */
  find(id: string): Promise<Answerable<CampaignDetail> | undefined>
}

/** An answer with what it depends on. */
interface Answerable<Body> {
  body: Body
  dependencies: Dependencies
}

export function createCampaignRepository(database: Database, clock: () => Date): CampaignRepository {
  const statementOf = rememberStatements<ReturnType<typeof prepareList>>('list_campaigns')
  const findById = prepareFind(database)

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
      const rows = await statement.execute({
        ...values,
        now: now.toISOString(),
        limit,
        offset,
        last: offset + BigInt(limit),
      })
      const page = rows.flatMap(({ campaign }) => (campaign === null ? [] : [campaign]))
      const { changesAt, ...dependencies } = { ...dependenciesOf(page, now), onLists: true }
      return {
        body: { campaigns: page.map(toListItem), totalCampaigns: rows[0]?.total ?? 0 },
        // Which campaigns are active changes with any of them.
        dependencies: activeFirst || query.showActiveOnly ? dependencies : { ...dependencies, changesAt },
      }
    },

    async find(id) {
      const now = clock()
      const [row] = await findById.execute({ id, now: now.toISOString() })
      return row && { body: toDetail(row.campaign), dependencies: dependenciesOf([row.campaign], now) }
    },
  }
}

/** What the answers about some campaigns depend on; they change when one of those starts or ends. */
function dependenciesOf(shown: CampaignRow[], now: Date) {
  const instants = shown.flatMap(({ startAt, endAt }) => [startAt, endAt].map((instant) => instant?.getTime() ?? 0))
  return {
    campaignKeys: shown.map(({ key }) => Number(key)),
    onLists: false,
    changesAt: Math.min(...instants.filter((instant) => instant > now.getTime())),
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
      .select({ total: total.total, campaign: campaignColumns(MOST_LISTED_ADDRESSES) })
      .from(total)
      // Outer joins: the total is there also when the page is empty.
      .leftJoin(page, sql`true`)
      .leftJoin(campaigns, eq(campaigns.key, page.pageKey))
      .orderBy(...(activeFirst ? [desc(isActive)] : []), ...newestFirst(recency))
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

function prepareFind(database: Database) {
  const found = database.$with('found').as(
    database
      .select({ pageKey })
      .from(campaigns)
      .where(eq(campaigns.id, sql.placeholder('id'))),
  )
  return database
    .with(found)
    .select({ campaign: campaignColumns(Number.MAX_SAFE_INTEGER) })
    .from(found)
    .innerJoin(campaigns, eq(campaigns.key, found.pageKey))
    .prepare('find_campaign')
}
