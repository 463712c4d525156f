import { ServiceError } from 'reward-campaigns-client'

/**
 * What is known of a response. A failure never stands beside figures that were right once: they could be wrong by now, and
 * the page says so in their place.
 */
export type RequestState<ResponseOf> =
  | { state: 'loading' }
  | { state: 'shown'; response: ResponseOf; at: Date }
  | { state: 'failed'; failure: unknown }

/** A request that takes longer has failed: a network that has gone says nothing. */
const TIMEOUT_MS = 20_000

/** Figures that nobody has looked at for longer are not shown again before they are asked for. */
const LONGEST_UNSEEN_MS = 30_000

/** After a failure without `Retry-After`. */
const WAIT_AFTER_FAILURE_MS = 2_000

/** However often something changes. */
const MIN_INTERVAL_MS = 2_000

/** No `Retry-After` makes it wait longer: who looks wants to see it come back. */
const LONGEST_WAIT_MS = 10_000

/**
 * Asks at once and then from time to time, one request at a time, until it is stopped.
 *
 * @param send must give up when its signal says so.
 * @param report is never called once it is stopped.
 * @param isVisible while this is false, nothing is asked.
 * @param everyMs how long it waits after a response.
 */
export function pollRequest<ResponseOf>(
  send: (signal: AbortSignal) => Promise<ResponseOf>,
  report: (state: RequestState<ResponseOf>) => void,
  isVisible: () => boolean,
  everyMs: () => number,
) {
  let isStopped = false
  let isOutdated = false
  let underWay: AbortController | undefined
  let reportedAt = Date.now()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function sendOnce(request: AbortController): Promise<number> {
    const timeout = setTimeout(() => request.abort(), TIMEOUT_MS)
    try {
      const response = await send(request.signal)
      if (!isStopped) report({ state: 'shown', response, at: new Date() })
      return everyMs()
    } catch (failure) {
      if (!isStopped) report({ state: 'failed', failure })
      const { status = 0, retryAfterSeconds } = failure instanceof ServiceError ? failure : {}
      // What is refused stays refused for as long as nothing is known to have changed.
      if (status >= 400 && status < 500 && retryAfterSeconds === undefined) return everyMs()
      return retryAfterSeconds === undefined
        ? WAIT_AFTER_FAILURE_MS
        : Math.min(Math.max(retryAfterSeconds * 1000, WAIT_AFTER_FAILURE_MS), LONGEST_WAIT_MS)
    } finally {
      clearTimeout(timeout)
      reportedAt = Date.now()
    }
  }

  async function sendAndWait() {
    clearTimeout(timer)
    if (underWay !== undefined || isStopped) return
    let waitMs = everyMs()
    if (isVisible()) {
      isOutdated = false
      underWay = new AbortController()
      waitMs = await sendOnce(underWay)
      underWay = undefined
    }
    waitFor(isOutdated ? Math.min(waitMs, MIN_INTERVAL_MS) : waitMs)
  }

  function waitFor(ms: number) {
    clearTimeout(timer)
    if (!isStopped) timer = setTimeout(() => void sendAndWait(), ms)
  }

  void sendAndWait()
  return {
    /** What was asked for may have changed. */
    refresh() {
      if (underWay === undefined && !isOutdated) waitFor(Math.max(0, reportedAt + MIN_INTERVAL_MS - Date.now()))
      isOutdated = true
    },
    /** Somebody looks again. */
    retryNow() {
      if (isStopped || !isVisible()) return
      if (Date.now() - reportedAt > Math.max(LONGEST_UNSEEN_MS, 2 * everyMs())) report({ state: 'loading' })
      void sendAndWait()
    },
    stop() {
      isStopped = true
      underWay?.abort()
      clearTimeout(timer)
    },
  }
}
