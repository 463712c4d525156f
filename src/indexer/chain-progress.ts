import { OperatorError } from '../operator-error.ts'
import type { ProofReport, ReadAgain } from './proof/chain-proof.ts'
import type { Heads } from './rpc/chain-client.ts'
import type { BlockHeader } from './rpc/parse-responses.ts'
import type { ChainUpdate, FollowedState } from './sync/sync-updates.ts'

/** Events while a chain is followed, for the log and for metrics. Endpoints are named by their number only. */
export type ChainEvent =
  /** Another process follows the chain. */
  | { type: 'waiting' }
  /** From here on this process follows it. */
  | { type: 'opened'; state: FollowedState }
  /** The chain has reported its head. */
  | ({ type: 'heads' } & Heads)
  | { type: 'stored'; update: ChainUpdate }
  /** The newest block of the chain is stored. */
  | { type: 'arrived'; asOf: BlockHeader }
  /** The chain file has cores of stored campaigns no more. */
  | { type: 'unfollowed'; cores: readonly string[] }
  /** The database refuses the facts of a campaign; without a reason, it has accepted them now. */
  | { type: 'left-out'; campaignId: string; reason: string | undefined }
  /** Counters of contracts were compared with what is stored. */
  | { type: 'compared'; report: ProofReport }
  /** Blocks were read again because counters differ. */
  | { type: 'read-again'; read: ReadAgain }
  /** Counters could not be compared. */
  | { type: 'not-compared'; reason: string }
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

export interface CatchUpLimits {
  /** How long a chain may seem shorter, or different, before that is accepted. */
  maxWaitMs: number
  /** How long `index --once` may go without progress. */
  stallTimeoutMs: number
}

/**
 * When a chain is done with `--once`: when it is stored up to the first head. A node that lags behind the first one looks like
 * a chain that has become shorter: that is accepted after a while.
 */
export class CatchUpTarget {
  readonly #chainId: number
  readonly #limits: CatchUpLimits
  #head: number | undefined
  #belowSince: number | undefined
  #storedElsewhere: number | undefined
  #lastProgressAt = performance.now()

  constructor(chainId: number, limits: CatchUpLimits) {
    this.#chainId = chainId
    this.#limits = limits
  }

  recordHead({ number }: { number: number }) {
    this.#head ??= number
  }

  recordProgress() {
    this.#lastProgressAt = performance.now()
  }

  /**
   * Records what another process has stored. @returns whether that is as new as the first head.
   */
  recordElsewhere(asOf: number) {
    if (asOf !== this.#storedElsewhere) this.recordProgress()
    this.#storedElsewhere = asOf
    return this.#head !== undefined && asOf >= this.#head
  }

  /** @param asOf the newest block of the chain, which is stored. */
  isReachedBy({ number }: { number: number }) {
    if (this.#head === undefined || number >= this.#head) return this.#head !== undefined
    this.#belowSince ??= performance.now()
    return performance.now() - this.#belowSince >= this.#limits.maxWaitMs
  }

  /** @throws FollowingError if there has been no progress for too long. */
  failWhenStalled(reason: string) {
    const { stallTimeoutMs } = this.#limits
    if (performance.now() - this.#lastProgressAt < stallTimeoutMs) return
    const seconds = Math.round(stallTimeoutMs / 1000)
    throw new FollowingError(`chain ${this.#chainId} has not come any further for ${seconds} seconds: ${reason}`)
  }
}
