import type { Socket } from 'node:net'

/** How long a refused client may take to read its answer. */
const REFUSAL_MS = 1000

/** Connections whose clients are refused: each has a last answer, and is not waited for. */
export function createRefusals() {
  const refused = new Set<Socket>()
  return {
    finish(socket: Socket, response: string) {
      refused.add(socket)
      socket.once('close', () => refused.delete(socket))
      socket.end(response)
      // What it has sent without success would make the system take the response back, were the connection closed at once.
      setTimeout(() => socket.destroy(), REFUSAL_MS).unref()
    },

    closeAll() {
      for (const socket of refused) socket.destroy()
    },
  }
}
