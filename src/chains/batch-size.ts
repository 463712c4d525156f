/** Full batches in a row after which a larger one is tried; twice as many after each one that was too large. */
const FIRST_NEEDED = 10
const MAX_NEEDED = 640

/**
 * How many calls a request to one endpoint may hold. Nobody says what a provider takes, so it is found out: a batch that
 * fails is halved, and after a while a larger one is tried again, for what failed may have been something else.
 */
export function createBatchSize(maxCalls: number) {
  let size = maxCalls
  let successes = 0
  let needed = FIRST_NEEDED
  let isTrial = false
  return {
    current: () => size,
    /** Whether the current size is new, and not yet known to be taken. */
    isTrial: () => isTrial,
    noteSuccess(length: number) {
      if (length < size) return
      isTrial = false
      successes += 1
      if (size === maxCalls || successes < needed) return
      size = Math.min(maxCalls, 2 * size)
      successes = 0
      isTrial = true
    },
    noteTooLarge(length: number) {
      const half = Math.ceil(length / 2)
      // Several requests of the same size may fail at the same time.
      if (half >= size) return
      if (isTrial) needed = Math.min(MAX_NEEDED, 2 * needed)
      size = half
      successes = 0
      isTrial = false
    },
  }
}
