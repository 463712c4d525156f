import type { Usage } from './address-usage.ts'

/** Maximum number of large bodies held while they are sent. */
const MAX_BYTES = 96 * 1024 * 1024

/** An address to which so many are being sent gets no other response. */
export const MAX_BYTES_PER_ADDRESS = 32 * 1024 * 1024

/** In which a body is sent. */
interface Holder {
  client: Usage
  reset: () => void
}

interface SharedBody {
  bytes: Buffer
  exchanges: Set<Holder>
  /** When its latest transfer began, by `performance.now()`. */
  begunAt: number
}

export function createSharedBodies() {
  const shared = new Map<string, SharedBody>()
  let total = 0

  function closeMostCostly(now: number) {
    const costOf = ({ bytes, begunAt }: SharedBody) => bytes.length * (now - begunAt)
    const costly = [...shared.values()].reduce((one, other) => (costOf(other) > costOf(one) ? other : one))
    for (const exchange of costly.exchanges) exchange.reset()
  }

  return {
    /**
     * Holds a body until it is released, and returns the bytes to send: the buffer of an equal body, if one is being
     * sent already. If there are too many, it ends the exchanges in which the most expensive one is sent: its size times
     * the time since its latest transfer began.
     */
    share(key: string, bytes: Buffer, exchange: Holder) {
      const { client } = exchange
      const now = performance.now()
      let body = shared.get(key)
      if (body === undefined) {
        while (shared.size > 0 && total + bytes.length > MAX_BYTES) closeMostCostly(now)
        body = { bytes, exchanges: new Set(), begunAt: now }
        shared.set(key, body)
        total += bytes.length
      }
      body.begunAt = now
      body.exchanges.add(exchange)
      const count = client.bodies.get(key) ?? 0
      if (count === 0) client.bodyBytes += bytes.length
      client.bodies.set(key, count + 1)
      return body.bytes
    },

    release(key: string, exchange: Holder) {
      const body = shared.get(key)
      if (body === undefined || !body.exchanges.delete(exchange)) return
      const { client } = exchange
      if (body.exchanges.size === 0) {
        shared.delete(key)
        total -= body.bytes.length
      }
      const count = client.bodies.get(key) ?? 0
      if (count > 1) client.bodies.set(key, count - 1)
      else if (client.bodies.delete(key)) client.bodyBytes -= body.bytes.length
    },
  }
}
