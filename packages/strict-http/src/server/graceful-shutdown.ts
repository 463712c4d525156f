import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Connections } from './connections.ts'

/** How often the shutdown checks whether the last request has been answered. */
const POLL_INTERVAL_MS = 20

/** How long a new connection may take to send its first request before it is cut. */
const FIRST_REQUEST_MS = 1000

/** The maximum number of connections that wait at a listener, as Node.js requests it from the system. */
const BACKLOG = 511

export interface GracefulClose {
  /** How long new connections are still accepted. */
  drainMs: number
  /** How long requests may take after that, whatever their clients have not sent completely. */
  responseMs: number
}

/**
 * From the moment the app begins to close, each response is the last one on its connection. New connections are
 * accepted for a while, because a load balancer needs time to notice. Then accepted requests are answered, and the
 * remaining connections are cut.
 */
export function closeGracefully(
  app: FastifyInstance,
  connections: Connections,
  { drainMs, responseMs }: GracefulClose,
) {
  let isClosing = false
  let accepted = 0
  let polling: NodeJS.Timeout | undefined
  /** Connections that have not sent a request yet, with the time they were opened. */
  const silent = new Map<Socket, number>()

  app.server.on('connection', (socket) => {
    accepted += 1
    silent.set(socket, Date.now())
    socket.once('close', () => silent.delete(socket))
  })
  app.addHook('preClose', async () => {
    isClosing = true
    if (!app.server.listening) return
    await sleep(drainMs)
    await acceptPending(() => accepted)
    connections.closeRejected()
    const deadline = Date.now() + responseMs
    polling = setInterval(() => {
      const newest = [...silent.values()].at(-1) ?? 0
      const isAllSent = connections.underWay === 0 && Date.now() - newest > FIRST_REQUEST_MS
      // Includes those that never sent a request, for which Node.js would wait forever.
      if (isAllSent || Date.now() >= deadline) app.server.closeAllConnections()
    }, POLL_INTERVAL_MS)
  })
  app.addHook('onClose', async () => clearInterval(polling))
  // A keep-alive connection would keep the process alive too.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) void reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('onRequest', (request, _reply, done) => {
    silent.delete(request.socket)
    done()
  })
}

/** The system has accepted connections that Node.js has not seen yet: each turn of its event loop takes one. */
async function acceptPending(countConnections: () => number) {
  for (let taken = 0; taken < BACKLOG; taken++) {
    const before = countConnections()
    // Whatever the phase in which the first turn begins, the listener is checked before the third.
    await nextTurn()
    await nextTurn()
    if (countConnections() === before) return
  }
}
