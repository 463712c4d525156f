import { sql } from 'drizzle-orm'
import { bigint, check, foreignKey, index, pgTable, primaryKey, smallint, text } from 'drizzle-orm/pg-core'
import {
  address,
  blockTimestamp,
  campaignKey,
  chainId,
  exactNumber,
  lowerCaseAddress,
} from '../../database/column-types.ts'
import { incentives } from '../../database/tables/incentives-and-claims.ts'

const totals = () => ({
  claimCount: bigint({ mode: 'number' }).notNull(),
  /** Claimed base units. */
  amount: exactNumber().notNull(),
  /** US dollars, exact; a claim of unknown value counts 0. */
  amountUsd: exactNumber().notNull(),
  /** Claims of unknown value. */
  unvaluedCount: bigint({ mode: 'number' }).notNull(),
})

/**
 * The claims of a busy claimant on an incentive; no row without any. A claimant has rows for all incentives, or for
 * none: a busy one has rows in `claimant_asset_totals`. Changed by the claims of each batch.
 */
export const claimantIncentiveTotals = pgTable(
  'claimant_incentive_totals',
  {
    claimant: address().notNull(),
    campaignKey: campaignKey().notNull(),
    position: smallint().notNull(),
    /** Chain of the campaign. */
    chainId: chainId().notNull(),
    ...totals(),
    /** Block timestamp of the last claim. */
    lastTimestamp: blockTimestamp().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.campaignKey, table.position, table.claimant] }),
    foreignKey({
      name: 'claimant_incentive_totals_incentive_exists',
      columns: [table.campaignKey, table.position],
      foreignColumns: [incentives.campaignKey, incentives.position],
    }).onDelete('cascade'),
    index('claimant_incentive_totals_by_last_claim').on(table.claimant, table.chainId, table.lastTimestamp),
    lowerCaseAddress('claimant_incentive_totals_claimant_is_lower_case', table.claimant),
    check('claimant_incentive_totals_have_claims', sql`${table.claimCount} > 0`),
  ],
)

/**
 * The claims of a busy claimant by token, the sum of the incentives that pay it; the asset is '' for those that pay
 * none.
 */
export const claimantAssetTotals = pgTable(
  'claimant_asset_totals',
  { claimant: address().notNull(), chainId: chainId().notNull(), asset: text().notNull(), ...totals() },
  (table) => [
    primaryKey({ columns: [table.claimant, table.chainId, table.asset] }),
    lowerCaseAddress('claimant_asset_totals_claimant_is_lower_case', table.claimant),
    check('claimant_asset_totals_have_claims', sql`${table.claimCount} > 0`),
  ],
)
