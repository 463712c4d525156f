import { LRUCache } from 'lru-cache'
import { networksOf } from './client-addresses.ts'

const WINDOW_MS = 60_000

/** Networks that are remembered at once: about two megabytes, whoever tries from however many. */
const MOST_NETWORKS = 10_000

/** Several households, or a careless one, may share the network around a client's own. */
const AROUND_FACTOR = 4

/** Counts failed attempts by client. */
export interface AttemptLimit {
  quota: number
  /** Counts one more; what is left of the minute that began with the first. */
  count(address: string): { isExceeded: boolean; remaining: number; secondsLeft: number }
}

/**
 * At most `quota` failed attempts a minute for each client: an IPv4 address, or the /64 of an IPv6 one; the /56 around it
 * has four times as many. Each process counts for itself.
 */
export function createAttemptLimit(quota: number, now: () => Date): AttemptLimit {
  const windows = new LRUCache<string, { attempts: number; endsAt: number }>({ max: MOST_NETWORKS })

  function countIn(network: string, most: number) {
    const time = now().getTime()
    const known = windows.get(network)
    const window = known !== undefined && time < known.endsAt ? known : { attempts: 0, endsAt: time + WINDOW_MS }
    window.attempts += 1
    windows.set(network, window)
    return {
      isExceeded: window.attempts > most,
      remaining: Math.max(0, most - window.attempts),
      secondsLeft: Math.max(1, Math.ceil((window.endsAt - time) / 1000)),
    }
  }

  return {
    quota,
    count(address) {
      const [own, around] = networksOf(address)
      const counted = countIn(own, quota)
      if (around === undefined) return counted
      const countedAround = countIn(around, quota * AROUND_FACTOR)
      return countedAround.remaining < counted.remaining || countedAround.isExceeded ? countedAround : counted
    },
  }
}
