import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { toTunnelResponse, toUnreadableResponse } from '../request/raw-responses.ts'
import { MAX_HEADER_BYTES } from '../request/routing.ts'
import { type Connections, PROBE_CONNECTIONS } from './connections.ts'

export interface ServerLimits {
  maxConnections: number
  /** Longest time in which a client neither sends nor takes anything while it is answered. */
  silenceMs: number
}

/** The server below Fastify: its limits, and answers in our words to what Node would answer by itself. */
export function createHttpServer(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  connections: Connections,
  { maxConnections, silenceMs }: ServerLimits,
): Server {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      // A missing one is for us to refuse, with a body.
      requireHostHeader: false,
      // Nobody holds a connection with a body that never ends.
      requestTimeout: 30_000,
      keepAliveTimeout: 72_000,
    },
    connections.guard(handler),
  )
  server.maxConnections = maxConnections + PROBE_CONNECTIONS
  server.setTimeout(silenceMs)
  server.on('connection', (socket) => {
    // Node remembers the address from the first reading on; the system forgets it as soon as the client resets.
    if (socket.remoteAddress === undefined) socket.destroy()
    else connections.open(socket)
  })
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else connections.refuse(socket, toUnreadableResponse(error))
  })
  server.on('connect', (request) => connections.refuse(request.socket, toTunnelResponse(request)))
  // An expectation we do not know changes nothing about a GET.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return server
}
