import { setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createUsages, isThisMachine, type Usage } from './address-usage.ts'
import { createExchanges, type Exchange, type Exchanges } from './exchanges.ts'
import { toOverloadAnswer } from './raw-answers.ts'
import { createRefusals } from './refusals.ts'
import { findSlow } from './slow-responses.ts'

/** Connections beyond the limit, on which only probes are answered. */
export const PROBE_CONNECTIONS = 16

type Handler = (request: IncomingMessage, response: ServerResponse) => void

export interface ConnectionLimits {
  maxConnections: number
  maxConnectionsPerAddress: number
  maxPipelined: number
  /** Whether an address is that of a proxy, whose connections are those of many clients. */
  isProxy: (address: string) => boolean
}

interface Connection {
  /** Whom its requests are of, unless a proxy says otherwise. */
  peer: Usage
  /** Whether it counts for its address. */
  isProxy: boolean
  exchange: Exchange | undefined
  /** Begins each request that came before the response to another had left. */
  waiting: (() => void)[]
  gone: AbortController
  /** What is still to be said before the connection is closed, once all requests are answered. */
  lastAnswer?: string
}

export interface Connections {
  /** Requests of all connections whose responses have not left yet. */
  readonly underWay: number
  readonly exchanges: Exchanges
  /** Knows a connection from its beginning to its end, or closes it. */
  open(socket: Socket): void
  /** Hands requests on; those of a connection one after the other, and only up to a bound. */
  guard(handler: Handler): Handler
  /** What has begun with a request; undefined where its client has gone, or it has no connection. */
  exchangeOf(request: IncomingMessage): Exchange | undefined
  /** Whether there are so many connections that the one of a request is for probes only. */
  isForProbes(request: IncomingMessage): boolean
  /** Closes connections whose clients do not take their responses; to be called from time to time. */
  closeSlow(): void
  /** Reads nothing more from a client, answers what it had asked before, gives a last answer and closes. */
  refuse(socket: Socket, answer: string): void
  /** Ends when the client of a request has gone; undefined where a request has no connection. */
  signalOf(request: IncomingMessage): AbortSignal | undefined
  /** Closes the connections of all refused clients. */
  closeRefused(): void
}

/**
 * The open connections of a server. HTTP lets a client send requests before the first is answered, and Node reads them
 * all at once: they are begun one after the other's bytes have left, and a client with more than `maxPipelined` of them is
 * refused. Where an address, or the server, has all the connections it may have, a new one takes the place of the one that
 * has been idle for longest. A client that is refused is not waited for.
 */
