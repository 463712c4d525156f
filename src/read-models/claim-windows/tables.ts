import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import {
  address,
  baseUnits,
  blockTimestamp,
  chainId,
  exactNumber,
  instant,
  lowerCaseAddress,
} from '../../database/column-types.ts'
import { ofCampaign } from '../../database/tables/campaigns.ts'

/** Length of a window in seconds; 0 stands for all claims, whenever they were made. */
const windowSeconds = () => integer()
const claimCount = () => bigint({ mode: 'number' }).notNull()
/** US dollars, exact; a claim of unknown value counts 0. */
const amountUsd = () => exactNumber().notNull()

/**
 * The stored windows, and the instant (Unix seconds) at which they end, the same for all. A query for another instant
 * adds what `claim_window_shifts` returns. Moved on by `advance_claim_windows`.
 */
export const claimWindows = pgTable('claim_windows', {
  windowSeconds: windowSeconds().primaryKey(),
  asOf: blockTimestamp().notNull(),
})

/** Claims of a campaign in a window; no row if there are none. Derived by the import. */
export const campaignClaimTotals = pgTable(
  'campaign_claim_totals',
  {
    windowSeconds: windowSeconds().notNull(),
    campaignKey: ofCampaign().notNull(),
    claimCount: claimCount(),
    amountUsd: amountUsd(),
  },
  (table) => [
    primaryKey({ columns: [table.campaignKey, table.windowSeconds] }),
    check('campaign_claim_totals_have_claims', sql`${table.claimCount} > 0`),
    check('campaign_claim_totals_amount_is_not_negative', sql`${table.amountUsd} >= 0`),
  ],
)

/**
 * Claims in a window of all campaigns that act on a contract, each campaign in full; also if there are none, so that
 * every order of the contracts is an index. A contract is the target of an action step. For a creator, queries add up the
 * campaigns. Derived by the import.
 */
export const contractClaimTotals = pgTable(
  'contract_claim_totals',
  {
    windowSeconds: windowSeconds().notNull(),
    chainId: chainId().notNull(),
    address: address().notNull(),
    /** Campaigns that act on the contract, the same in every window. */
    campaignCount: integer().notNull(),
    /** Block timestamp of the newest of them. */
    newestBlockTimestamp: blockTimestamp().notNull(),
    claimCount: claimCount(),
    amountUsd: amountUsd(),
  },
  (table) => {
    const claims = () => table.claimCount.desc().nullsFirst()
    const amount = () => table.amountUsd.desc().nullsFirst()
    const newest = () => table.newestBlockTimestamp.desc().nullsFirst()
    const of = [table.windowSeconds] as const
    const contract = [table.chainId, table.address] as const
    const inWindow = (name: string) => index(`contract_claim_totals_by_${name}`)
    return [
      primaryKey({
        name: 'contract_claim_totals_pk',
        columns: [table.chainId, table.address, table.windowSeconds],
      }),
      inWindow('claims').on(...of, claims(), amount(), newest(), ...contract),
      inWindow('amount').on(...of, amount(), claims(), newest(), ...contract),
      inWindow('recency').on(...of, newest(), claims(), amount(), ...contract),
      lowerCaseAddress('contract_claim_totals_address_is_lower_case', table.address),
      check('contract_claim_totals_have_campaigns', sql`${table.campaignCount} > 0`),
      check('contract_claim_totals_are_not_negative', sql`${table.claimCount} >= 0 and ${table.amountUsd} >= 0`),
    ]
  },
)

/** The number of contracts of a chain with totals, so that pages need not count them. Derived by the import. */
export const contractCounts = pgTable(
  'contract_counts',
  { chainId: chainId().primaryKey(), contractCount: integer().notNull() },
  (table) => [check('contract_counts_have_contracts', sql`${table.contractCount} > 0`)],
)

/** The number of distinct claimants of a campaign; no row if there are none. Derived by the import. */
export const campaignClaimantCounts = pgTable(
  'campaign_claimant_counts',
  {
    campaignKey: ofCampaign().primaryKey(),
    claimantCount: bigint({ mode: 'number' }).notNull(),
  },
  (table) => [check('campaign_claimant_counts_have_claimants', sql`${table.claimantCount} > 0`)],
)

/**
 * A campaign that was claimed in the day that ends at the instant in `claim_windows`, with its totals of that day and
 * of its last hour, everything that trending filters and sorts by, and amounts it shows. Copies of the view
 * `trending_candidates`, which has the same columns for every campaign; made by `refresh_trending_campaigns` for the
 * campaigns that a batch or the clock touches.
 */
export const trendingCampaigns = pgTable(
  'trending_campaigns',
  {
    campaignKey: ofCampaign().primaryKey(),
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
    /** The name of its action template, lower-case. */
    actionType: text(),
    hasWhitelistedRewards: boolean().notNull(),
    isExhausted: boolean().notNull(),
    startAt: instant(),
    endAt: instant(),
    /** Shown with it: the number of all its claims. */
    claimCount: claimCount(),
    /** Its values in filters with several values: `<kind>:<chain ID>:<value>`, as in `campaign_facets`. */
    facets: text().array().notNull(),
    /** The type of its allow list; null if it has none, or one of unknown type. */
    allowListType: text(),
    /** The access list that alone decides whom an OffchainAccessList admits; null if more is needed. */
    accessListId: text(),
  },
  (table) => {
    // Common filters follow the order, so that a row that does not match is skipped without being read.
    const filters = [table.hasWhitelistedRewards, table.isExhausted, table.chainId] as const
    return [
      // Ties of all three are rare, and sorted by the query.
      index('trending_campaigns_by_day').on(
        table.dayAmountUsd.desc().nullsFirst(),
        table.dayClaimCount.desc().nullsFirst(),
        table.blockTimestamp.desc().nullsFirst(),
        ...filters,
      ),
      index('trending_campaigns_by_hour')
        .on(
          table.hourAmountUsd.desc().nullsFirst(),
          table.hourClaimCount.desc().nullsFirst(),
          table.blockTimestamp.desc().nullsFirst(),
          ...filters,
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
      // Without a pending list, which every query would read to its end.
      index('trending_campaigns_by_facet').using('gin', table.facets).with({ fastupdate: false }),
      check('trending_campaigns_have_claims', sql`${table.dayClaimCount} > 0 and ${table.hourClaimCount} >= 0`),
    ]
  },
)
