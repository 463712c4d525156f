import { Big } from 'big.js'
import { type SQL, sql } from 'drizzle-orm'
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types'
import type { Database } from '../../database/connection/open-database.ts'
import { type CampaignRecord, campaignRecords, toInstant } from '../../database/lookups/campaign-records.ts'
import { type TokenStore, type Tokens, tokenVersion } from '../../database/lookups/token-metadata-cache.ts'
import { cacheStatements } from '../../database/prepared-statements.ts'
import { actionTemplates, campaigns } from '../../database/tables/campaigns.ts'
import { claimSignatures, claims, incentives } from '../../database/tables/incentives-and-claims.ts'
import { tokens } from '../../database/tables/tokens.ts'
import { readOneState } from '../../http/one-state.ts'
import { createExplanations } from '../../read-models/campaign-index/read.ts'
import {
  type TrendingPeriod,
  topCampaigns,
  toTrendingConditions,
  toWholeSeconds,
  WINDOW_SECONDS,
} from '../../read-models/claim-windows/read.ts'
import { type DataVersion, type DataVersionReader, revisionStamp } from '../../read-models/data-version/read.ts'
import type { Explanation } from '../../schemas/campaigns/campaign-explanations.ts'
import { withoutNulls } from '../../schemas/campaigns/shown-incentives.ts'
import { isProof } from '../../schemas/payloads/claim-proofs.ts'
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
   * the user, the rows that match one of them. Which campaigns, what is shown of them, and why another one is not
   * among them, are of one state of the data.
   */
  list(query: ListTrendingCampaignsQuery, version: DataVersion): Promise<ListResponse>
}

/** @param lookups the pool for what is found by keys: its plans are made once, however much is shown of a campaign. */
export function createTrendingRepository(
  database: Database,
  lookups: Database,
  tokenStore: TokenStore,
  versions: DataVersionReader,
  clock: () => Date,
): TrendingRepository {
  const statementOf = cacheStatements<ReturnType<typeof prepareTrending>>('list_trending')
  const shown = prepareEntries(lookups)
  const explain = createExplanations(database, Object.keys(ListTrendingCampaignsQuery.properties), revisionStamp)

  /** The entries, and the state that they are of; undefined if another commit has come in between. */
  async function readEntries(query: ListTrendingCampaignsQuery, now: Date) {
    const { period, user, includeTokenMetadata, pageSize } = query
    const { shape, conditions, values } = toTrendingConditions(query)
    const statement = statementOf(`${period} ${shape}`, (name) => prepareTrending(database, name, period, conditions))
    const filter = { ...values, now: now.toISOString(), nowSeconds: toWholeSeconds(now), pageSize }
    const ranked = await statement.execute(filter)
    const keys = ranked.map(({ key }) => key)
    if (keys.length === 0) return { entries: [], stamp: undefined }
    const of = { keys, user: user ?? null, withToken: includeTokenMetadata }
    const { rows, tokens } = await tokenStore.readWith(() => shown.execute(of), tokenIdsOf)
    const found = new Map(rows.map((row) => [row.record.key, row]))
    if (ranked.some(({ key, stamp }) => found.get(key)?.stamp !== stamp)) return undefined
    const entries = ranked.flatMap((claimed) => {
      const row = found.get(claimed.key)
      return row === undefined ? [] : [toTrendingCampaign({ ...row, ...claimed }, tokens, user !== undefined)]
    })
    return { entries, stamp: ranked[0]?.stamp }
  }

  async function isCurrent({ revision, history }: DataVersion) {
    const newest = await versions.read()
    return newest.revision === revision && newest.history === history
  }

  async function attempt(query: ListTrendingCampaignsQuery, version: DataVersion) {
    const now = clock()
    const read = await readEntries(query, now)
    if (read === undefined || query.explain === undefined) return read && { entries: read.entries }
    const filters = { ...query, status: 'active' as const, periodSeconds: WINDOW_SECONDS[query.period] }
    const { stamp, explained } = await explain(query.explain, filters, now)
    // An empty list, and a campaign that is not there, do not say what they are of.
    const isOfOneState =
      stamp === undefined || read.stamp === undefined ? await isCurrent(version) : stamp === read.stamp
    return isOfOneState ? { entries: read.entries, explained } : undefined
  }

  return {
    async list(query, version) {
      const { fields } = query
      const { entries, explained } = await readOneState(version, versions, (at) => attempt(query, at))
      return {
        trendingCampaigns: fields === undefined ? entries : entries.map((entry) => withFields(entry, fields)),
        ...(explained !== undefined && { explained }),
      }
    },
  }
}

/** What an entry shows of the record of its campaign. */
const SHOWN_PARTS = [
  ...(['key', 'id', 'chainId', 'incentives', 'txHash', 'blockTimestamp', 'campaignName', 'nftImageUri'] as const),
  ...(['nftName', 'tokenImageUri', 'startTime', 'endTime'] as const),
]
type ShownRecord = Pick<CampaignRecord, (typeof SHOWN_PARTS)[number]>

