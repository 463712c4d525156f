/**
 * Tells when a chain is stored as far as it was when it was first asked. A node that lags behind the first one looks like
 * a chain that has become shorter: that is believed after `patienceMs`.
 */
export function createArrival(patienceMs: number) {
  let goal: number | undefined
  let belowSince: number | undefined
  return {
    noteHead(head: { number: number }) {
      goal ??= head.number
    },
    /** Whether another process has stored a block as new as the chain's newest then. */
    isPassedBy: (number: number) => goal !== undefined && number >= goal,
    /** @param asOf the newest block of the chain, which is stored. */
    isReachedBy(asOf: { number: number }, now: number) {
      if (goal === undefined) return false
      if (asOf.number >= goal) return true
      belowSince ??= now
      return now - belowSince >= patienceMs
    },
  }
}
