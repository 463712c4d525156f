import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'

const WINDOW_MS = 60_000

/** Addresses that are remembered at once: about two megabytes, whoever tries from however many. */
const MOST_ADDRESSES = 10_000

/** Counts failed attempts by client address; of IPv6 the network of 64 bits counts. */
export interface AttemptLimit {
  quota: number
  /** Counts one more; what is left of the minute that began with the first. */
  count(address: string): { isExceeded: boolean; remaining: number; secondsLeft: number }
}

/** At most `quota` failed attempts a minute for each client. Each process counts for itself. */
export function createAttemptLimit(quota: number, now: () => Date): AttemptLimit {
  const windows = new LRUCache<string, { attempts: number; endsAt: number }>({ max: MOST_ADDRESSES })
  return {
    quota,
    count(address) {
      const time = now().getTime()
      const client = toClient(address)
      const known = windows.get(client)
      const window = known !== undefined && time < known.endsAt ? known : { attempts: 0, endsAt: time + WINDOW_MS }
      window.attempts += 1
      windows.set(client, window)
      return {
        isExceeded: window.attempts > quota,
        remaining: Math.max(0, quota - window.attempts),
        secondsLeft: Math.max(1, Math.ceil((window.endsAt - time) / 1000)),
      }
    },
  }
}

/** Who has an IPv6 address usually has its whole /64; and an IPv4 address may be written as an IPv6 one. */
function toClient(address: string) {
  if (!ipaddr.IPv6.isValid(address)) return address
  const parsed = ipaddr.IPv6.parse(address)
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : parsed.parts.slice(0, 4).join(':')
}
