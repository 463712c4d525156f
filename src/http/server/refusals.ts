import type { Socket } from 'node:net'

/** How long a refused client may take to read the last response. */
const REFUSAL_MS = 1000

/** Connections of refused clients: each gets a last response, and the service does not wait for it. */
export function createRefusals() {
  const refused = new Set<Socket>()
  return {
    finish(socket: Socket, response: string) {
      refused.add(socket)
      socket.once('close', () => refused.delete(socket))
      socket.end(response)
      // Unread request bytes would make the system discard the response if the connection were closed at once.
      setTimeout(() => socket.destroy(), REFUSAL_MS).unref()
    },

    closeAll() {
      for (const socket of refused) socket.destroy()
    },
  }
}