/** Which campaigns, the foremost first, with what was claimed in both periods. */
const prepareTrending = (database: Database, name: string, period: TrendingPeriod, conditions: SQL[]) =>
  database
    .select(claimedColumns)
    .from(sql`(${topCampaigns(period, conditions)}) as claimed`)
    .orderBy(sql`claimed.rank`)
    .prepare(name)

const claimedColumns = {
  stamp: revisionStamp,
  key: sql<number>`claimed.campaign_key::float8`,
  claimCount: sql<number>`claimed.claim_count::float8`,
  usdDistributed1Hr: sql<string>`claimed.hour_amount_usd::text`,
  usdDistributed24Hr: sql<string>`claimed.day_amount_usd::text`,
}

/** What is shown of campaigns with these keys, in any order. */
const prepareEntries = (lookups: Database) =>
  lookups
    .select(entryColumns)
    .from(sql`${campaignRecords(sql`${sql.placeholder('keys')}::bigint[]`, SHOWN_PARTS)} as found`)
    .innerJoin(campaigns, sql`${campaigns.key} = found.campaign_key`)
    .leftJoin(actionTemplates, sql`${actionTemplates.id} = ${campaigns.actionTemplateId}`)
    .prepare('show_trending')

const withFields = (entry: TrendingCampaign, fields: readonly string[]): Partial<TrendingCampaign> =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => fields.includes(name)))

/** The token of a campaign's action, without unknown properties. */
type ActionTokenRow = Omit<ActionTokenMetadata, 'priceUsd'> & { priceUsd?: string }

const user = sql`${sql.placeholder('user')}::text`

/** Looked up only where it is requested. */
const actionToken = sql<ActionTokenRow | null>`case when ${sql.placeholder('withToken')}::boolean then (
  select json_strip_nulls(json_build_object('tokenSymbol', ${tokens.symbol}, 'tokenContract', ${tokens.address},
    'chainId', ${tokens.chainId}, 'tokenImage', ${tokens.imageUri}, 'decimals', ${tokens.decimals},
    'marketCap', ${tokens.marketCap}, 'priceChange24Hr', ${tokens.priceChange24Hr}, 'volume24Hr', ${tokens.volume24Hr},
    'priceUsd', ${tokens.priceUsd}::text, 'holders', ${tokens.holders}))
  from ${tokens} where ${tokens.chainId} = ${campaigns.actionTokenChainId} and ${tokens.address} = ${campaigns.actionTokenAddress}
) end`

// Asked incentive by incentive, so that an index answers however many claims there are; the offset keeps the planner from reading
// all claims of the campaign, or all of the user.
const hasClaimed = sql<boolean>`(${user} is not null and exists (
  select from ${incentives} cross join lateral (
    select from ${claims} where ${claims.campaignKey} = ${campaigns.key}
      and ${claims.incentivePosition} = ${incentives.position} and ${claims.claimant} = ${user} offset 0
  ) own where ${incentives.campaignKey} = ${campaigns.key}))`

const signature = sql<ClaimSignature | null>`case when ${user} is not null then (
  select json_build_object('claimant', ${claimSignatures.claimant}, 'incentiveId', ${claimSignatures.incentivePosition},
    'signature', ${claimSignatures.signature}, 'referrer', ${claimSignatures.referrer})
  from ${claimSignatures} where ${claimSignatures.campaignKey} = ${campaigns.key} and ${claimSignatures.claimant} = ${user}
    and not ${sql.raw(isProof('signature'))}
  order by ${claimSignatures.incentivePosition} limit 1
) end`

/** What is shown of a campaign; its record has only some parts. */
const entryColumns = {
  tokenVersion,
  stamp: revisionStamp,
  record: sql<ShownRecord>`found.record`,
  projectUrl: campaigns.projectUrl,
  verificationLevel: campaigns.verificationLevel,
  /** Without a template, its columns are null. */
  actionTemplate: sql<ActionTemplate | null>`case when ${actionTemplates.id} is not null then json_build_object('id', ${actionTemplates.id},
    'projectId', ${actionTemplates.projectId}, 'actionType', ${actionTemplates.actionType}, 'projectImage', ${actionTemplates.projectImage},
    'description', ${actionTemplates.description}, 'category', ${actionTemplates.category}) end`,
  /** Null if it was not requested, or is unknown. */
  actionToken,
  /** About the user; false and null without one. */
  hasClaimed,
  signature,
}
type EntryRow = SelectResultFields<typeof entryColumns>
type TrendingRow = EntryRow & SelectResultFields<typeof claimedColumns>

/** The tokens that an entry shows, or needs for values. */
const tokenIdsOf = ({ record: { chainId, incentives } }: EntryRow) =>
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
    startTime: toInstant(record.startTime) ?? undefined,
    endTime: toInstant(record.endTime) ?? undefined,
    verificationLevel: row.verificationLevel ?? undefined,
    claimCount: row.claimCount,
    ...toBudget(record),
    usdDistributed24Hr: roundUsd(new Big(row.usdDistributed24Hr)),
    usdDistributed1Hr: roundUsd(new Big(row.usdDistributed1Hr)),
    actionTokenMetadata: isSwap && row.actionToken !== null ? toActionTokenMetadata(row.actionToken) : undefined,
  } as const)
}
