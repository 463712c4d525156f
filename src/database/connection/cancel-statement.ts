import { connect } from 'node:net'
import type pg from 'pg'

/** PostgreSQL's code for "cancel the current statement of a session". */
const CANCEL_REQUEST = 80_877_102

/** How long the server may take to accept the request. */
const CANCEL_MS = 1000

/**
 * Requests the server to cancel a session's current statement, over a separate connection, as the protocol specifies;
 * poolers pass it on. Waits until the server has accepted the request. The protocol does not say whether it took
 * effect: the statement ends, or its timeout ends it.
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

/** The session's key for cancellation; the driver has it, but its types do not declare it. */
function keyOf(client: pg.Client) {
  if (!('processID' in client) || !('secretKey' in client)) return undefined
  const { processID: processId, secretKey } = client
  return typeof processId === 'number' && typeof secretKey === 'number' ? { processId, secretKey } : undefined
}
