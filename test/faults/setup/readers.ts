import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'

/** Short enough that a fault of a tenth of a second meets a reader; usually so long that readers do not fill a core. */
const PAUSE_MS = inject('isDeep') ? 10 : 40

/** What came of one request. */
export interface Seen {
  /** When it was sent, by `performance.now()`. */
  at: number
  path: string
  status: number
  /** What RFC 9211 has an old response say. */
  cacheStatus: string | null
  retryAfter: string | null
  body: string
}

export const STALE = 'reward-campaigns; hit; fwd=stale'

export async function ask(url: string, path: string): Promise<Seen> {
  const at = performance.now()
  const response = await fetch(url + path)
  return {
    ...{ at, path, status: response.status, body: await response.text() },
    cacheStatus: response.headers.get('cache-status'),
    retryAfter: response.headers.get('retry-after'),
  }
}

/** The same, or of a request that had no answer what went wrong, with the status 0. */
export const tryRequest = (url: string, path: string) =>
  ask(url, path).catch(
    (error: Error): Seen => ({
      ...{ at: performance.now(), path, status: 0, cacheStatus: null, retryAfter: null },
      body: `${error.message}: ${error.cause}`,
    }),
  )

/** Asks for each of these, again and again, from now on. A function is asked for the next path each time. */
export function pollRequest(url: string, paths: (string | (() => string))[]) {
  const seen: Seen[] = []
  let isOver = false
  const readers = paths.map(async (path) => {
    while (!isOver) {
      seen.push(await tryRequest(url, typeof path === 'string' ? path : path()))
      await sleep(PAUSE_MS)
    }
  })
  const stop = async () => {
    isOver = true
    await Promise.all(readers)
  }
  return { seen, stop, [Symbol.asyncDispose]: stop }
}

/** How many have been answered how. */
export function countOutcomes(seen: Seen[]) {
  const counts: Record<string, number> = {}
  for (const { status, cacheStatus } of seen) {
    const outcome = `${status}${cacheStatus === null ? '' : ' old'}`
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}

/** Paths that are all different, and all asked for the first time. */
export function newQueries() {
  let page = 0
  return () => {
    page += 1
    return `/campaigns?pageSize=1&page=${page}`
  }
}
