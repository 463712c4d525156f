import { sql } from 'drizzle-orm'
import { batchLookups } from '../../database/batched-lookups.ts'
import type { Database } from '../../database/client.ts'
import { campaigns } from '../../database/tables/campaigns.ts'
import { createTokenStore, type Tokens, tokenVersion } from '../../database/token-store.ts'
import { createTurns } from '../../database/turns.ts'
import { readCampaigns } from '../../read-models/campaign-documents/read.ts'
import { campaignPages, createCampaignTotals, toPageQuestion } from '../../read-models/campaign-search/read.ts'
import { createListsVersionReader, type Dependencies } from '../../read-models/data-version/read.ts'
import { toRows } from '../../schemas/paging.ts'
import { toJson, tokenIdsOf } from './campaign-answers.ts'
import { addressesColumn, type Campaign, detailColumns, listDocument, state, toCampaign } from './campaign-rows.ts'
import type { ListCampaignsQuery } from './campaign-schemas.ts'

export interface CampaignRepository {
  /**
   * One page of the campaigns that match, and their exact number, both as of the same moment. Newest first, or active
   * ones first; ties end on chain ID, core address, identifier, ascending. At most 100 rows. About the same cost for
   * whatever filters and page: milliseconds at a million campaigns. Pages that are asked for at the same moment share a
   * statement.
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

/** A campaign as it is shown, in an answer of its own or on a page. */
interface Shown extends Pick<Campaign, 'key' | 'changesAt'> {
  json: string
}

interface Page {
  total: number
  shown: Shown[]
}

/** As many campaigns share a statement; a page has no more. */
const MOST_FOUND_TOGETHER = 100

/** As many pages share a statement: each may take some milliseconds, and all wait for all. */
const MOST_LISTED_TOGETHER = 8

/** A page whose campaigns can be found by more than this may take longer, and nobody else waits for it. */
const MOST_ENTRIES_TOGETHER = 6

/** @param lookups where details are asked for, which are found by their keys and never wait for pages. */
export function createCampaignRepository(database: Database, lookups: Database, clock: () => Date): CampaignRepository {
  const tokenStore = createTokenStore(lookups)
  const totals = createCampaignTotals(createListsVersionReader(lookups))
  const inTurn = createTurns()
  const listTogether = prepareList(database, 'list_campaigns')
  // By a name of its own: that these are dear must not be held against the others.
  const listAlone = prepareList(database, 'list_campaigns_alone')
  const findTogether = prepareFind(lookups, 'find_campaigns', detailColumns)
  const findAlone = prepareFind(database, 'find_campaign', { ...detailColumns, addresses: addressesColumn })

  const lookUpPage = batchLookups(MOST_LISTED_TOGETHER, (questions) => readPages(listTogether, questions))
  const lookUpCampaign = batchLookups(MOST_FOUND_TOGETHER, async (ids) => {
    const now = clock().toISOString()
    const { rows, tokens } = await tokenStore.readWith(async () => {
      const found = await findTogether.execute({ ids, now })
      return found.map((row) => ({ ...row, campaign: toCampaign(row) }))
    }, tokenIdsOf)
    return new Map(rows.map(({ id, lacksAddresses, campaign }) => [id, lacksAddresses || toShown(campaign, tokens)]))
  })

  async function readPages(list: typeof listTogether, questions: string[]) {
    const now = clock()
    const asked = totals.ask(questions, now)
    const values = { questions: asked.json, now: now.toISOString() }
    const { rows, tokens } = await tokenStore.readWith(async () => {
      const found = await list.execute(values)
      return found.map(({ state, document, ...page }) => ({
        ...page,
        campaign: state === null || document === null ? undefined : toCampaign({ state, document }),
      }))
    }, tokenIdsOf)
    const shown = new Map<number, Shown>()
    for (const { campaign } of rows) if (campaign !== undefined) shown.set(campaign.key, toShown(campaign, tokens))
    const pages = new Map<string, Page>()
    for (const { nth, total, listsVersion, changesAt, keys } of rows) {
      if (nth === null || listsVersion === null || keys === null) continue
      const onPage = keys.split(',').flatMap((key) => shown.get(Number(key)) ?? [])
      pages.set(questions[nth - 1] ?? '', {
        total: asked.totalOf(nth, { total, listsVersion, changesAt }),
        shown: onPage,
      })
    }
    return pages
  }

  async function findPage(question: string, pageSize: number, entryCount: number): Promise<Page | undefined> {
    const total = pageSize === 0 ? await totals.recall(question, clock()) : undefined
    if (total !== undefined) return { total, shown: [] }
    if (entryCount <= MOST_ENTRIES_TOGETHER) return lookUpPage(question)
    return (await readPages(listAlone, [question])).get(question)
  }

  /** Not together with others, and one after the other: a list may have tens of megabytes, several times while it is read. */
  async function findWithAddresses(id: string) {
    const values = { ids: [id], now: clock().toISOString() }
    const { rows, tokens } = await tokenStore.readWith(async () => {
      const found = await findAlone.execute(values)
      return found.map((row) => ({ ...row, campaign: toCampaign(row) }))
    }, tokenIdsOf)
    return rows[0] && toShown(rows[0].campaign, tokens)
  }

  return {
    async list(query) {
      // Where all are active, sorting by activity changes nothing.
      const activity = query.showActiveOnly ? 'only' : query.sortBy === 'active' ? 'first' : 'any'
      const { text: question, entryCount } = toPageQuestion({ ...query, ...toRows(query), activity })
      const page = await findPage(question, query.pageSize, entryCount)
      if (page === undefined) throw new TypeError('a page is not among those that were asked for')
      const { changesAt, ...dependencies } = { ...dependenciesOf(page.shown), onLists: true }
      return {
        json: `{"campaigns":[${page.shown.map(({ json }) => json).join(',')}],"totalCampaigns":${page.total}}`,
        // Which campaigns are active changes with any of them.
        dependencies: activity !== 'any' ? dependencies : { ...dependencies, changesAt },
      }
    },

    async find(id) {
      const found = await lookUpCampaign(id)
      const shown = found === true ? await inTurn(() => findWithAddresses(id)) : found
      return shown && { json: shown.json, dependencies: dependenciesOf([shown]) }
    },
  }
}

const toShown = (campaign: Campaign, tokens: Tokens): Shown => ({
  key: campaign.key,
  changesAt: campaign.changesAt,
  json: toJson(campaign, tokens),
})

/** What the answers about some campaigns depend on; they change when one of those starts or ends. */
function dependenciesOf(shown: Shown[]) {
  return {
    campaignKeys: shown.map(({ key }) => key),
    onLists: false,
    changesAt: Math.min(...shown.map(({ changesAt }) => changesAt)),
  }
}

/** Rows of two kinds: pages by their questions' places, without campaigns, and the campaigns of them all. */
function prepareList(database: Database, name: string) {
  return database
    .select({
      tokenVersion,
      nth: sql<number | null>`answer.nth`,
      total: sql<number | null>`answer.total`,
      listsVersion: sql<string | null>`answer.lists_version`,
      changesAt: sql<number | null>`answer.changes_at`,
      keys: sql<string | null>`answer.keys`,
      state: sql<string | null>`answer.state`,
      document: sql<string | null>`answer.document`,
    })
    .from(sql`(
      with page as materialized (select * from ${campaignPages} as pages)
      select nth, total, lists_version, changes_at, array_to_string(keys, ',') as keys, null as state, null as document from page
      union all
      select null, null, null, null, null, ${state}, ${listDocument}
      from ${readCampaigns(sql`array(select distinct unnest(keys) from page)`)}
    ) as answer`)
    .prepare(name)
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
