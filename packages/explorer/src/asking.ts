import { ServiceError } from 'reward-campaigns-client'

/**
 * What is known of an answer. A failure never stands beside figures that were right once: they could be wrong by now, and
 * the page says so in their place.
 */
export type Asked<Answer> =
  | { state: 'loading' }
  | { state: 'shown'; answer: Answer; at: Date }
  | { state: 'failed'; failure: unknown }

/** A request that takes longer has failed: a network that has gone says nothing. */
const PATIENCE_MS = 20_000

/** Figures that nobody has looked at for longer are not shown again before they are asked for. */
const LONGEST_UNSEEN_MS = 30_000

/** After a failure without `Retry-After`. */
const WAIT_AFTER_FAILURE_MS = 2_000

/** No `Retry-After` makes it wait longer: who looks wants to see it come back. */
const LONGEST_WAIT_MS = 10_000

/**
 * Asks at once and then from time to time, one request at a time, until it is stopped.
 *
 * @param ask must give up when its signal says so.
 * @param tell is never called once it is stopped.
 * @param isLookedAt while this is false, nothing is asked.
 */
export function keepAsking<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer>,
  tell: (asked: Asked<Answer>) => void,
  isLookedAt: () => boolean,
  everyMs: number,
) {
  let isStopped = false
  let underWay: AbortController | undefined
  let toldAt = Date.now()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function askOnce(request: AbortController): Promise<number> {
    const patience = setTimeout(() => request.abort(), PATIENCE_MS)
    try {
      const answer = await ask(request.signal)
      if (!isStopped) tell({ state: 'shown', answer, at: new Date() })
      return everyMs
    } catch (failure) {
      if (!isStopped) tell({ state: 'failed', failure })
      const { status = 0, retryAfterSeconds } = failure instanceof ServiceError ? failure : {}
      // What is refused stays refused for as long as nothing is known to have changed.
      if (status >= 400 && status < 500 && retryAfterSeconds === undefined) return everyMs
      return retryAfterSeconds === undefined
        ? WAIT_AFTER_FAILURE_MS
        : Math.min(Math.max(retryAfterSeconds * 1000, WAIT_AFTER_FAILURE_MS), LONGEST_WAIT_MS)
    } finally {
      clearTimeout(patience)
      toldAt = Date.now()
    }
  }

  async function askAndWait() {
    clearTimeout(timer)
    if (underWay !== undefined || isStopped) return
    let waitMs = everyMs
    if (isLookedAt()) {
      underWay = new AbortController()
      waitMs = await askOnce(underWay)
      underWay = undefined
    }
    if (!isStopped) timer = setTimeout(() => void askAndWait(), waitMs)
  }

  void askAndWait()
  return {
    /** Somebody looks again. */
    lookAgain() {
      if (isStopped || !isLookedAt()) return
      if (Date.now() - toldAt > Math.max(LONGEST_UNSEEN_MS, 2 * everyMs)) tell({ state: 'loading' })
      void askAndWait()
    },
    stop() {
      isStopped = true
      underWay?.abort()
      clearTimeout(timer)
    },
  }
}
