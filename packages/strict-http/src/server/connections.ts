import { setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { RawResponses } from '../request/raw-responses.ts'
import { createUsages, isThisMachine, type Usage } from './address-usage.ts'
import { type ConnectionExchange, createExchanges, type Exchange, type Exchanges } from './exchanges.ts'
import { createRejectedConnections } from './rejected-connections.ts'
import { findSlow } from './slow-responses.ts'

/** Connections beyond the limit, on which only probes are answered. */
export const PROBE_CONNECTIONS = 16

type Handler = (request: IncomingMessage, response: ServerResponse) => void

export interface ConnectionLimits {
  maxConnections: number
  maxConnectionsPerAddress: number
  maxPipelined: number
  /** Whether an address belongs to a proxy, whose connections carry many clients. */
  isProxy: (address: string) => boolean
  responses: RawResponses
}

interface Connection {
  /** The client of its requests, unless a proxy names another. */
  peer: Usage
  /** Whether it counts towards the limit of its address. */
  isProxy: boolean
  exchange: ConnectionExchange | undefined
  /** Starts each pipelined request after the previous response has been sent. */
  waiting: (() => void)[]
  gone: AbortController
  /** The last response before the connection is closed, sent after all requests are answered. */
  lastResponse?: string
}

/** For whom the service makes a request itself. */
interface InsideClient {
  /** The address of the client. */
  address: string
  /** Aborts when the client no longer waits. */
  signal: AbortSignal
}

/**
 * The open connections of a server. Clients may pipeline requests, and Node.js reads all of them at once: here each
 * starts after the response before it has been sent, and a client with more than `maxPipelined` of them is refused.
 * When an address, or the server, has reached its limit of connections, a new connection replaces the one that has been
 * idle longest. The service does not wait for clients that it refuses.
 */
export class Connections {
  readonly exchanges: Exchanges
  readonly #limits: ConnectionLimits
  readonly #connections = new Map<Socket, Connection>()
  readonly #rejected = createRejectedConnections()
  /** Connections beyond the limit. */
  readonly #forProbes = new WeakSet<Socket>()
  /** Connections of clients without a request; the longest idle one first. */
  readonly #idle = new Set<Socket>()
  readonly #usages = createUsages()
  /** Requests that the service makes itself. */
  readonly #inside = new WeakMap<IncomingMessage, { exchange: Exchange; signal: AbortSignal }>()
  #underWay = 0

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
    this.exchanges = createExchanges(this.#usages)
  }

  /** Requests of all connections whose responses have not been sent yet. */
  get underWay() {
    return this.#underWay
  }

  /** Tracks the connection from start to end, or closes it. */
  open(socket: Socket): void {
    const { maxConnections, maxConnectionsPerAddress } = this.#limits
    const peer = this.#usages.of(socket.remoteAddress ?? '')
    const isProxy = this.#limits.isProxy(socket.remoteAddress ?? '') || isThisMachine(peer.network)
    if (!isProxy) peer.connections += 1
    if (peer.connections > maxConnectionsPerAddress && !this.#closeLongestIdle(peer.idle)) {
      peer.connections -= 1
      this.#usages.release(peer)
      return void socket.destroy()
    }
    if (this.#connections.size >= maxConnections && !this.#closeLongestIdle(this.#idle)) this.#forProbes.add(socket)
    const connection: Connection = { peer, isProxy, exchange: undefined, waiting: [], gone: new AbortController() }
    // Each query of each request on the connection may add a listener.
    setMaxListeners(0, connection.gone.signal)
    this.#connections.set(socket, connection)
    this.#setIdle(socket, connection)
    // A client may disconnect at any moment, also after all other listeners are gone.
    socket.on('error', () => undefined)
    // Node.js does not answer a client that has ended its side, and reports that before the request starts.
    socket.once('end', () => connection.gone.abort())
    socket.once('close', () => this.#remove(socket))
  }

  /** Hands over requests; those of one connection one after the other, up to a limit. */
  guard(handler: Handler): Handler {
    return (request, response) => {
      const { socket } = request
      const connection = this.#connections.get(socket)
      // These were read together with a request that was refused.
      if (connection === undefined || connection.lastResponse !== undefined) return
      const { exchange, waiting } = connection
      if (exchange !== undefined && waiting.length + 1 >= this.#limits.maxPipelined) {
        stopParsing(socket)
        this.reject(socket, this.#limits.responses.toOverload(request))
        return
      }
      this.#underWay += 1
      if (exchange === undefined) this.#begin(connection, handler, request, response)
      else waiting.push(() => this.#begin(connection, handler, request, response))
    }
  }

  /** The exchange that started with a request; undefined if its client has disconnected or it has no connection. */
  exchangeOf(request: IncomingMessage): Exchange | undefined {
    return (this.#connections.get(request.socket) ?? this.#inside.get(request))?.exchange
  }

  /** Whether there are so many connections that this one only serves probes. */
  isForProbes({ socket }: IncomingMessage): boolean {
    return this.#forProbes.has(socket)
  }

  /** Aborts when the client of a request disconnects; undefined if the request has no connection. */
  signalOf(request: IncomingMessage): AbortSignal | undefined {
    return this.#connections.get(request.socket)?.gone.signal ?? this.#inside.get(request)?.signal
  }

  /**
   * Has the service make a request itself, for the client of another one. It counts like a request that the client sends,
   * from its start until `send` is done with the response, and it ends with the client.
   * @param send calls its first parameter with the request as it begins; the signal aborts when it has to end.
   */
  async requestInside<Outcome>(
    { address, signal }: InsideClient,
    send: (begin: (request: IncomingMessage) => void, signal: AbortSignal) => Promise<Outcome>,
  ): Promise<Outcome> {
    const left = new AbortController()
    let isOver = false
    const end = () => {
      if (!isOver) this.exchanges.end(exchange)
      isOver = true
      left.abort()
    }
    const leave = () => left.abort(signal.reason)
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    const client = this.#usages.of(address)
    const exchange = this.exchanges.begin(client, end)
    this.#usages.release(client)
    const inside = { exchange, signal: left.signal }
    const begin = (request: IncomingMessage) => {
      this.#inside.set(request, inside)
      // As if the client had disconnected.
      inside.signal.addEventListener('abort', () => request.destroy(), { once: true })
      if (inside.signal.aborted) request.destroy()
    }
    try {
      return await send(begin, inside.signal)
    } finally {
      signal.removeEventListener('abort', leave)
      end()
    }
  }

  /** Closes connections whose clients do not read their responses. Call it periodically. */
  closeSlow(): void {
    const begun = [...this.#connections.values()].flatMap(({ exchange }) => exchange ?? [])
    for (const socket of findSlow(begun, performance.now())) this.#reset(socket)
  }

  /** Stops reading from a client, answers its earlier requests, sends a last response and closes. */
  reject(socket: Socket, bytes: string): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined || connection.lastResponse !== undefined) return
    connection.lastResponse = bytes
    socket.pause()
    const { exchange } = connection
    if (exchange === undefined || lacksBody(exchange)) this.#rejected.finish(socket, bytes)
  }

  /** Closes the connections of all refused clients. */
  closeRejected(): void {
    this.#rejected.closeAll()
  }

  #setIdle(socket: Socket, { peer, isProxy }: Connection) {
    // The connection may be sending the next request of another client.
    if (isProxy) return
    this.#idle.add(socket)
    peer.idle.add(socket)
  }

  #closeLongestIdle([socket]: Set<Socket>) {
    if (socket === undefined) return false
    this.#remove(socket)
    socket.destroy()
    return true
  }

  /** Otherwise the system would go on sending what it has buffered. */
  #reset(socket: Socket) {
    this.#remove(socket)
    socket.resetAndDestroy()
  }

  #remove(socket: Socket) {
    const connection = this.#connections.get(socket)
    if (connection === undefined) return
    this.#connections.delete(socket)
    const { peer, isProxy, exchange } = connection
    this.#idle.delete(socket)
    peer.idle.delete(socket)
    if (!isProxy) peer.connections -= 1
    // Node.js does not report responses that were waiting for their turn.
    this.#dropWaiting(connection)
    if (exchange !== undefined) this.#end(connection, exchange)
    this.#usages.release(peer)
    connection.gone.abort()
  }

  #begin(connection: Connection, handler: Handler, request: IncomingMessage, response: ServerResponse) {
    const { socket } = request
    this.#idle.delete(socket)
    connection.peer.idle.delete(socket)
    const begun = this.exchanges.begin(connection.peer, () => this.#reset(socket))
    const exchange = Object.assign(begun, { socket, response })
    connection.exchange = exchange
    response.once('close', () => {
      if (connection.exchange !== exchange) return
      this.#end(connection, exchange)
      this.#goOn(socket, connection)
    })
    handler(request, response)
  }

  #end(connection: Connection, exchange: ConnectionExchange) {
    connection.exchange = undefined
    this.#underWay -= 1
    this.exchanges.end(exchange)
  }

  #dropWaiting({ waiting }: Connection) {
    this.#underWay -= waiting.length
    waiting.length = 0
  }

  /** The next request, the last response, or nothing. */
  #goOn(socket: Socket, connection: Connection) {
    const { waiting, lastResponse } = connection
    if (!socket.writable) this.#dropWaiting(connection)
    const next = waiting.shift()
    if (next !== undefined) next()
    else if (lastResponse === undefined) this.#setIdle(socket, connection)
    else if (!socket.destroyed) this.#rejected.finish(socket, lastResponse)
  }
}

/** Whether a request waits for the rest of its body, without which it has no other response. */
const lacksBody = ({ response }: ConnectionExchange) => !response.req.complete && !response.headersSent

/**
 * Stops Node.js from parsing more requests out of data it has already read: one piece can hold a thousand, and each
 * costs as much as a request that is answered. This uses the parser of Node.js itself; if it cannot be stopped, only
 * that cost comes back.
 */
function stopParsing(socket: Socket & { parser?: { pause?: () => void } | null }) {
  socket.parser?.pause?.()
}
