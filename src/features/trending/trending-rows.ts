import { type SQL, sql } from 'drizzle-orm'
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types'
import { accessListMembers } from '../../database/tables/access-lists.ts'
import { actionTemplates } from '../../database/tables/action-templates.ts'
import { allowListAddresses, allowLists } from '../../database/tables/allow-lists.ts'
import { campaigns } from '../../database/tables/campaigns.ts'
import { campaignClaimTotals } from '../../database/tables/claim-totals.ts'
import { claimSignatures, claims } from '../../database/tables/claims.ts'
import { incentives } from '../../database/tables/incentives.ts'
import { tokens } from '../../database/tables/tokens.ts'
import { tokenVersion } from '../../database/token-store.ts'
import type { ActionTemplate, ActionTokenMetadata, ClaimSignature, TrendingCampaign } from './trending-schemas.ts'

export type ActionTokenRow = Omit<ActionTokenMetadata, 'priceUsd'> & { priceUsd?: string }

/** The token a campaign's action deals in, without what is unknown of it; null when it is not known at all. */
const actionTokenRow = sql<ActionTokenRow | null>`(
  select json_strip_nulls(json_build_object(
    'tokenSymbol', ${tokens.symbol},
    'tokenContract', ${tokens.address},
    'chainId', ${tokens.chainId},
    'tokenImage', ${tokens.imageUri},
    'decimals', ${tokens.decimals},
    'marketCap', ${tokens.marketCap},
    'priceChange24Hr', ${tokens.priceChange24Hr},
    'volume24Hr', ${tokens.volume24Hr},
    'priceUsd', ${tokens.priceUsd}::text,
    'holders', ${tokens.holders}))
  from ${tokens}
  where ${tokens.chainId} = ${campaigns.actionTokenChainId} and ${tokens.address} = ${campaigns.actionTokenAddress})`

/** What the allow list of a campaign says of a user. A campaign without one is open to all. */
export const accessStatusOf = (user: SQL) => sql<NonNullable<TrendingCampaign['accessStatus']>>`coalesce((
  select case ${allowLists.type}
    when 'OpenAllowList' then 'allowed'
    when 'SimpleAllowList' then case when ${isListed(user)} then 'allowed' else 'not-allowed' end
    when 'SimpleDenyList' then case when ${isListed(user)} then 'denied' else 'allowed' end
    when 'OffchainAccessList' then case when ${isMember(user)} then 'allowed' else 'not-allowed' end
  end
  from ${allowLists} where ${allowLists.campaignKey} = ${campaigns.key}), 'allowed')`

const isListed = (user: SQL) => sql`exists (
  select from ${allowListAddresses}
  where ${allowListAddresses.campaignKey} = ${allowLists.campaignKey} and ${allowListAddresses.address} = ${user})`

const isMember = (user: SQL) => sql`exists (
  select from ${accessListMembers}
  where ${accessListMembers.accessListId} = ${allowLists.accessListId} and ${accessListMembers.address} = ${user})`

/** Whether the template of a campaign has any of the (lower-cased by the database) action types; false without template. */
export const isOfAnyType = (types: SQL) => sql`exists (
  select from ${actionTemplates} where ${actionTemplates.id} = ${campaigns.actionTemplateId}
    and lower(${actionTemplates.actionType}) in (select lower(type) from unnest(${types}::text[]) as type))`

/** Whether a user has claimed; asked incentive by incentive, so that an index answers however many claims there are. */
const hasClaimed = (user: SQL) => sql<boolean>`exists (
  select from ${incentives} join ${claims}
    on ${claims.campaignKey} = ${incentives.campaignKey} and ${claims.incentivePosition} = ${incentives.position}
    and ${claims.claimant} = ${user}
  where ${incentives.campaignKey} = ${campaigns.key})`

const signatureFor = (user: SQL) => sql<ClaimSignature | null>`(
  select json_build_object(
    'claimant', ${claimSignatures.claimant},
    'incentiveId', ${claimSignatures.incentivePosition},
    'signature', ${claimSignatures.signature},
    'referrer', ${claimSignatures.referrer})
  from ${claimSignatures}
  where ${claimSignatures.campaignKey} = ${campaigns.key} and ${claimSignatures.claimant} = ${user}
  order by ${claimSignatures.incentivePosition} limit 1)`

const claimCount = sql<number>`coalesce((
  select ${campaignClaimTotals.claimCount} from ${campaignClaimTotals}
  where ${campaignClaimTotals.campaignKey} = ${campaigns.key} and ${campaignClaimTotals.windowSeconds} = 0), 0)::float8`

const user = sql`${sql.placeholder('user')}::text`

/**
 * What a trending entry is made of; its place, volumes and document are `ranked`. What is about the placeholder `user`, or
 * about the token of the action, is looked up only where it was asked for.
 */
export const trendingColumns = ({ forUser, withToken }: { forUser: boolean; withToken: boolean }) => ({
  tokenVersion,
  body: sql<string>`ranked.body`,
  figures: sql<string | null>`ranked.figures`,
  projectUrl: campaigns.projectUrl,
  verificationLevel: campaigns.verificationLevel,
  actionTemplate: sql<ActionTemplate | null>`case when ${actionTemplates.id} is not null then json_build_object(
    'id', ${actionTemplates.id},
    'projectId', ${actionTemplates.projectId},
    'actionType', ${actionTemplates.actionType},
    'projectImage', ${actionTemplates.projectImage},
    'description', ${actionTemplates.description},
    'category', ${actionTemplates.category}) end`,
  actionToken: withToken ? actionTokenRow : sql<null>`null`,
  claimCount,
  usdDistributed1Hr: sql<string>`ranked.usd_in_1h`,
  usdDistributed24Hr: sql<string>`ranked.usd_in_24h`,
  accessStatus: forUser ? accessStatusOf(user) : sql<null>`null`,
  hasClaimed: forUser ? hasClaimed(user) : sql<boolean>`false`,
  signature: forUser ? signatureFor(user) : sql<null>`null`,
})
export type TrendingRow = SelectResultFields<ReturnType<typeof trendingColumns>>
