import { sql } from 'drizzle-orm'
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types'
import { tokenVersion } from '../../database/token-store.ts'
import type { ActionTemplate, ActionTokenMetadata, ClaimSignature, TrendingCampaign } from './trending-schemas.ts'

/** The token a campaign's action deals in, without what is unknown of it. */
export type ActionTokenRow = Omit<ActionTokenMetadata, 'priceUsd'> & { priceUsd?: string }

/** What a trending entry is made of (see functions/list_trending.sql), as `entry`. */
export const trendingColumns = {
  tokenVersion,
  body: sql<string>`entry.body`,
  figures: sql<string | null>`entry.figures`,
  projectUrl: sql<string | null>`entry.project_url`,
  verificationLevel: sql<string | null>`entry.verification_level`,
  actionTemplate: sql<ActionTemplate | null>`entry.action_template`,
  /** Null where it was not asked for, or is not known. */
  actionToken: sql<ActionTokenRow | null>`entry.action_token`,
  claimCount: sql<number>`entry.claim_count`,
  usdDistributed1Hr: sql<string>`entry.usd_in_1h`,
  usdDistributed24Hr: sql<string>`entry.usd_in_24h`,
  /** About the user; null, false and null where none was named. */
  accessStatus: sql<TrendingCampaign['accessStatus'] | null>`entry.access_status`,
  hasClaimed: sql<boolean>`entry.has_claimed`,
  signature: sql<ClaimSignature | null>`entry.signature`,
}
export type TrendingRow = SelectResultFields<typeof trendingColumns>
