import { sql } from 'drizzle-orm'
import { boolean, check, index, jsonb, pgTable, primaryKey, smallint, text, unique, uuid } from 'drizzle-orm/pg-core'
import type { ActionClaimant, ActionStep } from '../../schemas/campaigns/actions.ts'
import {
  address,
  baseUnits,
  blockTimestamp,
  campaignKey,
  chainId,
  exactNumber,
  instant,
  lowerCaseAddress,
} from '../column-types.ts'

/** A ready-made action that campaigns refer to. Written by the import; replaced whole. */
export const actionTemplates = pgTable('action_templates', {
  id: uuid().primaryKey(),
  projectId: text().notNull(),
  actionType: text().notNull(),
  projectImage: text().notNull(),
  description: text(),
  category: text(),
})

/**
 * A reward campaign as its record says, with two columns that the import derives from the facts (see read-models/incentive-state).
 * Replaced whole with its incentives and action steps; its claims stay.
 */
export const campaigns = pgTable(
  'campaigns',
  {
    key: campaignKey().primaryKey().generatedAlwaysAsIdentity(),
    /** `<chainId>:<coreAddress>:<identifier>`, lower-case. */
    id: text().notNull().unique('campaigns_id_is_unique'),
    chainId: chainId().notNull(),
    coreAddress: address().notNull(),
    identifier: baseUnits().notNull(),
    campaignIndex: text().notNull(),
    action: address().notNull(),
    budget: address().notNull(),
    owner: address().notNull(),
    creator: address().notNull(),
    validator: address().notNull(),
    blockTimestamp: blockTimestamp().notNull(),
    txHash: text().notNull(),
    protocolFee: baseUnits().notNull(),
    maxParticipants: baseUnits().notNull(),
    /**
     * Claims that the validator allows one claimant on one incentive: at least 1, `Infinity` where it does not limit them;
     * null where that is not known. Not shown with a campaign; it decides whether an address may claim again.
     */
    maxClaimsPerClaimant: exactNumber(),
    actionClaimant: jsonb().$type<ActionClaimant>(),
    createdAtBlockchainNumbers: jsonb().$type<Record<string, string>>(),
    campaignName: text(),
    templateId: text(),
    actionTemplateId: uuid().references(() => actionTemplates.id),
    /** Whether the configuration of the action is customised. */
    customAction: boolean().notNull().default(false),
    /** Whether the campaign uses an action template without customising its configuration. */
    usesTemplateAsIs: boolean().notNull(),
    nftImageUri: text(),
    nftName: text(),
    nftMetadataId: text(),
    projectImageUri: text(),
    projectUrl: text(),
    tokenImageUri: text(),
    startAt: instant(),
    endAt: instant(),
    verificationLevel: text(),
    distributionChannels: text().array().notNull(),
    autocampaignId: text(),
    actionTokenChainId: chainId(),
    actionTokenAddress: address(),
    /** Derived: every reward token is known and whitelisted, as with most campaigns and those that pay no token. */
    hasWhitelistedRewards: boolean().notNull().default(true),
    /** Derived: no further claims are possible, at any time. */
    isExhausted: boolean().notNull().default(false),
  },
  (table) => [
    unique('campaigns_identifier_is_unique').on(table.chainId, table.coreAddress, table.identifier),
    index('campaigns_by_creator').on(table.creator),
    index('campaigns_by_chain').on(table.chainId),
    index('campaigns_by_template').on(table.actionTemplateId),
    // The next instant at which a campaign becomes active or ceases to be.
    index('campaigns_by_start').on(table.startAt),
    index('campaigns_by_end').on(table.endAt),
    // Without a list of what is still to be entered, which every search would read to its end.
    index('campaigns_by_words').using('gin', sql`word_starts(${table.campaignName})`).with({ fastupdate: false }),
    lowerCaseAddress('campaigns_owner_is_lower_case', table.owner),
    lowerCaseAddress('campaigns_creator_is_lower_case', table.creator),
    lowerCaseAddress('campaigns_budget_is_lower_case', table.budget),
    lowerCaseAddress('campaigns_core_address_is_lower_case', table.coreAddress),
    check('campaigns_amounts_are_not_negative', sql`${table.protocolFee} >= 0 and ${table.maxParticipants} >= 0`),
    check('campaigns_max_claims_per_claimant_is_positive', sql`${table.maxClaimsPerClaimant} >= 1`),
    check('campaigns_id_is_lower_case', sql`${table.id} = lower(${table.id})`),
  ],
)

/** The campaign of a row, which is deleted with it. */
export const ofCampaign = () => campaignKey().references(() => campaigns.key, { onDelete: 'cascade' })

/** An action step of a campaign, in its order. Written with its campaign; its target is also a campaign facet. */
export const actionSteps = pgTable(
  'action_steps',
  {
    campaignKey: ofCampaign().notNull(),
    position: smallint().notNull(),
    definition: jsonb().$type<ActionStep>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.campaignKey, table.position] })],
)

/**
 * What a `campaignMetadata` record says of a campaign: what no chain has. Stored whether the campaign is there yet or not,
 * and laid over what the campaign's own record says, key by key, whenever either of them is written.
 */
export const campaignMetadata = pgTable('campaign_metadata', {
  /** ID of the campaign, lower-case. No foreign key: the metadata may come first. */
  id: text().primaryKey(),
  /** Names and values of the columns that it decides on, as they are staged. */
  chosen: jsonb().$type<Record<string, unknown>>().notNull(),
  /** The same columns as the campaign's own record has them; null as long as there is none. */
  own: jsonb().$type<Record<string, unknown>>(),
})

/** The name of a contract that campaigns act on. Written by the import; replaced whole. */
export const contracts = pgTable(
  'contracts',
  {
    chainId: chainId().notNull(),
    address: address().notNull(),
    name: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.address] }),
    lowerCaseAddress('contracts_address_is_lower_case', table.address),
  ],
)
