import { sql } from 'drizzle-orm'
import { facetEntries, toFacetEntries } from '../../database/campaign-pages.ts'
import type { Database } from '../../database/client.ts'
import { createTokenStore } from '../../database/token-store.ts'
import { toTrendingCampaign } from './trending-answers.ts'
import { createDocumentReader } from './trending-documents.ts'
import { trendingColumns } from './trending-rows.ts'
import type { ListTrendingCampaignsQuery, ListTrendingCampaignsResponse } from './trending-schemas.ts'

export interface TrendingRepository {
  /**
   * The active campaigns with claims in the period: most US dollars claimed in it first, then most claims, then the
   * newest; ties end on chain ID, core address, identifier, ascending. At most 100. Costs about as much as reading the
   * campaigns it returns, for whatever filters and however many claims there are; more where a great many campaigns have
   * claimed the same amount, or are asked for by a user or an action type that few of the foremost pass.
   */
  list(query: ListTrendingCampaignsQuery): Promise<ListTrendingCampaignsResponse>
}

export function createTrendingRepository(database: Database, clock: () => Date): TrendingRepository {
  const statement = prepareTrending(database)
  const tokenStore = createTokenStore(database)
  const documents = createDocumentReader()

  return {
    async list(query) {
      const values = {
        period: query.period,
        ...toFacetEntries(query),
        onlyWhitelisted: query.tokenWhitelist,
        user: query.user ?? null,
        included: query.includeActionTypes ?? null,
        excluded: query.excludeActionTypes ?? null,
        withToken: query.includeTokenMetadata,
        now: clock().toISOString(),
      }
      const { rows, tokens } = await tokenStore.readWith(() => statement.execute(values), documents.tokenIdsOf)
      return { trendingCampaigns: rows.map((row) => toTrendingCampaign(row, documents, tokens)) }
    },
  }
}

/** What is trending, in its order, is found by one function, with one plan for all values (see functions/rank_trending.sql). */
const prepareTrending = (database: Database) =>
  database
    .select(trendingColumns)
    .from(
      sql`list_trending(${sql.placeholder('period')}, ${facetEntries}, ${sql.placeholder('onlyWhitelisted')},
        ${sql.placeholder('user')}, ${sql.placeholder('included')}::text[], ${sql.placeholder('excluded')}::text[],
        ${sql.placeholder('withToken')}, ${sql.placeholder('now')}) as entry`,
    )
    .prepare('list_trending')
