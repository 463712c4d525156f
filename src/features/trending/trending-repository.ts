import { type SQL, sql } from 'drizzle-orm'
import { createWindowReader, toWholeSeconds } from '../../database/claim-windows.ts'
import type { Database } from '../../database/client.ts'
import { rememberStatements } from '../../database/statements.ts'
import { createTokenStore } from '../../database/token-store.ts'
import { foremostCampaigns, type TrendingPeriod, toTrendingConditions } from '../../read-models/claim-windows/read.ts'
import { toTrendingCampaign } from './trending-answers.ts'
import { createDocumentReader } from './trending-documents.ts'
import { isEntry, trendingColumns, trendingEntries } from './trending-rows.ts'
import type { ListTrendingCampaignsQuery, ListTrendingCampaignsResponse } from './trending-schemas.ts'

export interface TrendingRepository {
  /**
   * The active campaigns with claims in the period: most US dollars claimed in it first, then most claims, then the
   * newest; ties end on chain ID, core address, identifier, ascending. At most 100. Reads about as many rows as it returns,
   * and the campaigns that have changed since the kept totals; where few of many match two filters, or admit the user, the
   * rows that match one of them.
   */
  list(query: ListTrendingCampaignsQuery): Promise<ListTrendingCampaignsResponse>
}

export function createTrendingRepository(database: Database, clock: () => Date): TrendingRepository {
  const statementOf = rememberStatements<ReturnType<typeof prepareTrending>>('list_trending')
  const readWindows = createWindowReader(database)
  const tokenStore = createTokenStore(database)
  const documents = createDocumentReader()

  return {
    async list({ period, includeTokenMetadata, ...filters }) {
      const { shape, conditions, values } = toTrendingConditions(filters)
      const statement = statementOf(`${period} ${includeTokenMetadata} ${shape}`, (name) =>
        prepareTrending(database, name, {
          period,
          conditions,
          ofUser: filters.user !== undefined,
          withToken: includeTokenMetadata,
        }),
      )
      const now = clock()
      const read = (keptUpTo: number | null) =>
        statement.execute({ ...values, keptUpTo, now: now.toISOString(), nowSeconds: toWholeSeconds(now) })
      const { rows, tokens } = await tokenStore.readWith(() => readWindows(read), documents.tokenIdsOf)
      return { trendingCampaigns: rows.filter(isEntry).map((row) => toTrendingCampaign(row, documents, tokens)) }
    },
  }
}

interface Shape {
  period: TrendingPeriod
  conditions: SQL[]
  ofUser: boolean
  withToken: boolean
}

/** Which campaigns, and what is shown of them, in one statement, so as of one moment. */
const prepareTrending = (database: Database, name: string, { period, conditions, ofUser, withToken }: Shape) =>
  database
    .select(trendingColumns({ ofUser, withToken }))
    .from(trendingEntries(foremostCampaigns(period, conditions)))
    .orderBy(sql`foremost.place`)
    .prepare(name)
