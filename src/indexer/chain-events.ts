import type { Heads } from './rpc/chain-client.ts'
import type { BlockHeader } from './rpc/parse-responses.ts'
import type { FollowedState, FollowingStep } from './sync/sync-steps.ts'

/** What happens while a chain is followed: for the log and for metrics. Endpoints are named by their place alone. */
export type ChainEvent =
  /** Another process follows the chain. */
  | { type: 'waiting' }
  /** From here on this process follows it. */
  | { type: 'opened'; state: FollowedState }
  /** The chain has said how far it is. */
  | ({ type: 'heads' } & Heads)
  | { type: 'stored'; step: FollowingStep }
  /** The newest block of the chain is stored. */
  | { type: 'arrived'; asOf: BlockHeader }
  /** The database refuses the facts of a campaign; without a reason, it has taken them now. */
  | { type: 'left-out'; campaignId: string; reason: string | undefined }
  /** No endpoint answers, or their answers do not fit together. */
  | { type: 'trouble'; reason: string }
  /** The database is away, or another process has written. */
  | { type: 'store-lost'; reason: string }
  /** What should not happen. */
  | { type: 'defect'; error: unknown }

export type OnChainEvent = (event: ChainEvent) => void

/** Chains are not followed as the operator asked for; the message says why, and names no URL. */
export class FollowingError extends Error {
  override readonly name = 'FollowingError'
}
