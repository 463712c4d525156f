import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { listenBookshop } from './setup/bookshop.ts'

/*
 * What clients do with their connections, and that none of it keeps anything of the service.
 */

let bookshop: Awaited<ReturnType<typeof listenBookshop>>
let port: number
let open = () => {}

beforeAll(async () => {
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  bookshop = await listenBookshop({ gate })
  port = bookshop.port
})
afterAll(() => bookshop[Symbol.asyncDispose]())

const REFUSED: [name: string, request: string, status: number][] = [
  ['that is no HTTP', 'X\r\n\r\n', 400],
  ['whose headers are too long', `GET / HTTP/1.1\r\nx-long: ${'a'.repeat(40_000)}`, 431],
  ['for a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n', 405],
  [
    'whose body is no HTTP',
    'POST /orders HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nX\r\n',
    400,
  ],
  ['after which comes no HTTP', 'GET /livez HTTP/1.1\r\nhost: x\r\n\r\nX\r\n\r\n', 200],
]

describe('a request', () => {
  test.each(REFUSED)('%s is answered, and its connection is closed though the client keeps it', async (...refused) => {
    const [, request, status] = refused
    const client = new Client()
    client.socket.write(request)
    await client.received(`HTTP/1.1 ${status} `)
    await noConnections()
    expect(bookshop.defects).toEqual([])
  })

  test.each(REFUSED)(
    '%s is refused also where the client goes on sending, and no more of it is read',
    async (...refused) => {
      const [, request] = refused
      const client = new Client()
      client.socket.write(request)
      const chunk = Buffer.alloc(1 << 20)
      let sent = 0
      while (sent < 1 << 28 && (await Promise.race([client.send(chunk), client.closed]))) sent += chunk.length
      // What the buffers of the system hold at most.
      expect(sent).toBeLessThan(1 << 25)
      await noConnections()
    },
  )

  test('for a tunnel may be given up at any moment', async () => {
    for (let round = 0; round < 20; round += 1) {
      const client = new Client()
      client.socket.write('CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n')
      await (round % 2 === 0 ? client.received('405') : sleep(round))
      client.socket.resetAndDestroy()
    }
    await noConnections()
    const client = new Client()
    client.socket.write('GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    await client.received('HTTP/1.1 200 ')
    client.socket.destroy()
  })

  test('to change the protocol is answered as any other', async () => {
    const upgrade = 'connection: upgrade, close\r\nupgrade: websocket\r\n'
    const client = new Client()
    client.socket.write(`GET /livez HTTP/1.1\r\nhost: x\r\n${upgrade}\r\n`)
    await client.received('\r\n\r\n{')
    client.socket.destroy()
    expect(client.text).toMatch(/^HTTP\/1\.1 200 .*\{"status":"ok"\}$/s)
  })

  test('that came before nonsense is answered first, and the nonsense after it', async () => {
    const client = new Client()
    client.socket.write('GET /slow HTTP/1.1\r\nhost: x\r\n\r\nX\r\n\r\n')
    await sleep(200)
    expect(client.text).toBe('')
    open()
    await client.received('not valid HTTP')
    expect(client.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
    await noConnections()
  })
})

test('connections that were refused do not keep the service from its end', async () => {
  await using closing = await listenBookshop({ responseMs: 600_000 })
  const held = REFUSED.map(([, request]) => {
    const client = new Client(closing.port)
    client.socket.write(request)
    return client
  })
  await Promise.all(held.map((client) => client.received('HTTP/1.1 ')))
  const start = Date.now()
  await closing.app.close()
  expect(Date.now() - start).toBeLessThan(10_000)
})

const waitUntil = <Value>(look: () => Promise<Value | undefined> | Value | undefined) =>
  vi.waitUntil(look, { timeout: 40_000, interval: 20 })

/** A client that closes nothing by itself and keeps what it receives. */
class Client {
  readonly socket: Socket
  /** False once it is closed. */
  readonly closed: Promise<false>
  text = ''

  constructor(to = port) {
    this.socket = connect({ host: '127.0.0.1', port: to, allowHalfOpen: true })
    this.socket.setEncoding('utf8').on('data', (text: string) => {
      this.text += text
    })
    this.socket.on('error', () => undefined)
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve(false)))
  }

  /** Whether the system has taken it. */
  send(chunk: Buffer) {
    return new Promise<boolean>((resolve) => this.socket.write(chunk, (error) => resolve(!(error instanceof Error))))
  }

  received(part: string) {
    return waitUntil(() => (this.text.includes(part) ? true : undefined))
  }
}

const countConnections = () =>
  new Promise<number>((resolve, reject) => {
    bookshop.app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  })

/** Once the service holds none any more. */
const noConnections = () => waitUntil(async () => ((await countConnections()) === 0 ? true : undefined))
