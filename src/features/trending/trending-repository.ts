import { Big } from 'big.js'
import { type SQL, sql } from 'drizzle-orm'
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types'
import type { Database } from '../../database/connection/open-database.ts'
import { type CampaignRecord, campaignRecords, toInstant } from '../../database/lookups/campaign-records.ts'
import { type TokenStore, type Tokens, tokenVersion } from '../../database/lookups/token-metadata-cache.ts'
import { cacheStatements } from '../../database/prepared-statements.ts'
import { createExplanations } from '../../read-models/campaign-index/read.ts'
import {
  type TrendingPeriod,
  topCampaigns,
  toTrendingConditions,
  toWholeSeconds,
  WINDOW_SECONDS,
} from '../../read-models/claim-windows/read.ts'
import type { Explanation } from '../../schemas/campaigns/campaign-explanations.ts'
import { withoutNulls } from '../../schemas/campaigns/shown-incentives.ts'
import { assetAddressOf, roundUsd, toTrendingIncentive, withoutUndefined } from './trending-incentives.ts'
import {
  type ActionTemplate,
  type ActionTokenMetadata,
  type ClaimSignature,
  ListTrendingCampaignsQuery,
  type TrendingCampaign,
} from './trending-schemas.ts'

type ListResponse = { trendingCampaigns: Partial<TrendingCampaign>[]; explained?: Explanation }

export interface TrendingRepository {
  /**
   * The active campaigns with claims in the period: most US dollars claimed in it first, then most claims, then the
   * newest; ties end on chain ID, core address, identifier, ascending. At most 100. Reads about as many rows as it
   * returns, and the campaigns that have changed since the stored totals; if few of many match two filters, or admit
   * the user, the rows that match one of them.
   */
  list(query: ListTrendingCampaignsQuery): Promise<ListResponse>
}

export function createTrendingRepository(
  database: Database,
  tokenStore: TokenStore,
  clock: () => Date,
): TrendingRepository {
  const statementOf = cacheStatements<ReturnType<typeof prepareTrending>>('list_trending')
  const explain = createExplanations(database, Object.keys(ListTrendingCampaignsQuery.properties))

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
      const { rows, tokens } = await tokenStore.readWith(() => statement.execute(filter), tokenIdsOf)
      const entries = rows.map((row) => toTrendingCampaign(row, tokens, user !== undefined))
      const explanation =
        query.explain === undefined
          ? undefined
          : await explain(query.explain, { ...query, status: 'active', periodSeconds: WINDOW_SECONDS[period] }, now)
      return {
        trendingCampaigns: fields === undefined ? entries : entries.map((entry) => withFields(entry, fields)),
        ...(explanation !== undefined && { explained: explanation.explained }),
      }
    },
  }
}

const keysOfForemost = sql`array(select campaign_key from foremost)`

/** What an entry shows of the record of its campaign. */
const SHOWN_PARTS = [
  ...(['id', 'chainId', 'incentives', 'txHash', 'blockTimestamp', 'campaignName', 'nftImageUri', 'nftName'] as const),
  ...(['tokenImageUri', 'startsAt', 'endsAt'] as const),
]
type ShownRecord = Pick<CampaignRecord, (typeof SHOWN_PARTS)[number]>

/** Which campaigns, and what is shown of them, in one statement, so as of one moment. */
const prepareTrending = (database: Database, name: string, period: TrendingPeriod, conditions: SQL[]) =>
  database
    .select(trendingColumns)
    .from(
      sql`(
        with foremost as materialized (${topCampaigns(period, conditions)})
        select * from foremost
        join ${campaignRecords(keysOfForemost, SHOWN_PARTS)} found using (campaign_key)
        join trending_entries(${keysOfForemost}, ${sql.placeholder('user')}, ${sql.placeholder('withToken')}) shown using (campaign_key)
      ) as entry`,
    )
    .orderBy(sql`entry.rank`)
    .prepare(name)

const withFields = (entry: TrendingCampaign, fields: readonly string[]): Partial<TrendingCampaign> =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => fields.includes(name)))

/** The token of a campaign's action, without unknown properties. */
type ActionTokenRow = Omit<ActionTokenMetadata, 'priceUsd'> & { priceUsd?: string }

