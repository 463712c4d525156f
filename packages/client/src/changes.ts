import type { Change, Query, ResponseOf } from './operations.ts'
import { ServiceError } from './service-error.ts'

/** What changes may be asked; how long to wait is for the iteration to say. */
export type ChangesQuery = Omit<Query<'listChanges'>, 'wait' | 'pageSize'>

type FetchChanges = (query: Query<'listChanges'>) => Promise<ResponseOf<'listChanges'>>

/** As long as an empty response may wait. */
const WAIT_SECONDS = 25

/** Of the statuses below 500 those that pass: 408 and 425 are of proxies. */
const PASSING = [408, 425, 429]

/** The most that `Retry-After` is followed. */
const MAX_REQUESTED_MS = 3_600_000

/** How long it is waited after a failure, and at most: each time twice as long. */
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 30_000

/** Each change once, in order, for ever; goes on where it was after failures of the service and of the network. */
export async function* iterateChanges(
  fetchChanges: FetchChanges,
  { after, ...filters }: ChangesQuery,
  signal?: AbortSignal,
): AsyncGenerator<Change, void, void> {
  let cursor = after
  for (let pause = FIRST_PAUSE_MS; ; ) {
    let page: ResponseOf<'listChanges'>
    try {
      page = await fetchChanges({
        ...filters,
        ...(cursor !== undefined && { after: cursor }),
        // Where it begins is known before it waits: what comes then is not missed.
        wait: cursor === undefined ? 0 : WAIT_SECONDS,
        pageSize: 1000,
      })
      pause = FIRST_PAUSE_MS
    } catch (error) {
      const isRefused = error instanceof ServiceError && error.status < 500 && !PASSING.includes(error.status)
      if (isRefused || signal?.aborted) throw error
      const requestedMs = error instanceof ServiceError ? 1000 * (error.retryAfterSeconds ?? 0) : 0
      await sleep(Math.min(Math.max(pause, requestedMs), MAX_REQUESTED_MS), signal)
      pause = Math.min(2 * pause, MAX_PAUSE_MS)
      continue
    }
    cursor = page.nextCursor
    yield* page.changes
  }
}

const sleep = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal?.addEventListener('abort', end, { once: true })
  })
