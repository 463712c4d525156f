import { OperatorError } from '../operator-error.ts'
import type { Heads } from './rpc/chain-client.ts'
import type { BlockHeader } from './rpc/parse-responses.ts'
import type { FollowedState, SyncStep } from './sync/sync-steps.ts'

/** Events while a chain is followed, for the log and for metrics. Endpoints are named by their number only. */
export type ChainEvent =
  /** Another process follows the chain. */
  | { type: 'waiting' }
  /** From here on this process follows it. */
  | { type: 'opened'; state: FollowedState }
  /** The chain has reported its head. */
  | ({ type: 'heads' } & Heads)
  | { type: 'stored'; step: SyncStep }
  /** The newest block of the chain is stored. */
  | { type: 'arrived'; asOf: BlockHeader }
  /** The database refuses the facts of a campaign; without a reason, it has accepted them now. */
  | { type: 'left-out'; campaignId: string; reason: string | undefined }
  /** No endpoint responds, or their responses contradict each other. */
  | { type: 'trouble'; reason: string }
  /** The database is unreachable, or another process has written. */
  | { type: 'store-lost'; reason: string }
  /** An unexpected error. */
  | { type: 'defect'; error: unknown }

export type OnChainEvent = (event: ChainEvent) => void

/** Chains are not followed as requested; the message says why, and contains no URL. */
export class FollowingError extends OperatorError {
  override readonly name = 'FollowingError'
}
