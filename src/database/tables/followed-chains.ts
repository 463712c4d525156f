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
import { address, baseUnits, blockTimestamp, chainId, exactNumber, instant, transactionHash } from '../columns.ts'

/*
 * What `index` has to remember of the chains it follows. Nobody else writes here. Block numbers are far below 2^53.
 */

const blockNumber = () => bigint({ mode: 'number' })

/** The chain a row belongs to; it goes with it. */
const ofChain = () =>
  chainId()
    .notNull()
    .references(() => followedChains.chainId, { onDelete: 'cascade' })

/**
 * A chain that is followed, and how far. Its campaigns and claims belong to the indexer: the import refuses them. Written
 * with each step, in the same transaction as what the step brings.
 */
export const followedChains = pgTable(
  'followed_chains',
  {
    chainId: chainId().primaryKey(),
    /** The campaign cores whose word counts, ascending; with another list the chain would have to be read again. */
    cores: address().array().notNull(),
    /** First block that is read. */
    startBlock: blockNumber().notNull(),
    /** Grows with each step: who writes the next one has to have seen this one. */
    step: bigint({ mode: 'number' }).notNull().default(0),
    /** Whether all that is final is read, from the start, for the first time or again. What it finds is not shown yet. */
    isBackFilling: boolean().notNull().default(true),
    /** The last block whose fixed facts are stored. */
    backFilledTo: blockNumber().notNull(),
    /** Hash of that block while the chain is back-filled; null where it is not known. */
    backFilledHash: text(),
    /** Price feeds, and how far each is read: see src/indexer/feeds/followed-feeds. */
    feeds: json().$type<unknown[]>().notNull().default([]),
    /** The newest block whose effects are in the responses; null until there is one. */
    asOfBlock: blockNumber(),
    asOfBlockHash: text(),
    /** The time of that block. */
    asOfAt: instant(),
    /** The newest block of the chain, and its newest final one, when it was last looked at. */
    headBlock: blockNumber(),
    finalizedBlock: blockNumber(),
    /** When the chain last said how it is. */
    lookedAt: instant(),
  },
  ({ asOfBlock, asOfBlockHash, asOfAt }) => [
    check('followed_chains_as_of_is_whole', sql`num_nonnulls(${asOfBlock}, ${asOfBlockHash}, ${asOfAt}) in (0, 3)`),
  ],
)

/** A block that may still be withdrawn, or the newest that may not, and what it has brought: so that it can be taken back. */
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
    // Which claims are not final yet: most blocks bring none.
    index('followed_blocks_with_claims').on(table.chainId, table.number).where(sql`claims <> '[]'`),
  ],
)

/** What a chain tells of a campaign once and for all, so that it is not asked again. */
export const followedCampaigns = pgTable(
  'followed_campaigns',
  {
    /** ID of the campaign. */
    id: text().primaryKey(),
    chainId: ofChain(),
    /** Contracts of its incentives, whose logs concern it. */
    contracts: address().array().notNull(),
    /** See src/indexer/protocol/campaign-origins; as it was told, so that what is made of it is the same again. */
    origin: json().$type<Record<string, unknown>>().notNull(),
  },
  (table) => [
    index('followed_campaigns_by_chain').on(table.chainId),
    index('followed_campaigns_by_contracts').using('gin', table.contracts).with({ fastupdate: false }),
  ],
)

/** A claim of a final block that the back-fill has found, until its campaign can be read: then it becomes a claim. */
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

/** A price of a final block that the back-fill has found, until the chain is shown: then it becomes one of each token of the feed. */
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

/** A part of a campaign that is of no known kind: the campaign is there without it, and `index --status` names it. */
export const unknownComponents = pgTable(
  'unknown_components',
  {
    chainId: ofChain(),
    /** ID of the campaign; where its core does not tell it in a known form, there is none of it. */
    campaignId: text().notNull(),
    kind: text().$type<'campaign' | 'action' | 'allowList' | 'incentive'>().notNull(),
    contract: address().notNull(),
    /** Place of an incentive, else -1. */
    position: smallint().notNull(),
    /** Block that has brought a campaign of which nothing else is stored; null of parts of campaigns that are. */
    blockNumber: blockNumber(),
  },
  (table) => [
    primaryKey({ columns: [table.campaignId, table.kind, table.position] }),
    index('unknown_components_by_chain').on(table.chainId),
    check('unknown_components_kind_is_known', sql`${table.kind} in ('campaign', 'action', 'allowList', 'incentive')`),
  ],
)

/**
 * A campaign whose facts the database refuses: answers show it as it was before, or not at all. Its claims wait in
 * `back_filled_claims` until it is taken in.
 */
export const leftOutCampaigns = pgTable(
  'left_out_campaigns',
  {
    campaignId: text().primaryKey(),
    chainId: ofChain(),
    /** What the database said when it was tried last. */
    reason: text().notNull(),
    leftOutAt: instant().notNull().default(sql`now()`),
  },
  (table) => [index('left_out_campaigns_by_chain').on(table.chainId)],
)
