import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, jsonb, pgTable, primaryKey, smallint, text } from 'drizzle-orm/pg-core'
import { type AuctionState, type Incentive, incentiveTypes } from '../../../schemas/campaigns/incentives.ts'
import { address, chainId, exactNumber } from '../../columns.ts'
import { ofCampaign } from './campaigns.ts'

/**
 * An incentive of a campaign: the variant as its record gives it, and four columns that the import derives from the
 * claims (see read-models/incentive-state). Written with its campaign.
 */
export const incentives = pgTable(
  'incentives',
  {
    campaignKey: ofCampaign().notNull(),
    position: smallint().notNull(),
    type: text().notNull(),
    chainId: chainId().notNull(),
    /** The reward token; null for the variants that pay none. */
    asset: address(),
    definition: jsonb().$type<Incentive>().notNull(),
    /** Of an auction on a followed chain: what decides its reward, as its contract says. */
    auction: jsonb().$type<AuctionState>(),
    /** Derived: sum of the recorded claims, in base units. */
    claimedAmount: exactNumber().notNull().default('0'),
    /** Derived: number of the recorded claims. */
    claimCount: bigint({ mode: 'bigint' }).notNull().default(sql`0`),
    /** Derived: what can still be paid out, in base units of the asset. */
    remainingBudget: exactNumber(),
    /** Derived: nothing of it can be claimed any more. */
    isSpent: boolean().notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.campaignKey, table.position] }),
    index('incentives_by_asset').on(table.chainId, table.asset),
    index('incentives_by_type').on(table.type, table.campaignKey),
    check(
      'incentives_type_is_known',
      sql`${table.type} in (${sql.raw(incentiveTypes.map((type) => `'${type}'`).join(', '))})`,
    ),
    check('incentives_definition_has_the_type', sql`${table.definition} ->> 'type' = ${table.type}`),
    check('incentives_amounts_are_not_negative', sql`${table.claimedAmount} >= 0 and ${table.remainingBudget} >= 0`),
  ],
)
