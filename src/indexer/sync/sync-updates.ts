import type { Hex } from 'viem'
import type { ClaimRecord, TokenRecord } from '../../ingest/records.ts'
import type { EarlierPrice } from '../feeds/earlier-price.ts'
import type { FeedPrice } from '../feeds/feed-prices.ts'
import type { FollowedFeed } from '../feeds/followed-feeds.ts'
import type { PriceSource } from '../feeds/price-settings.ts'
import type {
  CampaignOrigin,
  ChainCampaign,
  ChainIdentity,
  KnownCampaigns,
  RangeFacts,
  ReadSettings,
} from '../protocol/protocol.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import type { BlockHeader } from '../rpc/parse-responses.ts'
import type { BlockReference } from './linked-blocks.ts'
import type { BackFillSettings } from './log-ranges.ts'

/** How far a chain is stored. */
export interface FollowedState {
  /** The block whose effects responses show; null until the backfill is complete. */
  asOf: BlockReference | null
  /** Stored blocks, ascending; the last is `asOf`. Their number limits the depth of a reorganisation. */
  window: readonly BlockReference[]
  /** The last block whose fixed facts are stored; the one before the first block if there are none. */
  backFilledTo: number
  /** Hash of that block during the backfill, if known. */
  backFilledHash: Hex | null
  /** Price feeds, and how far their prices are stored. */
  feeds: readonly FollowedFeed[]
  /** What has been added to the chain file, and is not read yet; null if there is nothing. */
  joining: Joining | null
}

/** How far what was added to a chain file is read. */
export interface Joining {
  /** The cores that are followed. */
  joined: ReadonlySet<Hex>
  /** The first block of what is followed. */
  startBlock: number
  /** The last block of which what is new is stored, and its hash: null before the first. */
  readTo: number
  hash: Hex | null
}

/** What the sync reads from the store. What was added to the chain file is found only where that is said. */
export interface FollowedStore extends KnownCampaigns {
  /** The same as `find`, also of what was added. */
  findAny: KnownCampaigns['find']
  /** Campaigns of what was added. */
  unjoined(): Promise<CampaignOrigin[]>
  /** IDs of the campaigns that blocks above this number touched. */
  affectedAbove(blockNumber: number): Promise<string[]>
  /** Campaigns that the backfill has found. */
  backFilled(): Promise<CampaignOrigin[]>
  /** IDs of campaigns to read again: they could not be stored, or something fixed was never read. */
  dueAgain(): Promise<string[]>
  /** Which of these tokens of the chain are stored. */
  storedTokens(addresses: readonly Hex[]): Promise<Set<string>>
}

/** A claim as a record, with its block. */
export interface BlockClaim {
  record: ClaimRecord
  blockNumber: number
}

/** Fixed facts of campaigns, and the claims on them. */
export interface FixedFacts extends Omit<RangeFacts, 'claims'> {
  claims: BlockClaim[]
  /** Prices reported by feeds. */
  prices: FeedPrice[]
}

/** New facts about price feeds. */
export interface FeedFacts {
  /** All of them, with how far they are read; null if nothing of that has changed. */
  feeds: FollowedFeed[] | null
  /** Feeds whose stored prices are dropped first: all of them are read again. */
  reset: Hex[]
  prices: FeedPrice[]
  /** Prices before the first one, each replacing an earlier one of its feed. */
  earlier: EarlierPrice[]
}

/** What to store next, each in one transaction. */
export type ChainUpdate =
  /** Facts of final blocks, as they are found. Responses do not show them yet. */
  | ({ type: 'back-fill'; to: number; hash: Hex; head: BlockHeader; finalized: number } & Omit<FixedFacts, 'prices'> & {
        feedFacts: FeedFacts
      })
  /** Facts of final blocks that were added to the chain file. Responses do not show them yet. */
  | ({ type: 'added'; to: number; hash: Hex } & Omit<FixedFacts, 'prices'>)
  /** The chain as of a block. What is stored of blocks above `base` is withdrawn first. */
  | ({ type: 'new-blocks' } & NewBlocks)
  /** Prices of blocks up to the newest stored one, from aggregators that were found since. */
  | { type: 'past-prices'; feedFacts: FeedFacts }
  /** The chain has none of the stored blocks: everything of it is withdrawn. */
  | { type: 'restart' }
  /** Nothing has changed. */
  | { type: 'rest'; head: BlockHeader; finalized: number }

export interface NewBlocks extends Omit<FixedFacts, 'origins' | 'prices'> {
  /** The stored block that this one follows; its number is -1 for the first update. */
  base: number
  /** Stored blocks that are no longer on the chain: 0 without a reorganisation. */
  depth: number
  asOf: BlockHeader
  head: BlockHeader
  finalized: number
  /**
   * Blocks above the base that go into the window, ascending; the last is `asOf`, unless the chain has become shorter.
   * None where final blocks were read again: what of them is not stored is written, as of the block that is shown.
   */
  blocks: BlockHeader[]
  /** Touched campaigns, as of `asOf`. */
  campaigns: ChainCampaign[]
  /** Campaigns that were touched above the base and no longer exist. */
  revertedCampaigns: string[]
  tokens: TokenRecord[]
  feedFacts: FeedFacts
  /** Whether all that was added to the chain file is shown from here on; its blocks may be stored already. */
  isJoining?: boolean
}

interface FollowingSettings extends BackFillSettings {
  /** First block that is read. */
  startBlock: number
  /** How long the chain may seem shorter, or entirely different, before that is accepted. */
  maxWaitMs: number
  /** The interval at which the aggregators of price feeds are read. */
  feedCheckMs: number
}

export interface Following {
  chain: ChainIdentity & ReadSettings & { prices: readonly PriceSource[] }
  client: ChainClient
  store: FollowedStore
  settings: FollowingSettings
}

/** The same for one look at the chain, with the price feeds as found in it. */
export interface SyncContext extends Following {
  feeds: readonly FollowedFeed[]
}

/** What one look at a chain passes on to the next. */
export interface SyncMemory {
  /** Since when the chain has seemed shorter than what is stored, or different. */
  suspectSince?: number | undefined
  /** When the aggregators of feeds were last read; absent if never, or if everything is read again. */
  feedsFoundAt?: number | undefined
}

/** If no node reports the final block, the block this far below the head counts as final. */
export const FINAL_BELOW_HEAD = 256

/** Everything is read again, price feeds too. */
export function restart(memory: SyncMemory): ChainUpdate {
  memory.feedsFoundAt = undefined
  return { type: 'restart' }
}

/** For a while, a node that lags behind, or is on its own branch, looks like a chain that has changed. */
export function isConfirmed(memory: SyncMemory, maxWaitMs: number) {
  memory.suspectSince ??= Date.now()
  return Date.now() - memory.suspectSince >= maxWaitMs
}

/** The newest block of the chain, if it is stored. */
export function newestOf(update: ChainUpdate, { asOf }: FollowedState): BlockHeader | undefined {
  if (update.type === 'new-blocks') return update.asOf.number === update.head.number ? update.asOf : undefined
  return update.type === 'rest' && update.head.hash === asOf?.hash ? update.head : undefined
}
