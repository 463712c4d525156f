import { connect } from 'node:net'
import type pg from 'pg'

/** PostgreSQL's number for "cancel what this session is doing". */
const CANCEL_REQUEST = 80_877_102

/** As long as the server is given to take the request. */
const CANCEL_MS = 1000

/**
 * Asks the server to end the statement that a session is at, over a connection of its own, as the protocol has it: also a
 * pooler in between passes it on. Waits until the server has taken it; whether it has, nobody can tell: the statement
 * ends, or its time limit ends it.
 */
export function cancelStatement(client: pg.Client): Promise<void> {
  const key = keyOf(client)
  if (key === undefined) return Promise.resolve()
  const request = Buffer.alloc(16)
  request.writeInt32BE(request.length, 0)
  request.writeInt32BE(CANCEL_REQUEST, 4)
  request.writeInt32BE(key.processId, 8)
  request.writeInt32BE(key.secretKey, 12)
  const { host, port } = client
  return new Promise((resolve) => {
    const socket = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
    const timer = setTimeout(() => socket.destroy(), CANCEL_MS)
    socket.on('error', () => undefined)
    socket.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
    socket.resume().end(request)
  })
}

/** What the server has told of the session, for this purpose only; the driver keeps it and its types do not say so. */
function keyOf(client: pg.Client) {
  if (!('processID' in client) || !('secretKey' in client)) return undefined
  const { processID: processId, secretKey } = client
  return typeof processId === 'number' && typeof secretKey === 'number' ? { processId, secretKey } : undefined
}
