import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Connections } from './connections.ts'
import { createPacer } from './pacer.ts'
import { PIECE_BYTES } from './slow-responses.ts'

/** How often slow responses are looked for. */
const POLL_INTERVAL_MS = 1000

/** Bodies up to this size are sent whole: dividing them would cost as much as all other work for a list page. */
const MAX_SINGLE_BYTES = 512 * 1024

/**
 * Half a megabyte, which is copied in less than a millisecond: the system buffers megabytes for each of hundreds of
 * connections.
 */
const PIECES_PER_TURN = 8

/**
 * Sends large bodies in pieces, as fast as the client reads them, and equal bodies from one buffer. Clients that read
 * too slowly are disconnected.
 */
export function sendInPieces(app: FastifyInstance, connections: Connections) {
  const awaitTurn = createPacer(PIECES_PER_TURN)
  app.addHook('onSend', (request, reply, payload: unknown, done) => {
    const exchange = connections.exchangeOf(request.raw)
    if (exchange !== undefined) connections.exchanges.startSending(exchange)
    const isLarge = (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > PIECE_BYTES
    if (!isLarge || request.method === 'HEAD') {
      done(null, payload)
      return
    }
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
    // The tags are strong: equal bytes have equal tags.
    const key = String(reply.getHeader('etag') ?? randomUUID())
    const sharedBytes = exchange === undefined ? bytes : connections.exchanges.shareBody(exchange, key, bytes)
    if (sharedBytes.length <= MAX_SINGLE_BYTES) {
      done(null, sharedBytes)
      return
    }
    void reply.header('content-length', sharedBytes.length)
    done(null, Readable.from(toPieces(sharedBytes, awaitTurn), { objectMode: false }))
  })

  const polling = setInterval(() => connections.closeSlow(), POLL_INTERVAL_MS).unref()
  app.addHook('onClose', async () => clearInterval(polling))
}

async function* toPieces(bytes: Buffer, awaitTurn: () => Promise<void>) {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    await awaitTurn()
    yield bytes.subarray(start, start + PIECE_BYTES)
  }
}