export function createConnections(limits: ConnectionLimits): Connections {
  const connections = new Map<Socket, Connection>()
  const refusals = createRefusals()
  /** Those that were opened beyond the limit. */
  const forProbes = new WeakSet<Socket>()
  /** Those of clients without a request, the longest idle first. */
  const idle = new Set<Socket>()
  const usages = createUsages()
  const exchanges = createExchanges(usages, reset)
  let underWay = 0

  function setIdle(socket: Socket, { peer, isProxy }: Connection) {
    // It may be sending the next request of somebody else.
    if (isProxy) return
    idle.add(socket)
    peer.idle.add(socket)
  }

  function closeLongestIdle([socket]: Set<Socket>) {
    if (socket !== undefined) close(socket)
    return socket !== undefined
  }

  function close(socket: Socket) {
    forget(socket)
    socket.destroy()
  }

  /** The system would otherwise go on sending what it has taken. */
  function reset(socket: Socket) {
    forget(socket)
    socket.resetAndDestroy()
  }

  function forget(socket: Socket) {
    const connection = connections.get(socket)
    if (connection === undefined) return
    connections.delete(socket)
    const { peer, isProxy, exchange } = connection
    idle.delete(socket)
    peer.idle.delete(socket)
    if (!isProxy) peer.connections -= 1
    // Node does not tell of responses that waited for their turn.
    dropWaiting(connection)
    if (exchange !== undefined) end(connection, exchange)
    usages.forgetUnused(peer)
    connection.gone.abort()
  }

  function begin(connection: Connection, handler: Handler, request: IncomingMessage, response: ServerResponse) {
    const { socket } = request
    idle.delete(socket)
    connection.peer.idle.delete(socket)
    const exchange = exchanges.begin(socket, response, connection.peer)
    connection.exchange = exchange
    response.once('close', () => {
      if (connection.exchange !== exchange) return
      end(connection, exchange)
      goOn(socket, connection)
    })
    handler(request, response)
  }

  function end(connection: Connection, exchange: Exchange) {
    connection.exchange = undefined
    underWay -= 1
    exchanges.end(exchange)
  }

  function dropWaiting({ waiting }: Connection) {
    underWay -= waiting.length
    waiting.length = 0
  }

  /** The next request, the last answer or nothing. */
  function goOn(socket: Socket, connection: Connection) {
    const { waiting, lastAnswer } = connection
    if (!socket.writable) dropWaiting(connection)
    const next = waiting.shift()
    if (next !== undefined) next()
    else if (lastAnswer === undefined) setIdle(socket, connection)
    else if (!socket.destroyed) refusals.finish(socket, lastAnswer)
  }

  function refuse(socket: Socket, answer: string) {
    const connection = connections.get(socket)
    if (connection === undefined || connection.lastAnswer !== undefined) return
    connection.lastAnswer = answer
    socket.pause()
    if (connection.exchange === undefined) refusals.finish(socket, answer)
  }

  return {
    get underWay() {
      return underWay
    },

    exchanges,

    open(socket) {
      const address = socket.remoteAddress ?? ''
      const peer = usages.of(address)
      const isProxy = limits.isProxy(address) || isThisMachine(peer.network)
      if (!isProxy) peer.connections += 1
      if (peer.connections > limits.maxConnectionsPerAddress && !closeLongestIdle(peer.idle)) {
        peer.connections -= 1
        socket.destroy()
        return
      }
      if (connections.size >= limits.maxConnections && !closeLongestIdle(idle)) forProbes.add(socket)
      const gone = new AbortController()
      const connection: Connection = { peer, isProxy, exchange: undefined, waiting: [], gone }
      // Every query of every request of a connection may listen.
      setMaxListeners(0, gone.signal)
      connections.set(socket, connection)
      setIdle(socket, connection)
      // A client may go at any moment, also when nobody listens any more.
      socket.on('error', () => undefined)
      // Node answers nobody who has ended the connection, and tells of its end before the work of a request begins.
      socket.once('end', () => gone.abort())
      socket.once('close', () => forget(socket))
    },

    guard: (handler) => (request, response) => {
      const { socket } = request
      const connection = connections.get(socket)
      // What was already read along with a request that was refused.
      if (connection === undefined || connection.lastAnswer !== undefined) return
      const { exchange, waiting } = connection
      if (exchange !== undefined && waiting.length + 1 >= limits.maxPipelined) {
        stopParsing(socket)
        refuse(socket, toOverloadAnswer())
        return
      }
      underWay += 1
      if (exchange === undefined) begin(connection, handler, request, response)
      else waiting.push(() => begin(connection, handler, request, response))
    },

    exchangeOf: ({ socket }) => connections.get(socket)?.exchange,

    isForProbes: ({ socket }) => forProbes.has(socket),

    closeSlow() {
      const begun = [...connections.values()].flatMap(({ exchange }) => exchange ?? [])
      for (const socket of findSlow(begun, performance.now())) reset(socket)
    },

    refuse,

    signalOf: ({ socket }) => connections.get(socket)?.gone.signal,

    closeRefused: refusals.closeAll,
  }
}

/**
 * Has Node make no more requests of what it has read already: a thousand fit into one piece, and each costs as much as one
 * that is answered. The parser is Node's own; where it could not be stopped, only that cost would come back.
 */
function stopParsing(socket: Socket & { parser?: { pause?: () => void } | null }) {
  socket.parser?.pause?.()
}
