import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Connections } from './connections.ts'
import { PIECE_BYTES } from './slow-responses.ts'

/** How often slow responses are looked for. */
const POLL_INTERVAL_MS = 1000

/** Bodies up to this size are sent whole: dividing them would cost as much as all other work for a list page. */
const MAX_WHOLE_BYTES = 512 * 1024

/** Half a megabyte, which is copied in less than a millisecond. */
const PIECES_PER_TURN = 8

/**
 * Sends large bodies in pieces, as fast as the client reads them, and equal bodies from one buffer. Clients that read
 * too slowly are disconnected.
 */
export function sendInPieces(app: FastifyInstance, connections: Connections) {
  const awaitTurn = createTurnstile()
  app.addHook('onSend', (request, reply, payload: unknown, done) => {
    const exchange = connections.exchangeOf(request.raw)
    if (exchange !== undefined) connections.exchanges.startSending(exchange)
    const isHeld = (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > PIECE_BYTES
    if (!isHeld || request.method === 'HEAD') {
      done(null, payload)
      return
    }
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
    // The tags are strong: equal bytes have equal tags.
    const key = String(reply.getHeader('etag') ?? randomUUID())
    const held = exchange === undefined ? bytes : connections.exchanges.hold(exchange, key, bytes)
    if (held.length <= MAX_WHOLE_BYTES) {
      done(null, held)
      return
    }
    void reply.header('content-length', held.length)
    done(null, Readable.from(toPieces(held, awaitTurn), { objectMode: false }))
  })

  const looking = setInterval(() => connections.closeSlow(), POLL_INTERVAL_MS).unref()
  app.addHook('onClose', async () => clearInterval(looking))
}

async function* toPieces(bytes: Buffer, awaitTurn: () => Promise<void>) {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    await awaitTurn()
    yield bytes.subarray(start, start + PIECE_BYTES)
  }
}

/**
 * Limits the pieces sent in one turn of the event loop: the system buffers megabytes for each of hundreds of
 * connections.
 */
function createTurnstile() {
  const waiting: (() => void)[] = []

  function open() {
    for (const go of waiting.splice(0, PIECES_PER_TURN)) go()
    if (waiting.length > 0) setImmediate(open)
  }

  return () =>
    new Promise<void>((resolve) => {
      if (waiting.length === 0) setImmediate(open)
      waiting.push(resolve)
    })
}
