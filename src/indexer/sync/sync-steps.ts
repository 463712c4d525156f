import type { Hex } from 'viem'
import type { ClaimRecord, TokenRecord } from '../../ingest/records.ts'
import type { EarlierPrice } from '../feeds/earlier-price.ts'
import type { FeedPrice } from '../feeds/feed-prices.ts'
import type { FollowedFeed } from '../feeds/followed-feeds.ts'
import type { PriceSource } from '../feeds/price-settings.ts'
import type { ChainIdentity, KnownCampaigns, SpanFacts } from '../protocol/block-range.ts'
import type { CampaignOrigin } from '../protocol/campaign-origins.ts'
import type { ChainCampaign, CompleteOrigin } from '../protocol/contracts/campaign-components.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import type { BlockHeader } from '../rpc/parse-responses.ts'
import type { BackFillSettings } from './backfill.ts'
import type { BlockReference } from './block-links.ts'

/** How far a chain is stored. */
export interface FollowedState {
  /** The block whose effects are in the responses; null until the back-fill has come to its end. */
  asOf: BlockReference | null
  /** Stored blocks, ascending; the last is `asOf`. The more there are, the deeper a reorganisation may go. */
  window: readonly BlockReference[]
  /** The last block of which the fixed facts are stored; the one before the first block where there are none. */
  backFilledTo: number
  /** Hash of that block while the chain is back-filled, where it is known. */
  backFilledHash: Hex | null
  /** Price feeds, and how far their prices are stored. */
  feeds: readonly FollowedFeed[]
}

/** What the store says while a step is made. */
export interface FollowedStore extends KnownCampaigns {
  /** IDs of the campaigns that blocks above this number touched. */
  affectedAbove(blockNumber: number): Promise<string[]>
  /** Campaigns that the back-fill has found. */
  backFilled(): Promise<CampaignOrigin[]>
  /** IDs of campaigns that are to be read again: they could not be stored, or something fixed has never been asked. */
  dueAgain(): Promise<string[]>
}

/** A claim as a record, with its block. */
export interface BlockClaim {
  record: ClaimRecord
  blockNumber: number
}

/** What is fixed of campaigns, and the claims on them. */
export interface FixedFacts {
  origins: CompleteOrigin[]
  claims: BlockClaim[]
  affects: SpanFacts['affects']
  /** Claims on incentives that are not known, or of campaigns from before the first block. */
  orphanClaims: number
  /** Campaigns that their core does not know in a form that is known. */
  unreadable: { campaignId: string; contract: Hex; blockNumber: number }[]
  /** What feeds have told. */
  prices: FeedPrice[]
}

/** What has become known of price feeds. */
export interface FeedFacts {
  /** All of them, with how far they are read; null where nothing of that has changed. */
  feeds: FollowedFeed[] | null
  /** Feeds whose stored prices are to be dropped first: all of them are read again. */
  reset: Hex[]
  prices: FeedPrice[]
  /** Prices of before the first one, each in the place of an earlier one of its feed. */
  earlier: EarlierPrice[]
}

/** What is to be stored next, each in one transaction. */
export type FollowingStep =
  /** Facts of final blocks, as they are found. Answers do not show them yet. */
  | ({ type: 'back-fill'; to: number; hash: Hex; head: BlockHeader; finalized: number } & Omit<FixedFacts, 'prices'> & {
        feedFacts: FeedFacts
      })
  /** The chain at a block. What is stored of blocks above `base` is taken back first. */
  | ({ type: 'advance' } & Advance)
  /** Prices of blocks up to the newest stored one, of aggregators that were found since. */
  | { type: 'past-prices'; feedFacts: FeedFacts }
  /** The chain has none of the stored blocks: everything of it is taken back. */
  | { type: 'restart' }
  /** Nothing has changed. */
  | { type: 'rest'; head: BlockHeader; finalized: number }

export interface Advance {
  /** The stored block on which this stands; its number is -1 for the first advance. */
  base: number
  /** Stored blocks that are not on the chain any more: 0 where there was no reorganisation. */
  depth: number
  asOf: BlockHeader
  head: BlockHeader
  finalized: number
  /** Blocks above the base that go into the window, ascending; the last is `asOf`, unless the chain has become shorter. */
  blocks: BlockHeader[]
  claims: BlockClaim[]
  /** Campaigns that were touched, as they are at `asOf`. */
  campaigns: ChainCampaign[]
  /** Campaigns that were touched above the base and are not there any more. */
  revertedCampaigns: string[]
  tokens: TokenRecord[]
  affects: FixedFacts['affects']
  orphanClaims: number
  unreadable: FixedFacts['unreadable']
  feedFacts: FeedFacts
}

interface FollowingSettings extends BackFillSettings {
  /** First block that is read. */
  startBlock: number
  /** How long the chain may seem shorter, or another one altogether, before that is believed. */
  maxWaitMs: number
  /** How long price feeds are not asked again which aggregators they have. */
  feedCheckMs: number
}

export interface Following {
  chain: ChainIdentity & { openAllowLists: ReadonlySet<Hex>; prices: readonly PriceSource[] }
  client: ChainClient
  store: FollowedStore
  settings: FollowingSettings
}

/** The same for one look at the chain, with the price feeds as they are found in it. */
export interface Looking extends Following {
  feeds: readonly FollowedFeed[]
}

/** Where no node tells what is final, blocks so far below the head are taken to be. */
export const FINAL_BELOW_HEAD = 256
