import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/client.ts'
import { createTokenStore } from '../../database/lookups/token-metadata-cache.ts'
import { cacheStatements } from '../../database/prepared-statements.ts'
import {
  foremostCampaigns,
  type TrendingPeriod,
  toTrendingConditions,
  toWholeSeconds,
} from '../../read-models/claim-windows/read.ts'
import { createDocumentParser } from './trending-documents.ts'
import { toTrendingCampaign } from './trending-responses.ts'
import { trendingColumns } from './trending-rows.ts'
import type { ListTrendingCampaignsQuery, TrendingCampaign } from './trending-schemas.ts'

export interface TrendingRepository {
  /**
   * The active campaigns with claims in the period: most US dollars claimed in it first, then most claims, then the
   * newest; ties end on chain ID, core address, identifier, ascending. At most 100. Reads about as many rows as it
   * returns, and the campaigns that have changed since the stored totals; if few of many match two filters, or admit
   * the user, the rows that match one of them.
   */
  list(query: ListTrendingCampaignsQuery): Promise<{ trendingCampaigns: Partial<TrendingCampaign>[] }>
}

export function createTrendingRepository(database: Database, clock: () => Date): TrendingRepository {
  const statementOf = cacheStatements<ReturnType<typeof prepareTrending>>('list_trending')
  const tokenStore = createTokenStore(database)
  const documents = createDocumentParser()

  return {
    async list(query) {
      const { period, user, includeTokenMetadata, fields } = query
      const { shape, conditions, values } = toTrendingConditions(query)
      const statement = statementOf(`${period} ${shape}`, (name) => prepareTrending(database, name, period, conditions))
      const now = clock()
      const filter = {
        ...values,
        user: user ?? null,
        withToken: includeTokenMetadata,
        now: now.toISOString(),
        nowSeconds: toWholeSeconds(now),
        pageSize: query.pageSize,
      }
      const { rows, tokens } = await tokenStore.readWith(() => statement.execute(filter), documents.tokenIdsOf)
      const entries = rows.map((row) => toTrendingCampaign(row, documents, tokens, user !== undefined))
      return { trendingCampaigns: fields === undefined ? entries : entries.map((entry) => withFields(entry, fields)) }
    },
  }
}

/** Which campaigns, and what is shown of them, in one statement, so as of one moment. */
const prepareTrending = (database: Database, name: string, period: TrendingPeriod, conditions: SQL[]) =>
  database
    .select(trendingColumns)
    .from(
      sql`(
        with foremost as materialized (${foremostCampaigns(period, conditions)})
        select * from foremost join trending_entries(
          array(select campaign_key from foremost), ${sql.placeholder('user')}, ${sql.placeholder('withToken')}
        ) shown using (campaign_key)
      ) as entry`,
    )
    .orderBy(sql`entry.place`)
    .prepare(name)

const withFields = (entry: TrendingCampaign, fields: readonly string[]): Partial<TrendingCampaign> =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => fields.includes(name)))
