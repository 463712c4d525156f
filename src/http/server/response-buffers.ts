import type { Socket } from 'node:net'
import type { Usage } from './address-usage.ts'

/** Maximum number of large bodies held while they are sent. */
const MAX_BYTES = 96 * 1024 * 1024

/** An address to which so many are being sent gets no other response. */
export const MAX_BYTES_PER_ADDRESS = 32 * 1024 * 1024

interface SharedBody {
  bytes: Buffer
  sockets: Set<Socket>
  /** When its latest transfer began, by `performance.now()`. */
  begunAt: number
}

export function createSharedBodies(close: (socket: Socket) => void) {
  const shared = new Map<string, SharedBody>()
  let total = 0

  function closeMostCostly(now: number) {
    const costOf = ({ bytes, begunAt }: SharedBody) => bytes.length * (now - begunAt)
    const costly = [...shared.values()].reduce((one, other) => (costOf(other) > costOf(one) ? other : one))
    for (const socket of costly.sockets) close(socket)
  }

  return {
    /**
     * Holds a body until it is released, and returns the bytes to send: the buffer of an equal body, if one is being
     * sent already. If there are too many, it closes the connections on which the most expensive one is sent: its size
     * times the time since its latest transfer began.
     */
    share(key: string, bytes: Buffer, socket: Socket, client: Usage) {
      const now = performance.now()
      let body = shared.get(key)
      if (body === undefined) {
        while (shared.size > 0 && total + bytes.length > MAX_BYTES) closeMostCostly(now)
        body = { bytes, sockets: new Set(), begunAt: now }
        shared.set(key, body)
        total += bytes.length
      }
      body.begunAt = now
      body.sockets.add(socket)
      const count = client.bodies.get(key) ?? 0
      if (count === 0) client.bodyBytes += bytes.length
      client.bodies.set(key, count + 1)
      return body.bytes
    },

    release(key: string, socket: Socket, client: Usage) {
      const body = shared.get(key)
      if (body === undefined || !body.sockets.delete(socket)) return
      if (body.sockets.size === 0) {
        shared.delete(key)
        total -= body.bytes.length
      }
      const count = client.bodies.get(key) ?? 0
      if (count > 1) client.bodies.set(key, count - 1)
      else if (client.bodies.delete(key)) client.bodyBytes -= body.bytes.length
    },
  }
}
