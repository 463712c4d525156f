import { readRetryAfter } from './service-error.ts'

/** What asks, as `fetch` does. */
export type Fetch = (request: Request) => Promise<Response>

export interface RetryOptions {
  /** How often a request is repeated that is answered 429 or 503; 0: never. Default 2. */
  retries?: number | undefined
  /** Longest wait before a repetition, in milliseconds: who is told to wait longer gets the failure. Default 10,000. */
  longestWaitMs?: number | undefined
}

/** Without a `Retry-After`, the first repetition comes within this time, each further one within twice the last. */
const FIRST_WAIT_MS = 500

/** Added to what `Retry-After` says, at most: those who were refused together do not come back together. */
const SPREAD_MS = 250

/**
 * Repeats what is answered 429 or 503, when `Retry-After` says. All operations only read, so that none is done twice.
 * The signal of the request ends a wait too.
 */
export function withRetries(fetch: Fetch, { retries = 2, longestWaitMs = 10_000 }: RetryOptions): Fetch {
  return async (request) => {
    for (let repetition = 0; ; repetition++) {
      const response = await fetch(request)
      if ((response.status !== 429 && response.status !== 503) || repetition >= retries) return response
      const seconds = readRetryAfter(response)
      const waitMs =
        seconds === undefined
          ? Math.random() * FIRST_WAIT_MS * 2 ** repetition
          : seconds * 1000 + Math.random() * SPREAD_MS
      if (waitMs > longestWaitMs) return response
      await response.body?.cancel()
      await wait(waitMs, request.signal)
    }
  }
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abandon = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abandon)
      resolve()
    }, milliseconds)
    signal.addEventListener('abort', abandon)
    if (signal.aborted) abandon()
  })
}
