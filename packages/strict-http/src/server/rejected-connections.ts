import type { Socket } from 'node:net'

/** How long a refused client may take to read the last response. */
const LAST_RESPONSE_MS = 1000

/** Connections of refused clients: each gets a last response, and the service does not wait for it. */
export function createRejectedConnections() {
  const rejected = new Set<Socket>()
  return {
    finish(socket: Socket, response: string) {
      rejected.add(socket)
      socket.once('close', () => rejected.delete(socket))
      socket.end(response)
      // Unread request bytes would make the system discard the response if the connection were closed at once.
      setTimeout(() => socket.destroy(), LAST_RESPONSE_MS).unref()
    },

    closeAll() {
      for (const socket of rejected) socket.destroy()
    },
  }
}
