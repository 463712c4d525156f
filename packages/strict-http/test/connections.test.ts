import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import { listenBookshop } from './setup/bookshop.ts'

const REQUEST = 'GET /books HTTP/1.1\r\nhost: books.example\r\n\r\n'

/** All that comes back on one connection. */
async function exchange(port: number, text: string) {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('utf8').on('data', (data) => {
    received += data
  })
  socket.write(text)
  await once(socket, 'close')
  return received
}

test('what no router can read gets an error of the same form', async () => {
  await using bookshop = await listenBookshop()
  const received = await exchange(bookshop.port, 'NOT HTTP\r\n\r\n')
  expect(received).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nconnection: close\r\n/)
  expect(received).toContain('x-error-code: invalid_http')
  expect(received).toMatch(/\{"error":"the request is not valid HTTP"\}$/)
})

test('headers that are too long get 431', async () => {
  await using bookshop = await listenBookshop()
  const received = await exchange(bookshop.port, `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`)
  expect(received).toMatch(/^HTTP\/1\.1 431 /)
})

test('two hosts are one too many', async () => {
  await using bookshop = await listenBookshop()
  const text = 'GET /books HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n'
  expect(await exchange(bookshop.port, text)).toContain('the header Host must be given once')
})

test('more pipelined requests than may wait are refused after the others are answered', async () => {
  await using bookshop = await listenBookshop()
  const received = await exchange(bookshop.port, REQUEST.repeat(4))
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 503'])
})

test('requests beyond the limit get 503 at once, and those before it are answered', async () => {
  const gate = deferred()
  await using bookshop = await listenBookshop({ maxConcurrent: 1, gate: gate.promise })
  const slow = fetch(`${bookshop.url}/slow`)
  await vi.waitUntil(() => bookshop.connections.underWay === 1)
  const refused = await fetch(`${bookshop.url}/books`)
  expect([refused.status, refused.headers.get('x-error-code'), refused.headers.get('retry-after')]).toEqual([
    503,
    'overloaded',
    '2',
  ])
  gate.resolve()
  expect(await (await slow).text()).toBe('done')
})

test('a large body arrives whole', async () => {
  await using bookshop = await listenBookshop()
  const books = (await (await fetch(`${bookshop.url}/catalog`)).json()) as unknown[]
  expect(books).toHaveLength(20_000)
})

test('closing answers what is under way, then closes its connection', async () => {
  const gate = deferred()
  const { app, connections, url } = await listenBookshop({ gate: gate.promise })
  const slow = fetch(`${url}/slow`)
  await vi.waitUntil(() => connections.underWay === 1)
  const closed = app.close()
  await vi.waitUntil(() => !app.server.listening)
  gate.resolve()
  const response = await slow
  expect([response.status, response.headers.get('connection')]).toEqual([200, 'close'])
  await closed
  await expect(fetch(`${url}/books`)).rejects.toThrow()
})

function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
