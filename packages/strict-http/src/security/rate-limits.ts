import type { FastifyInstance, FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'
import { TooManyRequestsError } from '../request/errors/errors.ts'
import { clientAddressOf, networksOf } from './client-addresses.ts'

const WINDOW_MS = 60_000

/** Maximum number of networks that each limit remembers: about two megabytes, however many clients there are. */
const MAX_NETWORKS = 10_000

/** Several households, or a careless one, may share the network around a client's own. */
const AROUND_FACTOR = 4

/** The rest of a client's limit. */
export interface Rate {
  isExceeded: boolean
  remaining: number
  secondsLeft: number
}

/** The subject of a limit, and its name for clients and metrics. */
export type RateName = 'requests' | 'failed-attempts'

/**
 * Counts one more of a client, or takes one back with `-1`; what is left to it of the minute that began with its first, if
 * there may be `quota`.
 */
export type CountClient = (name: RateName, quota: number, address: string, change?: 1 | -1) => Rate

/**
 * Counts by client what is limited for each minute. A client is an IPv4 address, or the /64 of an IPv6 one; the /56
 * around it has four times the limit, and what one of the two refuses counts for neither. If there are more clients than are remembered, those idle longest start over.
 */
export function createClientCounts(now: () => Date): CountClient {
  const createWindows = () => new LRUCache<string, { count: number; endsAt: number }>({ max: MAX_NETWORKS })
  const windows = { requests: createWindows(), 'failed-attempts': createWindows() }

  function countIn(name: RateName, network: string, max: number, change: 1 | -1): Rate {
    const time = now().getTime()
    let window = windows[name].get(network)
    if (window === undefined || time >= window.endsAt) {
      window = { count: 0, endsAt: time + WINDOW_MS }
      windows[name].set(network, window)
    }
    // What is refused does not count, and the minute that a request began in may be over.
    const isExceeded = change === 1 && window.count >= max
    if (!isExceeded) window.count = Math.max(0, window.count + change)
    return {
      isExceeded,
      remaining: Math.max(0, max - window.count),
      secondsLeft: Math.max(1, Math.ceil((window.endsAt - time) / 1000)),
    }
  }

  return (name, quota, address, change = 1) => {
    const [own, around] = networksOf(address)
    const counted = countIn(name, own, quota, change)
    if (around === undefined || counted.isExceeded) return counted
    const countedAround = countIn(name, around, quota * AROUND_FACTOR, change)
    if (countedAround.isExceeded) countIn(name, own, quota, -1)
    const isAroundLess = countedAround.remaining < counted.remaining || countedAround.isExceeded
    return isAroundLess ? countedAround : counted
  }
}

/** At most `quota` a minute for each client. */
export interface RateLimit {
  name: RateName
  quota: number
  count(address: string): Rate
  /** What is left to a client of whose requests one does not count after all. */
  refund(address: string): Rate
}

export const createRateLimit = (
  name: RateName,
  quota: number,
  countClient: CountClient,
  beyondLimit: Record<RateName, number>,
): RateLimit => ({
  name,
  quota,
  count(address) {
    const rate = countClient(name, quota, address)
    if (rate.isExceeded) beyondLimit[name] += 1
    return rate
  },
  refund: (address) => countClient(name, quota, address, -1),
})

/** Adds the state of a limit to the response headers; with `Retry-After` if nothing is left. */
export function setRateHeaders(reply: FastifyReply, limit: RateLimit, { isExceeded, remaining, secondsLeft }: Rate) {
  const present = reply.getHeader('ratelimit')
  const rate = `"${limit.name}";r=${remaining};t=${secondsLeft}`
  const policy = `"${limit.name}";q=${limit.quota};w=${WINDOW_MS / 1000}`
  void reply.headers({
    ratelimit: present === undefined ? rate : `${present}, ${rate}`,
    'ratelimit-policy': present === undefined ? policy : `${reply.getHeader('ratelimit-policy')}, ${policy}`,
  })
  if (isExceeded) void reply.header('retry-after', secondsLeft)
}

/**
 * Rejects requests for a scope's routes beyond a limit, before their handlers begin. A 304 does not count, because it
 * costs next to nothing.
 */
export function enforceRateLimit(scope: FastifyInstance, limit: RateLimit) {
  scope.addHook('onRequest', (request, reply, done) => {
    const rate = limit.count(clientAddressOf(request))
    setRateHeaders(reply, limit, rate)
    done(rate.isExceeded ? new TooManyRequestsError(rate.secondsLeft) : undefined)
  })
  scope.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode === 304) {
      void reply.removeHeader('ratelimit')
      void reply.removeHeader('ratelimit-policy')
      setRateHeaders(reply, limit, limit.refund(clientAddressOf(request)))
    }
    done(null, payload)
  })
}
