import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { RawResponses } from '../request/raw-responses.ts'
import { MAX_HEADER_BYTES } from '../request/routing.ts'
import { type Connections, PROBE_CONNECTIONS } from './connections.ts'

export interface ServerLimits {
  maxConnections: number
  /** Maximum time in which a client neither sends nor reads anything while a response is pending. */
  silenceMs: number
  responses: RawResponses
}

/** The server below Fastify: its limits, and our own error bodies where Node.js would send its own. */
export function createHttpServer(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  connections: Connections,
  { maxConnections, silenceMs, responses }: ServerLimits,
): Server {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      // The service refuses a missing one itself, with a body.
      requireHostHeader: false,
      // No client holds a connection with a body that never ends.
      requestTimeout: 30_000,
      keepAliveTimeout: 72_000,
    },
    connections.guard(handler),
  )
  server.maxConnections = maxConnections + PROBE_CONNECTIONS
  server.setTimeout(silenceMs)
  server.on('connection', (socket) => {
    // Node.js keeps the address after the first read; the system forgets it when the client resets the connection.
    if (socket.remoteAddress === undefined) socket.destroy()
    else connections.open(socket)
  })
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else connections.reject(socket, responses.toUnreadable(error))
  })
  server.on('connect', (request) => connections.reject(request.socket, responses.toTunnel(request)))
  // An expectation we do not know changes nothing about a GET.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return server
}

/** For files, logs, listeners, metrics, and what libraries open briefly. */
const OTHER_DESCRIPTORS = 64

/**
 * The maximum number of connected clients: at most as many as requested, and few enough that the process never runs out of file
 * descriptors for its own work.
 * @param ownConnections to a database, for example: each may need a second descriptor, to cancel what it runs.
 */
export function connectionLimit(requested: number, ownConnections: number): number {
  return Math.max(
    1,
    Math.min(requested, descriptorLimit() - OTHER_DESCRIPTORS - PROBE_CONNECTIONS - 2 * ownConnections),
  )
}

let known: number | undefined

/** If the system has no such limit, there is none. Read once: a report takes a core 20 ms. */
function descriptorLimit(): number {
  known ??= readDescriptorLimit()
  return known
}

function readDescriptorLimit(): number {
  const report: { userLimits?: { open_files?: { soft?: unknown } } } = process.report.getReport()
  const limit = report.userLimits?.open_files?.soft
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY
}
