import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, pgTable, text } from 'drizzle-orm/pg-core'
import {
  address,
  baseUnits,
  blockTimestamp,
  campaignKey,
  chainId,
  exactNumber,
  instant,
} from '../../database/columns.ts'
import { campaigns } from '../../database/tables/campaigns.ts'

const claimCount = () => bigint({ mode: 'number' }).notNull()
/** US dollars, exact; a claim of unknown value counts 0. */
const amountUsd = () => exactNumber().notNull()

/**
 * A campaign that was claimed in the day that ends at the instant in `claim_windows`, with its totals of that day and of
 * its last hour, all that trending filters and sorts by, and figures it shows. Copies of the view `trending_candidates`, which has the same
 * columns for every campaign; made by `refresh_trending_campaigns` for the campaigns that a batch or the clock touches.
 */
export const trendingCampaigns = pgTable(
  'trending_campaigns',
  {
    campaignKey: campaignKey()
      .primaryKey()
      .references(() => campaigns.key, { onDelete: 'cascade' }),
    hourClaimCount: claimCount(),
    hourAmountUsd: amountUsd(),
    dayClaimCount: claimCount(),
    dayAmountUsd: amountUsd(),
    blockTimestamp: blockTimestamp().notNull(),
    chainId: chainId().notNull(),
    coreAddress: address().notNull(),
    identifier: baseUnits().notNull(),
    owner: address().notNull(),
    creator: address().notNull(),
    budget: address().notNull(),
    autocampaignId: text(),
    /** Of its action template, lower-case. */
    actionType: text(),
    hasWhitelistedRewards: boolean().notNull(),
    isExhausted: boolean().notNull(),
    startAt: instant(),
    endAt: instant(),
    /** Shown with it: its claims of all time, and of each incentive what has been claimed and what can still be paid. */
    claimCount: claimCount(),
    incentiveFigures: text(),
    /** What it has several of: `<kind>:<chain ID>:<value>`, as in `campaign_facets`. */
    facets: text().array().notNull(),
    /** Of its allow list; null where it has none, or one of no known kind. */
    allowListType: text(),
    /** The access list that alone says whom an OffchainAccessList admits; null where that takes more. */
    accessListId: text(),
  },
  (table) => [
    // Ties of all three are rare, and sorted by whoever asks.
    index('trending_campaigns_by_day').on(
      table.dayAmountUsd.desc().nullsFirst(),
      table.dayClaimCount.desc().nullsFirst(),
      table.blockTimestamp.desc().nullsFirst(),
    ),
    index('trending_campaigns_by_hour')
      .on(
        table.hourAmountUsd.desc().nullsFirst(),
        table.hourClaimCount.desc().nullsFirst(),
        table.blockTimestamp.desc().nullsFirst(),
      )
      .where(sql`${table.hourClaimCount} > 0`),
    index('trending_campaigns_by_owner').on(table.owner),
    index('trending_campaigns_by_creator').on(table.creator),
    index('trending_campaigns_by_budget').on(table.budget),
    index('trending_campaigns_by_autocampaign')
      .on(table.autocampaignId)
      .where(sql`${table.autocampaignId} is not null`),
    index('trending_campaigns_by_chain').on(table.chainId),
    index('trending_campaigns_by_action_type').on(table.actionType),
    index('trending_campaigns_by_facet').using('gin', table.facets),
    check('trending_campaigns_have_claims', sql`${table.dayClaimCount} > 0 and ${table.hourClaimCount} >= 0`),
  ],
)
