import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  json,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
} from 'drizzle-orm/pg-core'
import type { ValidatorKind } from '../../schemas/payloads/claim-signers.ts'
import { address, baseUnits, blockTimestamp, chainId, exactNumber, instant, transactionHash } from '../column-types.ts'

/*
 * The state of the indexer for each chain it follows. Only the indexer writes here. Block numbers are far below 2^53.
 */

const blockNumber = () => bigint({ mode: 'number' })

/** The chain of a row; deleted with it. */
const ofChain = () =>
  chainId()
    .notNull()
    .references(() => followedChains.chainId, { onDelete: 'cascade' })

/**
 * A chain that is followed, and how far. Its campaigns and claims belong to the indexer: the import refuses them.
 * Written with each update, in the same transaction as its facts.
 */
export const followedChains = pgTable(
  'followed_chains',
  {
    chainId: chainId().primaryKey(),
    /** The campaign cores whose events count, ascending. */
    cores: address().array().notNull(),
    /** First block that is read. */
    startBlock: blockNumber().notNull(),
    /** Grows with each update: the writer of the next one must have seen this one. */
    step: bigint({ mode: 'number' }).notNull().default(0),
    /** Whether all final blocks are read, for the first time or again. What this finds is not shown yet. */
    isBackFilling: boolean().notNull().default(true),
    /** The last block whose fixed facts are stored. */
    backFilledTo: blockNumber().notNull(),
    /** Hash of that block during the backfill; null if unknown. */
    backFilledHash: text(),
    /** What was added to the chain file, and how far that is read; null if all of it is followed. */
    joining: json(),
    /** Price feeds, and how far each is read: see src/indexer/feeds/followed-feeds. */
    feeds: json().$type<unknown[]>().notNull().default([]),
    /** The newest block whose effects responses show; null if there is none yet. */
    asOfBlock: blockNumber(),
    asOfBlockHash: text(),
    /** The time of that block. */
    asOfAt: instant(),
    /** The newest block of the chain, and its newest final one, at the last look. */
    headBlock: blockNumber(),
    finalizedBlock: blockNumber(),
    /** When a node last reported the head of the chain. */
    lookedAt: instant(),
    /** Why the chain could not be read at the last attempt; null if it could. Names no endpoint by its URL. */
    trouble: text(),
    /** How its endpoints do, as the indexer has last recorded: see `EndpointHealth` in src/indexer/rpc/. Of their URLs, only hosts. */
    endpoints: json().$type<unknown[]>().notNull().default([]),
    /** The final block at which counters of contracts were last compared, and when; null before the first time. */
    provenBlock: blockNumber(),
    provenAt: instant(),
    /** Campaigns and claims that a counter has confirmed, and those that no counter can confirm. */
    provenCampaigns: bigint({ mode: 'number' }),
    provenClaims: bigint({ mode: 'number' }),
    uncountedCampaigns: bigint({ mode: 'number' }),
    uncountedClaims: bigint({ mode: 'number' }),
    /** The versions that its cores and managers tell, each once, with commas; null if none does. */
    contractVersion: text(),
    /** Counters that differ from what is stored. */
    differences: integer().notNull().default(0),
  },
  ({ asOfBlock, asOfBlockHash, asOfAt }) => [
    check('followed_chains_as_of_is_whole', sql`num_nonnulls(${asOfBlock}, ${asOfBlockHash}, ${asOfAt}) in (0, 3)`),
  ],
)

/**
 * A block that may still be withdrawn, or the newest final one, and what it has brought: so that it can be withdrawn.
 */
export const followedBlocks = pgTable(
  'followed_blocks',
  {
    chainId: ofChain(),
    number: blockNumber().notNull(),
    hash: text().notNull(),
    /** IDs of the campaigns that have to be read again without it. */
    touchedCampaigns: text().array().notNull(),
    /** Transaction hash and log index of each claim. */
    claims: jsonb().$type<[txHash: string, logIndex: number][]>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.number] }),
    // Which claims are not final yet: most blocks have none.
    index('followed_blocks_with_claims').on(table.chainId, table.number).where(sql`claims <> '[]'`),
  ],
)

