import type { Socket } from 'node:net'
import type { Usage } from './address-usage.ts'
import type { ConnectionExchange } from './exchanges.ts'

/** The time in which a client has to read the next piece of a response. */
const PIECE_SECONDS = 30

/** The minimum rate at which a client has to read a response. */
export const MIN_BYTES_PER_SECOND = 2048

/** The size of the pieces. A piece is seen as sent completely or not at all. */
export const PIECE_BYTES = PIECE_SECONDS * MIN_BYTES_PER_SECOND

/** The same of an export or of a stream of changes, which take as long as their clients want. */
const STREAM_IDLE_SECONDS = 60

/** How long any other response may take from its first byte to its last. */
export const MAX_SECONDS = 600

/** Maximum bytes of responses buffered in sockets, for all connections and for those of one address. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024
const MAX_WAITING_BYTES_PER_ADDRESS = MAX_WAITING_BYTES / 4

/** The sockets whose clients read too slowly, and the slowest ones if too many bytes are buffered. */
export function findSlow(begun: ConnectionExchange[], now: number): Set<Socket> {
  const slow = new Set<Socket>()
  const withTimeout = begun.filter((exchange) => {
    if (!exchange.isRendered) return false
    if (isInTime(exchange, now)) return true
    slow.add(exchange.socket)
    return false
  })
  const byClient = new Map<Usage, ConnectionExchange[]>()
  for (const exchange of withTimeout) {
    const others = byClient.get(exchange.client)
    if (others === undefined) byClient.set(exchange.client, [exchange])
    else others.push(exchange)
  }
  for (const exchanges of byClient.values()) addSlowest(slow, exchanges, MAX_WAITING_BYTES_PER_ADDRESS)
  addSlowest(slow, withTimeout, MAX_WAITING_BYTES)
  return slow
}

function isInTime(exchange: ConnectionExchange, now: number) {
  const { socket } = exchange
  const sentBytes = socket.bytesWritten - socket.writableLength
  if (sentBytes !== exchange.sentBytes) {
    exchange.sentBytes = sentBytes
    exchange.progressAt = now
  }
  // A body that is handed over whole is seen to be sent whole.
  const pieceSeconds = exchange.isStream ? STREAM_IDLE_SECONDS : PIECE_SECONDS
  const seconds = Math.max(pieceSeconds, socket.writableLength / MIN_BYTES_PER_SECOND)
  const isEndInTime = exchange.isStream === true || now - exchange.sendingSince <= MAX_SECONDS * 1000
  return now - exchange.progressAt <= seconds * 1000 && isEndInTime
}

/** Adds those that have taken longest, until at most `maxBytes` are buffered in the others. */
function addSlowest(slow: Set<Socket>, exchanges: ConnectionExchange[], maxBytes: number) {
  const remaining = exchanges.filter(({ socket }) => !slow.has(socket))
  let waiting = remaining.reduce((sum, { socket }) => sum + socket.writableLength, 0)
  if (waiting <= maxBytes) return
  for (const { socket } of remaining.sort((one, other) => one.sendingSince - other.sendingSince)) {
    if (waiting <= maxBytes) return
    waiting -= socket.writableLength
    slow.add(socket)
  }
}
