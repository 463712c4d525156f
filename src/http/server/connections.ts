import { setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { toOverloadResponse } from '../request/raw-responses.ts'
import { createUsages, isThisMachine, type Usage } from './address-usage.ts'
import { createExchanges, type Exchange, type Exchanges } from './exchanges.ts'
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
  lastResponse?: string
}

/**
 * The open connections of a server. HTTP lets a client send requests before the first is answered, and Node reads them
 * all at once: they are begun one after the other's bytes have left, and a client with more than `maxPipelined` of them is
 * refused. Where an address, or the server, has all the connections it may have, a new one takes the place of the one that
 * has been idle for longest. A client that is refused is not waited for.
 */
export class Connections {
  readonly exchanges: Exchanges
  readonly #limits: ConnectionLimits
  readonly #connections = new Map<Socket, Connection>()
  readonly #refusals = createRefusals()
  /** Those that were opened beyond the limit. */
  readonly #forProbes = new WeakSet<Socket>()
  /** Those of clients without a request, the longest idle first. */
  readonly #idle = new Set<Socket>()
  readonly #usages = createUsages()
  #underWay = 0

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
    this.exchanges = createExchanges(this.#usages, (socket) => this.#reset(socket))
  }

  /** Requests of all connections whose responses have not left yet. */
  get underWay() {
    return this.#underWay
  }

  /** Knows a connection from its beginning to its end, or closes it. */
  open(socket: Socket): void {
    const { maxConnections, maxConnectionsPerAddress } = this.#limits
    const peer = this.#usages.of(socket.remoteAddress ?? '')
    const isProxy = this.#limits.isProxy(socket.remoteAddress ?? '') || isThisMachine(peer.network)
    if (!isProxy) peer.connections += 1
    if (peer.connections > maxConnectionsPerAddress && !this.#closeLongestIdle(peer.idle)) {
      peer.connections -= 1
      socket.destroy()
      return
    }
    if (this.#connections.size >= maxConnections && !this.#closeLongestIdle(this.#idle)) this.#forProbes.add(socket)
    const gone = new AbortController()
    const connection: Connection = { peer, isProxy, exchange: undefined, waiting: [], gone }
    // Every query of every request of a connection may listen.
    setMaxListeners(0, gone.signal)
    this.#connections.set(socket, connection)
    this.#setIdle(socket, connection)
    // A client may go at any moment, also when nobody listens any more.
    socket.on('error', () => undefined)
    // Node answers nobody who has ended the connection, and tells of its end before the work of a request begins.
    socket.once('end', () => gone.abort())
    socket.once('close', () => this.#forget(socket))
  }

  /** Hands requests on; those of a connection one after the other, and only up to a bound. */
  guard(handler: Handler): Handler {
    return (request, response) => {
      const { socket } = request
      const connection = this.#connections.get(socket)
      // What was already read along with a request that was refused.
      if (connection === undefined || connection.lastResponse !== undefined) return
      const { exchange, waiting } = connection
      if (exchange !== undefined && waiting.length + 1 >= this.#limits.maxPipelined) {
        stopParsing(socket)
        this.refuse(socket, toOverloadResponse(request))
        return
      }
      this.#underWay += 1
      if (exchange === undefined) this.#begin(connection, handler, request, response)
      else waiting.push(() => this.#begin(connection, handler, request, response))
    }
  }

  /** What has begun with a request; undefined where its client has gone, or it has no connection. */
  exchangeOf({ socket }: IncomingMessage): Exchange | undefined {
    return this.#connections.get(socket)?.exchange
  }

  /** Whether there are so many connections that the one of a request is for probes only. */
  isForProbes({ socket }: IncomingMessage): boolean {
    return this.#forProbes.has(socket)
  }

  /** Ends when the client of a request has gone; undefined where a request has no connection. */
  signalOf({ socket }: IncomingMessage): AbortSignal | undefined {
    return this.#connections.get(socket)?.gone.signal
  }

  /** Closes connections whose clients do not take their responses; to be called from time to time. */
  closeSlow(): void {
    const begun = [...this.#connections.values()].flatMap(({ exchange }) => exchange ?? [])
    for (const socket of findSlow(begun, performance.now())) this.#reset(socket)
  }

  /** Reads nothing more from a client, answers what it had asked before, gives a last answer and closes. */
  refuse(socket: Socket, bytes: string): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined || connection.lastResponse !== undefined) return
    connection.lastResponse = bytes
    socket.pause()
    if (connection.exchange === undefined) this.#refusals.finish(socket, bytes)
  }

  /** Closes the connections of all refused clients. */
  closeRefused(): void {
    this.#refusals.closeAll()
  }

  #setIdle(socket: Socket, { peer, isProxy }: Connection) {
    // It may be sending the next request of somebody else.
    if (isProxy) return
    this.#idle.add(socket)
    peer.idle.add(socket)
  }

  #closeLongestIdle([socket]: Set<Socket>) {
    if (socket === undefined) return false
    this.#forget(socket)
    socket.destroy()
    return true
  }

  /** The system would otherwise go on sending what it has taken. */
  #reset(socket: Socket) {
    this.#forget(socket)
    socket.resetAndDestroy()
  }

  #forget(socket: Socket) {
    const connection = this.#connections.get(socket)
    if (connection === undefined) return
    this.#connections.delete(socket)
    const { peer, isProxy, exchange } = connection
    this.#idle.delete(socket)
    peer.idle.delete(socket)
    if (!isProxy) peer.connections -= 1
    // Node does not tell of responses that waited for their turn.
    this.#dropWaiting(connection)
    if (exchange !== undefined) this.#end(connection, exchange)
    this.#usages.forgetUnused(peer)
    connection.gone.abort()
  }

  #begin(connection: Connection, handler: Handler, request: IncomingMessage, response: ServerResponse) {
    const { socket } = request
    this.#idle.delete(socket)
    connection.peer.idle.delete(socket)
    const exchange = this.exchanges.begin(socket, response, connection.peer)
    connection.exchange = exchange
    response.once('close', () => {
      if (connection.exchange !== exchange) return
      this.#end(connection, exchange)
      this.#goOn(socket, connection)
    })
    handler(request, response)
  }

  #end(connection: Connection, exchange: Exchange) {
    connection.exchange = undefined
    this.#underWay -= 1
    this.exchanges.end(exchange)
  }

  #dropWaiting({ waiting }: Connection) {
    this.#underWay -= waiting.length
    waiting.length = 0
  }

  /** The next request, the last answer or nothing. */
  #goOn(socket: Socket, connection: Connection) {
    const { waiting, lastResponse } = connection
    if (!socket.writable) this.#dropWaiting(connection)
    const next = waiting.shift()
    if (next !== undefined) next()
    else if (lastResponse === undefined) this.#setIdle(socket, connection)
    else if (!socket.destroyed) this.#refusals.finish(socket, lastResponse)
  }
}

/**
 * Has Node make no more requests of what it has read already: a thousand fit into one piece, and each costs as much as one
 * that is answered. The parser is Node's own; where it could not be stopped, only that cost would come back.
 */
function stopParsing(socket: Socket & { parser?: { pause?: () => void } | null }) {
  socket.parser?.pause?.()
}
