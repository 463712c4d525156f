/** Successes of the full size in a row before a larger one is tried; doubled after each one that was too large. */
const FIRST_NEEDED = 10
const MAX_NEEDED = 640

/**
 * How much of something one request to an endpoint may contain. Providers do not publish their limits, so they are found
 * by trial: what fails is made smaller, and after a while a larger one is tried again, since the failure may have had
 * another cause.
 */
export class AdaptiveSize {
  readonly #max: number
  #size: number
  #successes = 0
  #needed = FIRST_NEEDED
  #isTrial = false
  /** The size before a trial. */
  #taken: number

  constructor(max: number) {
    this.#max = max
    this.#size = max
    this.#taken = max
  }

  get current() {
    return this.#size
  }

  /** The size that has succeeded, if larger ones have failed. */
  get limit() {
    const size = this.#isTrial ? this.#taken : this.#size
    return size < this.#max ? size : undefined
  }

  /** Whether the current size is new, and has not succeeded yet. */
  get isTrial() {
    return this.#isTrial
  }

  recordSuccess(length: number) {
    if (length < this.#size) return
    this.#isTrial = false
    this.#successes += 1
    if (this.#size === this.#max || this.#successes < this.#needed) return
    this.#taken = this.#size
    this.#size = Math.min(this.#max, 2 * this.#size)
    this.#successes = 0
    this.#isTrial = true
  }

  recordTooLarge(length: number) {
    this.lowerTo(Math.ceil(length / 2))
  }

  /** Records that this is small enough, while the current size is not. */
  lowerTo(size: number) {
    // Several requests of the same size may fail at the same time.
    if (size >= this.#size) return
    if (this.#isTrial) this.#needed = Math.min(MAX_NEEDED, 2 * this.#needed)
    this.#size = size
    this.#successes = 0
    this.#isTrial = false
  }
}
