import type { Hex } from 'viem'
import type { CounterName } from '../protocol/protocol.ts'
import type { FindUnstored } from '../sync/missed-blocks.ts'
import type { FollowedStore } from '../sync/sync-updates.ts'

/** A counter of a contract, and what is stored of it at the end of a block. */
export interface StoredCounter {
  contract: Hex
  counter: CounterName
  /** The incentive that is counted; null for the counter of a factory. */
  campaignId: string | null
  incentiveIndex: number | null
  stored: bigint
  /** Stored claims that it confirms, by their number or, without a counter of that, by their amounts; null for others. */
  claims: number | null
  /** Whether it was never compared. */
  isNew: boolean
  /** What was found since this block may be incomplete: the block of the last agreement, or the one before its contract. */
  since: number
}

/** Why counters are compared again. */
export interface ComparedPart {
  /** Which part of the counters that have not changed is compared, those of the oldest comparison first: 0 to 1. */
  share: number
  /** Maximum number of counters. Those that have changed, or differ, come first. */
  limit?: number | undefined
}

/** What is stored at the end of a final block, in one snapshot of the database. */
export interface StoredCounts {
  /** Its hash is null if it is not stored. */
  block: { number: number; hash: Hex | null }
  counters: StoredCounter[]
  /** Of each factory that has a campaign: how many it had counted before the first one, and the block of that. */
  firstCampaigns: ReadonlyMap<Hex, { before: bigint; blockNumber: number }>
}

/** A counter as the contract returns it: null if it has none. */
export interface ComparedCounter extends StoredCounter {
  onChain: bigint | null
}

/** What comparisons have found of a chain, all of them together. */
export interface ProofSummary {
  block: number
  campaigns: number
  claims: number
  /** Those that no counter can confirm. */
  uncountedCampaigns: number
  uncountedClaims: number
  differences: number
}

/** What the proof reads and writes, in transactions of its own. */
export interface ProofStore extends Omit<FollowedStore, 'dueAgain'> {
  /** Undefined if nothing of the chain is shown yet, or nothing of it is final. */
  countStored(part: ComparedPart): Promise<StoredCounts | undefined>
  /** Whether the chain was ever compared. */
  isProven(): Promise<boolean>
  /** The blocks, up to one, that created campaigns of unknown form, in their order. */
  unknownCampaigns(upTo: number): Promise<number[]>
  findUnstored: FindUnstored
  /** Records a comparison. */
  record(block: number, compared: readonly ComparedCounter[]): Promise<ProofSummary>
  close(): Promise<void>
}

/** Whether a contract counts something else than what is stored. */
export const differs = ({ onChain, stored }: ComparedCounter) => onChain !== null && onChain !== stored
