import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
} from 'drizzle-orm/pg-core'
import { type AuctionState, type Incentive, incentiveTypes } from '../../schemas/campaigns/incentives.ts'
import {
  address,
  baseUnits,
  blockTimestamp,
  campaignKey,
  chainId,
  exactNumber,
  lowerCaseAddress,
  transactionHash,
} from '../column-types.ts'
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
    check(
      'incentives_type_is_known',
      sql`${table.type} in (${sql.raw(incentiveTypes.map((type) => `'${type}'`).join(', '))})`,
    ),
    check('incentives_definition_has_the_type', sql`${table.definition} ->> 'type' = ${table.type}`),
    check('incentives_amounts_are_not_negative', sql`${table.claimedAmount} >= 0 and ${table.remainingBudget} >= 0`),
  ],
)

/** A claim that was paid: one log entry of one transaction. Written by the import; outlives replaced campaigns. */
export const claims = pgTable(
  'claims',
  {
    chainId: chainId().notNull(),
    txHash: transactionHash().notNull(),
    logIndex: integer().notNull(),
    campaignKey: campaignKey().notNull(),
    incentivePosition: smallint().notNull(),
    claimant: address().notNull(),
    amount: baseUnits().notNull(),
    /** US dollars at the time of the claim; null if unknown, which counts as 0. */
    amountUsd: exactNumber(),
    blockTimestamp: blockTimestamp().notNull(),
    /**
     * Whether the value follows from a price (see read-models/prices), known or not: the incentive pays a token, and
     * the record has no value. False for older rows without a value too.
     */
    isValueDerived: boolean().notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.txHash, table.logIndex] }),
    foreignKey({
      name: 'claims_incentive_exists',
      columns: [table.campaignKey, table.incentivePosition],
      foreignColumns: [incentives.campaignKey, incentives.position],
    }),
    // Also finds the newest claims of a claimant on an incentive, and their number.
    index('claims_by_incentive_and_claimant').on(
      table.campaignKey,
      table.incentivePosition,
      table.claimant,
      table.blockTimestamp,
    ),
    // The newest claims of a claimant, and of a chain; equal instants are ordered when they are read.
    index('claims_by_claimant').on(table.claimant, table.chainId, table.blockTimestamp),
    index('claims_by_chain').on(table.chainId, table.blockTimestamp),
    // What entered and left a window is read from this index alone.
    index('claims_by_time').on(table.blockTimestamp, table.campaignKey, table.amountUsd),
    // And from this one alone when a campaign was claimed, by whom and what the claims are worth.
    index('claims_by_campaign').on(
      table.campaignKey,
      table.blockTimestamp,
      table.claimant,
      table.amountUsd,
      table.isValueDerived,
    ),
    index('claims_without_value')
      .on(table.chainId, table.blockTimestamp)
      .where(sql`${table.amountUsd} is null and ${table.isValueDerived}`),
    lowerCaseAddress('claims_claimant_is_lower_case', table.claimant),
    check('claims_amounts_are_not_negative', sql`${table.amount} >= 0 and ${table.amountUsd} >= 0`),
    check('claims_log_index_is_not_negative', sql`${table.logIndex} >= 0`),
  ],
)

/**
 * What a claimant hands to the contract: a claim payload that a validator has signed, or a proof, as text (see
 * schemas/payloads/claim-proofs). Written by the import; the service signs nothing.
 */
export const claimSignatures = pgTable(
  'claim_signatures',
  {
    campaignKey: campaignKey().notNull(),
    claimant: address().notNull(),
    incentivePosition: smallint().notNull(),
    signature: text().notNull(),
    referrer: address().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.campaignKey, table.claimant, table.incentivePosition] }),
    foreignKey({
      name: 'claim_signatures_incentive_exists',
      columns: [table.campaignKey, table.incentivePosition],
      foreignColumns: [incentives.campaignKey, incentives.position],
    }),
    index('claim_signatures_by_incentive').on(table.campaignKey, table.incentivePosition),
    index('claim_signatures_by_claimant').on(table.claimant),
    lowerCaseAddress('claim_signatures_claimant_is_lower_case', table.claimant),
    lowerCaseAddress('claim_signatures_referrer_is_lower_case', table.referrer),
  ],
)

/**
 * Signatures imported for a campaign, or an incentive, that its chain has withdrawn since: it may come again. By the ID
 * of the campaign, which stays the same.
 */
export const detachedClaimSignatures = pgTable(
  'detached_claim_signatures',
  {
    campaignId: text().notNull(),
    claimant: address().notNull(),
    incentivePosition: smallint().notNull(),
    signature: text().notNull(),
    referrer: address().notNull(),
  },
  (table) => [primaryKey({ columns: [table.campaignId, table.claimant, table.incentivePosition] })],
)
