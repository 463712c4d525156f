import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { PlayedBlock } from './scripted-node.ts'

type Listening = { method: string; id: number }

/** What a test makes of a connection: true where it is answered already, or never. */
export interface SocketFault {
  onUpgrade?: (connection: Duplex) => boolean
  onQuery?: (socket: WebSocket, query: Listening) => boolean
}

const quantity = (number: number) => `0x${number.toString(16)}`

/** A node that tells its heads on a socket, when a test says so. */
export async function startScriptedSocket(chainId: number) {
  const subscribed = new Set<WebSocket>()
  const node = { fault: {} as SocketFault, asked: 0, authorization: '' as string | undefined, url: '' }
  const sockets = new WebSocketServer({ noServer: true })
  const connections = new Set<Duplex>()
  const server = createServer().on('upgrade', (request, connection, head) => {
    node.asked += 1
    node.authorization = request.headers.authorization
    connections.add(connection)
    connection.on('close', () => connections.delete(connection))
    if (node.fault.onUpgrade?.(connection)) {
      // Its end is noticed only where it is read, and has to be answered.
      connection.on('error', () => undefined).on('end', () => connection.end())
      connection.resume()
      return
    }
    sockets.handleUpgrade(request, connection, head, (socket) => {
      socket.on('error', () => undefined)
      socket.on('close', () => subscribed.delete(socket))
      socket.on('message', (data) => response(socket, JSON.parse(String(data))))
    })
  })

  function response(socket: WebSocket, query: Listening) {
    if (node.fault.onQuery?.(socket, query)) return
    const { id, method } = query
    const isSubscription = method === 'eth_subscribe'
    if (isSubscription) subscribed.add(socket)
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: isSubscription ? '0x1' : quantity(chainId) }))
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  node.url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return Object.assign(node, {
    subscribed,
    /** Those that are open. */
    connections,
    announce({
      number,
      hash,
      parentHash,
      timestamp,
    }: Pick<PlayedBlock, 'number' | 'hash' | 'parentHash' | 'timestamp'>) {
      const result = { number: quantity(number), hash, parentHash, timestamp: quantity(timestamp), miner: '0x' }
      const message = { jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: '0x1', result } }
      for (const socket of subscribed) socket.send(JSON.stringify(message))
    },
    async [Symbol.asyncDispose]() {
      for (const connection of connections) connection.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
