import type { Socket } from 'node:net'
import { networksOf } from '../security/client-addresses.ts'

/**
 * The minimum share. A smaller one would refuse browsers, which open several connections, and developers' load tests.
 */
const MIN_SHARE = 64

/** The part of a limit that one address may use; all of a small limit. */
export const shareOf = (limit: number, percent: number) =>
  Math.min(limit, Math.max(MIN_SHARE, Math.ceil((limit * percent) / 100)))

/**
 * Requests from this machine often come from many clients: through a proxy that is not configured, or from a load test.
 * So they may use all of the limit on requests.
 */
export const isThisMachine = (network: string) => network === '127.0.0.1' || network === '0:0:0:0/64'

/** What one address uses of the service now. */
export interface Usage {
  /** The IPv4 address, or the /64 of an IPv6 one. */
  network: string
  /** Connections and requests that refer to it. */
  holders: number
  /** Connections that count towards the limit of the address. */
  connections: number
  /** Connections without a request; the longest idle one first. */
  idle: Set<Socket>
  /** Requests whose responses are being made. */
  rendering: number
  /** Large bodies being sent: the number of connections for each, by body key. */
  bodies: Map<string, number>
  bodyBytes: number
}

export type Usages = ReturnType<typeof createUsages>

/** What addresses use; one that uses nothing takes no memory. */
export function createUsages() {
  const usages = new Map<string, Usage>()
  return {
    /** For one more holder. */
    of(address: string) {
      const [network] = networksOf(address)
      let usage = usages.get(network)
      if (usage === undefined) {
        usage = { network, holders: 0, connections: 0, idle: new Set(), rendering: 0, bodies: new Map(), bodyBytes: 0 }
        usages.set(network, usage)
      }
      usage.holders += 1
      return usage
    },

    /** A holder has ended. */
    release(usage: Usage) {
      usage.holders -= 1
      if (usage.holders === 0) usages.delete(usage.network)
    },
  }
}
