import { setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { toOverloadAnswer } from './raw-answers.ts'

/** How long a refused client may take to read its answer. */
const REFUSAL_MS = 1000

type Handler = (request: IncomingMessage, response: ServerResponse) => void

interface Connection {
  /** Requests of this connection that are not answered yet. */
  underWay: number
  gone: AbortController
  /** What is still to be said before the connection is closed, once all requests are answered. */
  lastAnswer?: string
}

export interface Connections {
  /** Requests of all connections that are not answered yet. */
  readonly underWay: number
  /** Knows a connection from its beginning to its end. */
  open(socket: Socket): void
  /** Hands requests on; those of one connection only up to a bound. */
  guard(handler: Handler): Handler
  /** Reads nothing more from a client, answers what it had asked before, gives a last answer and closes. */
  refuse(socket: Socket, answer: string): void
  /** Ends when the client of a request has gone; undefined where a request has no connection. */
  signalOf(request: IncomingMessage): AbortSignal | undefined
  /** Closes the connections of all refused clients. */
  closeRefused(): void
}

/**
 * The open connections of a server. HTTP lets a client send requests before the first is answered, and Node reads them
 * all at once: a client with more than `mostPipelined` of them is refused. A client that is refused is not waited for.
 */
export function createConnections(mostPipelined: number): Connections {
  const connections = new Map<Socket, Connection>()
  const refused = new Set<Socket>()
  let underWay = 0

  function finishRefusal(socket: Socket, answer: string) {
    refused.add(socket)
    socket.once('close', () => refused.delete(socket))
    socket.end(answer)
    // What it has sent in vain would make the system take the answer back, were the connection closed at once.
    setTimeout(() => socket.destroy(), REFUSAL_MS).unref()
  }

  function refuse(socket: Socket, answer: string) {
    const connection = connections.get(socket)
    if (connection === undefined || connection.lastAnswer !== undefined) return
    connection.lastAnswer = answer
    socket.pause()
    if (connection.underWay === 0) finishRefusal(socket, answer)
  }

  return {
    get underWay() {
      return underWay
    },

    open(socket) {
      const connection: Connection = { underWay: 0, gone: new AbortController() }
      // Every query of every request of a connection may listen.
      setMaxListeners(0, connection.gone.signal)
      connections.set(socket, connection)
      // A client may go at any moment, also when nobody listens any more.
      socket.on('error', () => undefined)
      // Node answers nobody who has ended the connection, and tells of its end before the work of a request begins.
      socket.once('end', () => connection.gone.abort())
      socket.once('close', () => {
        connections.delete(socket)
        // Node does not tell of answers that waited for their turn.
        underWay -= connection.underWay
        connection.underWay = 0
        connection.gone.abort()
      })
    },

    guard: (handler) => (request, response) => {
      const { socket } = request
      const connection = connections.get(socket)
      // What was already read along with a request that was refused.
      if (connection === undefined || connection.lastAnswer !== undefined) return
      if (connection.underWay >= mostPipelined) {
        stopParsing(socket)
        refuse(socket, toOverloadAnswer())
        return
      }
      connection.underWay += 1
      underWay += 1
      response.once('close', () => {
        if (connection.underWay === 0) return
        connection.underWay -= 1
        underWay -= 1
        const { lastAnswer } = connection
        if (lastAnswer !== undefined && connection.underWay === 0 && !socket.destroyed) {
          finishRefusal(socket, lastAnswer)
        }
      })
      handler(request, response)
    },

    refuse,

    signalOf: ({ socket }) => connections.get(socket)?.gone.signal,

    closeRefused() {
      for (const socket of refused) socket.destroy()
    },
  }
}

/**
 * Has Node make no more requests of what it has read already: a thousand fit into one piece, and each costs as much as one
 * that is answered. The parser is Node's own; where it could not be stopped, only that cost would come back.
 */
function stopParsing(socket: Socket & { parser?: { pause?: () => void } | null }) {
  socket.parser?.pause?.()
}
