import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * What happens to a connection once the client sends a certain text: it is cut, before the server or the client has had
 * a word of it; it is cut after the server has had it; or nothing goes through any more.
 */
export type Lifecycle = 'cut' | 'cut after' | 'freeze'

export interface DatabaseProxy extends AsyncDisposable {
  url: string
  /** How many bytes the database has sent so far. */
  bytesSent: () => number
  /** Ends all connections and every new one at once, or lets nothing through any more; `undefined` lets all pass again. */
  interrupt: (by: 'cut' | 'freeze' | undefined) => void
  /** As `interrupt('cut')`, as soon as a client sends a certain text, before the server has had a word of it. */
  cutAt: (text: string) => void
  /** The same as soon as clients have sent so many messages, all of them together. */
  cutAfter: (messages: number) => void
  /** Whether connections are ended now. */
  isCut: () => boolean
  /** Leads new connections to another server from now on; those that there are stay. */
  lead: (databaseUrl: string) => void
}

/** A way to a real database on which connections meet their fate at a text that a client sends, if one is given. */
export async function openDatabaseProxy(
  databaseUrl: string,
  lifecycle?: Lifecycle,
  text?: string,
): Promise<DatabaseProxy> {
  let target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let interruption: 'cut' | 'freeze' | undefined
  const never = () => false
  let isCutDue: (chunk: Buffer) => boolean = never
  let bytesSent = 0
  function interrupt(by: typeof interruption) {
    interruption = by
    if (by === 'cut') for (const socket of sockets) socket.destroy()
  }
  const server = createServer((client) => {
    if (interruption === 'cut') return void client.destroy()
    const database = connect(Number(target.port), target.hostname)
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
    }
    let isFrozen = false
    client.on('data', (chunk) => {
      isFrozen ||= interruption === 'freeze'
      if (isFrozen) return
      if (isCutDue(chunk)) {
        isCutDue = never
        return interrupt('cut')
      }
      if (text === undefined || !chunk.includes(text)) return void database.write(chunk)
      if (lifecycle === 'freeze') {
        isFrozen = true
        return
      }
      if (lifecycle === 'cut after') database.end(chunk)
      else database.destroy()
      client.destroy()
    })
    database.on('data', (chunk) => {
      bytesSent += chunk.length
      if (!isFrozen && !client.destroyed) client.write(chunk)
    })
    client.on('close', () => database.end())
    database.on('close', () => void (!isFrozen && client.destroy()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    bytesSent: () => bytesSent,
    interrupt,
    cutAt(text) {
      isCutDue = (chunk) => chunk.includes(text)
    },
    cutAfter(messages) {
      let left = messages
      isCutDue = () => left-- <= 0
    },
    isCut: () => interruption === 'cut',
    lead(otherUrl) {
      target = new URL(otherUrl)
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}
