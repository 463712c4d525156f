import { LRUCache } from 'lru-cache'

const WINDOW_MS = 60_000

/** Addresses that are remembered at once: about two megabytes, whoever tries from however many. */
const MOST_ADDRESSES = 10_000

/** Counts failed attempts by client address. */
export interface AttemptLimit {
  quota: number
  /** Counts one more; what is left of the minute that began with the first. */
  count(address: string): { isExceeded: boolean; remaining: number; secondsLeft: number }
}

/** At most `quota` failed attempts a minute for each address. Each process counts for itself. */
export function createAttemptLimit(quota: number, now: () => Date): AttemptLimit {
  const windows = new LRUCache<string, { attempts: number; endsAt: number }>({ max: MOST_ADDRESSES })
  return {
    quota,
    count(address) {
      const time = now().getTime()
      const known = windows.get(address)
      const window = known !== undefined && time < known.endsAt ? known : { attempts: 0, endsAt: time + WINDOW_MS }
      window.attempts += 1
      windows.set(address, window)
      return {
        isExceeded: window.attempts > quota,
        remaining: Math.max(0, quota - window.attempts),
        secondsLeft: Math.max(1, Math.ceil((window.endsAt - time) / 1000)),
      }
    },
  }
}
