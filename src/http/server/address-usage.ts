import type { Socket } from 'node:net'
import { networksOf } from '../security/client-addresses.ts'

/** A smaller share would refuse browsers, which open several connections, and load tests of developers. */
const MIN_SHARE = 64

/** How much of a limit one address may use: a part of it, but all of a small one. */
export const shareOf = (limit: number, percent: number) =>
  Math.min(limit, Math.max(MIN_SHARE, Math.ceil((limit * percent) / 100)))

/**
 * Clients of this machine are often many: a proxy in front that is not named, or a load test. They have all of the
 * requests under way.
 */
export const isThisMachine = (network: string) => network === '127.0.0.1' || network === '0:0:0:0/64'

/** What an address uses of the service at this moment. */
export interface Usage {
  /** The IPv4 address, or the /64 of an IPv6 one. */
  network: string
  connections: number
  /** Connections without a request, the longest idle first. */
  idle: Set<Socket>
  /** Requests whose responses are being made. */
  making: number
  /** Large bodies that are being sent: on how many connections each, by their keys. */
  bodies: Map<string, number>
  bodyBytes: number
}

export interface Usages {
  of(address: string): Usage
  /** To be called when something has ended: what an address no longer uses takes no memory. */
  forgetUnused(usage: Usage): void
}

export function createUsages(): Usages {
  const usages = new Map<string, Usage>()
  return {
    of(address) {
      const [network] = networksOf(address)
      let usage = usages.get(network)
      if (usage === undefined) {
        usage = { network, connections: 0, idle: new Set(), making: 0, bodies: new Map(), bodyBytes: 0 }
        usages.set(network, usage)
      }
      return usage
    },

    forgetUnused({ network, connections, making, bodies }) {
      if (connections === 0 && making === 0 && bodies.size === 0) usages.delete(network)
    },
  }
}
