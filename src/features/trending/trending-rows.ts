import { type SQL, sql } from 'drizzle-orm'
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types'
import { keptUpTo } from '../../database/claim-windows.ts'
import { tokenVersion } from '../../database/token-store.ts'
import type { ActionTemplate, ActionTokenMetadata, ClaimSignature } from './trending-schemas.ts'

/** The token a campaign's action deals in, without what is unknown of it. */
export type ActionTokenRow = Omit<ActionTokenMetadata, 'priceUsd'> & { priceUsd?: string }

/** Of an incentive, in base units: what has been claimed, and what can still be paid; null where it pays no token. */
export type IncentiveFigures = [claimedAmount: string, remainingBudget: string | null]

const user = sql.placeholder('user')

const actionTemplate = sql<ActionTemplate | null>`case when template.id is not null then json_build_object(
  'id', template.id, 'projectId', template.project_id, 'actionType', template.action_type,
  'projectImage', template.project_image, 'description', template.description, 'category', template.category) end`

const actionToken = sql<ActionTokenRow | null>`(
  select json_strip_nulls(json_build_object('tokenSymbol', token.symbol, 'tokenContract', token.address,
    'chainId', token.chain_id, 'tokenImage', token.image_uri, 'decimals', token.decimals,
    'marketCap', token.market_cap, 'priceChange24Hr', token.price_change_24_hr, 'volume24Hr', token.volume_24_hr,
    'priceUsd', token.price_usd::text, 'holders', token.holders))
  from tokens token
  where token.chain_id = campaign.action_token_chain_id and token.address = campaign.action_token_address)`

/** Asked incentive by incentive, so that an index answers however many claims there are. */
const hasClaimed = sql<boolean>`exists (
  select from incentives join claims on claims.campaign_key = incentives.campaign_key
    and claims.incentive_position = incentives.position and claims.claimant = ${user}
  where incentives.campaign_key = campaign.key)`

const signature = sql<ClaimSignature | null>`(
  select json_build_object('claimant', signed.claimant, 'incentiveId', signed.incentive_position,
    'signature', signed.signature, 'referrer', signed.referrer)
  from claim_signatures signed where signed.campaign_key = campaign.key and signed.claimant = ${user}
  order by signed.incentive_position limit 1)`

/** Of whom, and of what, more is to be shown than of everybody and of every campaign. */
interface Extras {
  ofUser: boolean
  withToken: boolean
}

/** What an entry is made of (see `trendingEntries`). */
export const trendingColumns = ({ ofUser, withToken }: Extras) => ({
  tokenVersion,
  keptUpTo,
  /** Null in the one row that there is where nothing is trending. */
  body: sql<string | null>`document.body`,
  figures: sql<IncentiveFigures[] | null>`(
    select json_agg(json_build_array(claimed_amount::text, remaining_budget::text) order by position)
    from incentives where campaign_key = campaign.key)`,
  projectUrl: sql<string | null>`campaign.project_url`,
  verificationLevel: sql<string | null>`campaign.verification_level`,
  actionTemplate,
  actionToken: withToken ? actionToken : sql<null>`null`,
  claimCount: sql<number>`ever.claim_count::float8`,
  usdDistributed1Hr: sql<string>`foremost.hour_amount_usd::text`,
  usdDistributed24Hr: sql<string>`foremost.day_amount_usd::text`,
  /** About the user, if one was named; each entry admits that one. */
  accessStatus: ofUser ? sql<'allowed'>`'allowed'` : sql<null>`null`,
  hasClaimed: ofUser ? hasClaimed : sql<boolean>`false`,
  signature: ofUser ? signature : sql<null>`null`,
})

/** What is stored of the foremost campaigns; one row also where there are none, which tells how far the kept totals reach. */
export const trendingEntries = (foremost: SQL) => sql`(values (true)) always
  left join (${foremost}) foremost on true
  left join campaigns campaign on campaign.key = foremost.campaign_key
  left join campaign_documents document on document.campaign_key = foremost.campaign_key
  left join action_templates template on template.id = campaign.action_template_id
  left join campaign_claim_totals ever on ever.campaign_key = foremost.campaign_key and ever.window_seconds = 0`

type StoredRow = SelectResultFields<ReturnType<typeof trendingColumns>>
export type TrendingRow = StoredRow & { body: string }

export const isEntry = (row: StoredRow): row is TrendingRow => row.body !== null