/** The fixed facts of a campaign, so that they are not read again, and the fee of its validator. */
export const followedCampaigns = pgTable(
  'followed_campaigns',
  {
    /** ID of the campaign. */
    id: text().primaryKey(),
    chainId: ofChain(),
    /** Contracts whose logs concern it: its incentives, and where the fee of its validator is set. */
    contracts: address().array().notNull(),
    /** See `CampaignOrigin` in src/indexer/protocol/; as it was read, so that the result is the same again. */
    origin: json().$type<Record<string, unknown>>().notNull(),
    /** Kind of its validator, null if unknown: how the signatures of its claims are checked. */
    validatorKind: text().$type<ValidatorKind>().generatedAlwaysAs(sql`origin ->> 'validatorKind'`),
  },
  (table) => [
    index('followed_campaigns_by_chain').on(table.chainId),
    index('followed_campaigns_by_contracts').using('gin', table.contracts).with({ fastupdate: false }),
  ],
)

/** A claim in a final block that the backfill has found, until its campaign can be read: then it becomes a claim. */
export const backFilledClaims = pgTable(
  'back_filled_claims',
  {
    chainId: ofChain(),
    txHash: transactionHash().notNull(),
    logIndex: integer().notNull(),
    campaignId: text().notNull(),
    incentivePosition: smallint().notNull(),
    claimant: address().notNull(),
    amount: baseUnits().notNull(),
    blockTimestamp: blockTimestamp().notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.txHash, table.logIndex] })],
)

/**
 * A price in a final block that the backfill has found, until the chain is shown: then each token of the feed gets it.
 */
export const backFilledPrices = pgTable(
  'back_filled_prices',
  {
    chainId: ofChain(),
    feed: address().notNull(),
    blockNumber: blockNumber().notNull(),
    logIndex: integer().notNull(),
    at: instant().notNull(),
    priceUsd: exactNumber().notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.feed, table.blockNumber, table.logIndex] })],
)

/** A part of a campaign of unknown kind: the campaign is shown without it, and `index --status` names it. */
export const unknownComponents = pgTable(
  'unknown_components',
  {
    chainId: ofChain(),
    /** ID of the campaign; nothing else is stored if its core does not return it in a known form. */
    campaignId: text().notNull(),
    kind: text().$type<'campaign' | 'action' | 'allowList' | 'incentive'>().notNull(),
    contract: address().notNull(),
    /** Position of an incentive, else -1. */
    position: smallint().notNull(),
    /** Block that has brought a campaign of which nothing else is stored; null for parts of stored campaigns. */
    blockNumber: blockNumber(),
  },
  (table) => [
    primaryKey({ columns: [table.campaignId, table.kind, table.position] }),
    index('unknown_components_by_chain').on(table.chainId),
    check('unknown_components_kind_is_known', sql`${table.kind} in ('campaign', 'action', 'allowList', 'incentive')`),
  ],
)

/**
 * A log of a core, a manager or a part of a campaign whose first topic is known, and whose content is not: it counts for
 * nothing, and `index --status` names it.
 */
export const undecodedLogs = pgTable(
  'undecoded_logs',
  {
    chainId: ofChain(),
    blockNumber: blockNumber().notNull(),
    logIndex: integer().notNull(),
    contract: address().notNull(),
    topic: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.blockNumber, table.logIndex] })],
)

/**
 * A campaign whose facts the database refuses: responses show it as it was before, or not at all. Its claims wait in
 * `back_filled_claims` until it is accepted.
 */
export const leftOutCampaigns = pgTable(
  'left_out_campaigns',
  {
    campaignId: text().primaryKey(),
    chainId: ofChain(),
    /** The error of the database at the last attempt. */
    reason: text().notNull(),
    leftOutAt: instant().notNull().default(sql`now()`),
  },
  (table) => [index('left_out_campaigns_by_chain').on(table.chainId)],
)

/** A counter of a contract, and what was stored of it, when they were last compared. */
export const comparedCounters = pgTable(
  'compared_counters',
  {
    chainId: ofChain(),
    contract: address().notNull(),
    /** Name of the function that returns it. */
    counter: text().notNull(),
    /** The incentive that is counted; null for the counter of a core. */
    campaignId: text(),
    position: smallint(),
    /** Null if the contract has no such counter. */
    onChain: exactNumber(),
    stored: exactNumber().notNull(),
    /** Stored claims that it confirms, by their number or, without a counter of that, by their amounts; null for others. */
    claimCount: bigint({ mode: 'number' }),
    /** The final block of the comparison. */
    blockNumber: blockNumber().notNull(),
    comparedAt: instant().notNull(),
    /** The last block at which both agreed; null if they never did. */
    agreedBlock: blockNumber(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.contract, table.counter] }),
    check(
      'compared_counters_are_of_an_incentive_or_a_core',
      sql`num_nonnulls(${table.campaignId}, ${table.position}) in (0, 2)`,
    ),
  ],
)
