import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import { cacheStatements, combine, given } from '../../database/prepared-statements.ts'
import { tokens } from '../../database/tables/tokens.ts'
import { readOneState } from '../../http/one-state.ts'
import type { CampaignIndexReader } from '../../read-models/campaign-index/read.ts'
import {
  type DataVersion,
  type DataVersionReader,
  type Dependencies,
  listsVersion,
} from '../../read-models/data-version/read.ts'
import { toSearchWords } from '../../schemas/parameters/search-words.ts'
import { toRows } from '../../schemas/parameters/shared-parameters.ts'
import type { ListedToken, ListTokensQuery, ListTokensResponse } from './token-schemas.ts'

/** Depends on lists, and on the clock: a write of tokens is about everything. */
const dependencies: Dependencies = { campaignKeys: [], onLists: true }

export function createTokenRepository(
  database: Database,
  campaignIndex: CampaignIndexReader,
  versions: DataVersionReader,
  clock: () => Date,
) {
  const statementOf = cacheStatements<ReturnType<typeof prepareList>>('list_tokens')

  /** Rows of the lists of which the counts are: of how many active campaigns a token is a reward, as JSON. */
  const readAt = <Row extends { listsVersion: string }>(
    version: DataVersion,
    read: (counts: string) => Promise<Row[]>,
  ): Promise<Row[]> =>
    readOneState(version, versions, async (at) => {
      const counted = await campaignIndex.read(at, (index) => index.countActive('reward', clock().getTime()))
      const counts = Array.from(counted.value, ([id, campaigns]) => ({ id, campaigns }))
      const rows = await read(JSON.stringify(counts))
      return rows.every((row) => row.listsVersion === counted.listsVersion) ? rows : undefined
    })

  return {
    /**
     * One page of the matching known tokens, and their exact number: those paid by most active campaigns first; ties end
     * on chain ID and address, ascending. At most 100. Campaigns are counted in the index of this process.
     */
    async list(
      query: ListTokensQuery,
      version: DataVersion,
    ): Promise<{ body: ListTokensResponse; totalCount: number; dependencies: Dependencies }> {
      const { search, chainId, token, whitelisted } = query
      const { shape, conditions, values } = combine([
        given(
          'words',
          search && toSearchWords(search).join(' '),
          (words) => sql`word_starts(name || ' ' || symbol) @@ words_query(${words})`,
        ),
        given('chains', chainId, (chains) => sql`chain_id = any(${chains}::bigint[])`),
        given('ids', token, (ids) => sql`chain_id || ':' || address = any(${ids}::text[])`),
        given('whitelisted', whitelisted, (flag) => sql`is_whitelisted = ${flag}::boolean`),
      ])
      const statement = statementOf(shape, (name) => prepareList(database, name, conditions))
      const rows = await readAt(version, (counts) => statement.execute({ ...values, ...toRows(query), counts }))
      const totalCount = rows[0]?.total ?? 0
      return {
        body: {
          tokens: rows.flatMap(({ total: _, listsVersion: _lists, chainId, address, pricedAt, ...row }) =>
            chainId === null
              ? []
              : [
                  {
                    ...{ id: `${chainId}:${address}`, chainId, address, ...row },
                    pricedAt: pricedAt === null ? null : new Date(pricedAt).toISOString(),
                  } as ListedToken,
                ],
          ),
          totalTokens: totalCount,
        },
        totalCount,
        dependencies,
      }
    },
  }
}
export type TokenRepository = ReturnType<typeof createTokenRepository>

/** The total is there even if no token is on the page. */
const prepareList = (database: Database, name: string, conditions: SQL[]) =>
  database
    .select({
      total: sql<number>`page.total`,
      listsVersion,
      chainId: sql<number | null>`page.chain_id::float8`,
      address: sql<string | null>`page.address`,
      name: sql<string | null>`page.name`,
      symbol: sql<string | null>`page.symbol`,
      decimals: sql<number | null>`page.decimals`,
      imageUri: sql<string | null>`page.image_uri`,
      whitelisted: sql<boolean | null>`page.is_whitelisted`,
      priceUsd: sql<string | null>`trim_scale(page.price_usd)::text`,
      pricedAt: sql<number | null>`(extract(epoch from price.priced_at) * 1000)::float8`,
      activeCampaigns: sql<number | null>`page.campaigns::integer`,
    })
    .from(
      sql`(
        with matching as materialized (
          select * from ${tokens} where ${sql.join([sql`true`, ...conditions], sql` and `)}
        ), page as (
          select matching.*, coalesce(rewards.campaigns, 0) as campaigns
          from matching left join jsonb_to_recordset(${sql.placeholder('counts')}::jsonb) rewards (id text, campaigns integer)
            on rewards.id = matching.chain_id || ':' || matching.address
          order by campaigns desc, chain_id, address
          limit ${sql.placeholder('limit')}::integer offset ${sql.placeholder('offset')}::bigint
        )
        select found.total, shown.* from (select count(*)::integer as total from matching) found left join page shown on true
      ) as page
      left join lateral token_price_at(page.chain_id, page.address, 'infinity') price on true`,
    )
    .orderBy(sql`page.campaigns desc, page.chain_id, page.address`)
    .prepare(name)
