import { sql } from 'drizzle-orm'
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types'
import { tokenVersion } from '../../database/lookups/token-metadata-cache.ts'
import { documentAt } from '../../read-models/campaign-documents/read.ts'
import type { ActionTemplate, ActionTokenMetadata, ClaimSignature } from './trending-schemas.ts'

/** The token of a campaign's action, without unknown properties. */
export type ActionTokenRow = Omit<ActionTokenMetadata, 'priceUsd'> & { priceUsd?: string }

/** The columns of an entry (see the function `trending_entries`), with what was claimed in both periods, as `entry`. */
export const trendingColumns = {
  tokenVersion,
  document: documentAt(sql`entry.campaign_key`, 'trending'),
  /**
   * For each incentive, in order, in base units: what has been claimed and, if it pays a token, what can still be paid.
   */
  incentiveFigures: sql<string | null>`entry.incentive_figures`,
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
export type TrendingRow = SelectResultFields<typeof trendingColumns>
