import { FollowingError } from './chain-events.ts'

export interface CatchUpLimits {
  /** How long a chain may seem shorter, or different, before that is accepted. */
  maxWaitMs: number
  /** How long `index --once` may go without a step. */
  stallTimeoutMs: number
}

/**
 * When a chain is done with `--once`: when it is stored up to the head of the first look. A node that lags behind the
 * first one looks like a chain that has become shorter: that is accepted after a while.
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
   * Whether another process has stored a block as new as the head of the first look.
   * @param asOf what it has stored.
   */
  isPassedBy(asOf: number) {
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

  /** @throws FollowingError if there has been no step for too long. */
  failWhenStalled(reason: string) {
    const { stallTimeoutMs } = this.#limits
    if (performance.now() - this.#lastProgressAt < stallTimeoutMs) return
    const seconds = Math.round(stallTimeoutMs / 1000)
    throw new FollowingError(`chain ${this.#chainId} has not come any further for ${seconds} seconds: ${reason}`)
  }
}
