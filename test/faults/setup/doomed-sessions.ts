import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** How a server says that a session is ready (type, length, not in a transaction). */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

/** How it says that an administrator has ended one. */
const TERMINATED = toErrorResponse({ S: 'FATAL', V: 'FATAL', C: '57P01', M: 'terminating connection' })

function toErrorResponse(fields: Record<string, string>) {
  const text = Buffer.from(
    `${Object.entries(fields)
      .map(([field, value]) => `${field}${value}\0`)
      .join('')}\0`,
  )
  const length = Buffer.alloc(4)
  length.writeInt32BE(text.length + length.length)
  return Buffer.concat([Buffer.from('E'), length, text])
}

/** A way to a database on which the first sessions are terminated in the very bytes that say that they are ready. */
export async function openDoomedSessions(databaseUrl: string, count: number) {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let left = count
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname)
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
    }
    client.pipe(database)
    database.on('data', (chunk) => {
      if (left === 0 || !chunk.subarray(-READY.length).equals(READY)) return void client.write(chunk)
      left -= 1
      client.end(Buffer.concat([chunk, TERMINATED]))
      database.destroy()
    })
    database.on('close', () => client.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    get left() {
      return left
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}
