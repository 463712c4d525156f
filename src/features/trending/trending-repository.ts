import { and, type SQL, sql } from 'drizzle-orm'
import { combine, given, isActive, toCampaignConditions } from '../../database/campaign-conditions.ts'
import { readCampaigns } from '../../database/campaign-documents.ts'
import {
  createWindowReader,
  keptUpTo,
  toWholeSeconds,
  WINDOW_SECONDS,
  windowChanges,
} from '../../database/claim-windows.ts'
import type { Database } from '../../database/client.ts'
import { rememberStatements } from '../../database/statements.ts'
import { actionTemplates } from '../../database/tables/action-templates.ts'
import { campaigns } from '../../database/tables/campaigns.ts'
import { campaignClaimTotals } from '../../database/tables/claim-totals.ts'
import { createTokenStore } from '../../database/token-store.ts'
import { toTrendingCampaign } from './trending-answers.ts'
import { createDocumentReader } from './trending-documents.ts'
import { accessStatusOf, isOfAnyType, trendingColumns } from './trending-rows.ts'
import type { ListTrendingCampaignsQuery, ListTrendingCampaignsResponse } from './trending-schemas.ts'

const MOST_TRENDING = 100

export interface TrendingRepository {
  /**
   * The active campaigns with claims in the period: most US dollars claimed in it first, then most claims, then the
   * newest; ties end on chain ID, core address, identifier, ascending. At most 100. Costs about as much as reading the
   * campaigns it returns, however many claims there are; a filter that few of the foremost campaigns pass costs more.
   */
  list(query: ListTrendingCampaignsQuery): Promise<ListTrendingCampaignsResponse>
}

export function createTrendingRepository(database: Database, clock: () => Date): TrendingRepository {
  const statementOf = rememberStatements<ReturnType<typeof prepareTrending>>('list_trending')
  const readWindows = createWindowReader(database)
  const tokenStore = createTokenStore(database)
  const documents = createDocumentReader()

  return {
    async list(query) {
      const { shape, conditions, values } = combine([
        toCampaignConditions(query),
        given('user', query.user, (user) => sql`${accessStatusOf(user)} = 'allowed'`),
        given('including', query.includeActionTypes, (types) => isOfAnyType(types)),
        given('excluding', query.excludeActionTypes, (types) => sql`not ${isOfAnyType(types)}`),
      ])
      const { user, includeTokenMetadata: withToken, period } = query
      const statement = statementOf(`${period} ${withToken ? 'token ' : ''}${shape}`, (name) =>
        prepareTrending(database, name, {
          period,
          condition: and(isActive, ...conditions) ?? sql`true`,
          columns: trendingColumns({ forUser: user !== undefined, withToken }),
        }),
      )
      const now = clock()
      const read = () =>
        readWindows((keptUpTo) =>
          statement.execute({ ...values, keptUpTo, nowSeconds: toWholeSeconds(now), now: now.toISOString() }),
        )
      const { rows, tokens } = await tokenStore.readWith(read, documents.tokenIdsOf)
      return {
        trendingCampaigns: rows
          .filter(({ body }) => body !== null)
          .map((row) => toTrendingCampaign(row, documents, tokens)),
      }
    },
  }
}

const recency = sql.raw('block_timestamp, chain_id, core_address, identifier')
const order = sql.raw('amount_usd desc, claim_count desc, block_timestamp desc, chain_id, core_address, identifier')

/**
 * The kept totals are read in their order, without the campaigns whose totals have changed since; those come as they
 * are now, and the two are sorted together.
 */
function prepareTrending(
  database: Database,
  name: string,
  shape: { period: '1h' | '24h'; condition: SQL; columns: ReturnType<typeof trendingColumns> },
) {
  const { period, condition, columns } = shape
  const most = sql.raw(String(MOST_TRENDING))
  const other = period === '1h' ? '24h' : '1h'
  const kept = (window: '1h' | '24h') => sql`(
    select campaign_key, claim_count, amount_usd from ${campaignClaimTotals}
    where window_seconds = ${sql.raw(String(WINDOW_SECONDS[window]))})`
  const changes = (window: '1h' | '24h') => sql.raw(`changes_in_${window}`)
  const usdIn = (window: '1h' | '24h') => sql.raw(`usd_in_${window}`)
  const ranked = sql`(
    with changes_in_1h as materialized (select * from ${windowChanges(WINDOW_SECONDS['1h'])}),
    changes_in_24h as materialized (select * from ${windowChanges(WINDOW_SECONDS['24h'])}),
    changed as materialized (
      select campaign_key, coalesce(kept.claim_count, 0) + changes.claim_count as claim_count,
        coalesce(kept.amount_usd, 0) + changes.amount_usd as amount_usd
      from ${changes(period)} changes left join ${kept(period)} kept using (campaign_key)
    ), candidates as (
      (
        select campaign_key, claim_count, amount_usd, ${recency}
        from ${kept(period)} kept join ${campaigns} on key = campaign_key
        -- As a list of keys, which leaves the order of the index as it is.
        where ${condition} and campaign_key not in (select campaign_key from changed)
        order by ${order} limit ${most}
      )
      union all
      select campaign_key, claim_count, amount_usd, ${recency}
      from changed join ${campaigns} on key = campaign_key
      where claim_count > 0 and ${condition}
    ), foremost as (
      select campaign_key, amount_usd, row_number() over (order by ${order}) as place from candidates
      order by place limit ${most}
    )
    select campaign_key, place, shown.body, shown.figures, foremost.amount_usd::text as ${usdIn(period)}, (
        coalesce((select amount_usd from ${kept(other)} kept where kept.campaign_key = foremost.campaign_key), 0)
        + coalesce(changes.amount_usd, 0)
      )::text as ${usdIn(other)}
    from foremost left join ${changes(other)} changes using (campaign_key)
    join ${readCampaigns(sql`array(select campaign_key from foremost)`)} on shown.key = campaign_key
  )`
  return (
    database
      .select({ keptUpTo, ...columns })
      // Outer joins: how far the kept totals reach is there also when nothing is trending.
      .from(sql`(values (1)) as one`)
      .leftJoin(sql`${ranked} as ranked`, sql`true`)
      .leftJoin(campaigns, sql`${campaigns.key} = ranked.campaign_key`)
      .leftJoin(actionTemplates, sql`${actionTemplates.id} = ${campaigns.actionTemplateId}`)
      .orderBy(sql`ranked.place`)
      .prepare(name)
  )
}