/** The columns of an entry (see the function `trending_entries`), with what was claimed in both periods, as `entry`. */
const trendingColumns = {
  tokenVersion,
  record: sql<ShownRecord>`entry.record`,
  projectUrl: sql<string | null>`entry.project_url`,
  verificationLevel: sql<string | null>`entry.verification_level`,
  actionTemplate: sql<ActionTemplate | null>`entry.action_template`,
  /** Null if it was not requested, or is unknown. */
  actionToken: sql<ActionTokenRow | null>`entry.action_token`,
  claimCount: sql<number>`entry.claim_count::float8`,
  usdDistributed1Hr: sql<string>`entry.hour_amount_usd::text`,
  usdDistributed24Hr: sql<string>`entry.day_amount_usd::text`,
  /** About the user; false and null without one. */
  hasClaimed: sql<boolean>`entry.has_claimed`,
  signature: sql<ClaimSignature | null>`entry.signature`,
}
type TrendingRow = SelectResultFields<typeof trendingColumns>

/** The tokens that an entry shows, or needs for values. */
const tokenIdsOf = ({ record: { chainId, incentives } }: TrendingRow) =>
  incentives
    .flatMap(({ definition }) => [assetAddressOf(definition), ...('peg' in definition ? [definition.peg] : [])])
    .map((address) => `${chainId}:${address}`)

/** Budget and payments of the incentives that pay the asset of the first token incentive, in its base units. */
function toBudget({ incentives }: ShownRecord) {
  const asset = incentives.find(({ remainingBudget }) => remainingBudget !== null)?.asset
  let [claimed, remaining] = [0n, 0n]
  for (const { definition, claimedAmount, remainingBudget, ...incentive } of incentives) {
    if (remainingBudget === null || incentive.asset !== asset) continue
    const recorded = 'totalAmountClaimed' in definition ? definition.totalAmountClaimed : undefined
    claimed += BigInt(recorded ?? claimedAmount)
    remaining += BigInt(remainingBudget)
  }
  return { totalBudget: String(remaining + claimed), rewardsDistributed: String(claimed) }
}

const toActionTokenMetadata = ({ priceUsd, ...token }: ActionTokenRow): ActionTokenMetadata => ({
  ...token,
  ...(priceUsd === undefined ? {} : { priceUsd: toSignificant(priceUsd) }),
})

const toSignificant = (price: string) => new Big(price).prec(12, Big.roundHalfUp).toNumber()

/** A campaign for a user: status, access and signature are about that user, if one is given. */
function toTrendingCampaign(row: TrendingRow, tokens: Tokens, isForUser: boolean): TrendingCampaign {
  const { record } = row
  const tokenAt = (address: string) => tokens.get(`${record.chainId}:${address}`)
  const signature = row.hasClaimed ? null : row.signature
  const isSwap = row.actionTemplate?.actionType.toLowerCase() === 'swap'
  return withoutUndefined({
    id: record.id,
    chainId: record.chainId,
    incentives: record.incentives.map(({ definition }) => toTrendingIncentive(withoutNulls(definition), tokenAt)),
    actionTemplate: row.actionTemplate,
    status: row.hasClaimed ? 'claimed' : signature === null ? 'active' : 'claimable',
    // Only campaigns that admit the user are listed.
    accessStatus: isForUser ? 'allowed' : undefined,
    signature: signature ?? undefined,
    txHash: record.txHash,
    blockTimestamp: String(record.blockTimestamp),
    campaignName: record.campaignName ?? undefined,
    nftImageUri: record.nftImageUri ?? undefined,
    nftName: record.nftName ?? undefined,
    tokenImageUri: record.tokenImageUri ?? undefined,
    projectUrl: row.projectUrl ?? undefined,
    startTime: toInstant(record.startsAt) ?? undefined,
    endTime: toInstant(record.endsAt) ?? undefined,
    verificationLevel: row.verificationLevel ?? undefined,
    claimCount: row.claimCount,
    ...toBudget(record),
    usdDistributed24Hr: roundUsd(new Big(row.usdDistributed24Hr)),
    usdDistributed1Hr: roundUsd(new Big(row.usdDistributed1Hr)),
    actionTokenMetadata: isSwap && row.actionToken !== null ? toActionTokenMetadata(row.actionToken) : undefined,
  } as const)
}
