import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBookshop, TOKEN } from './setup/bookshop.ts'

type Bookshop = Awaited<ReturnType<typeof openBookshop>>['app']

let app: Bookshop
beforeAll(async () => {
  app = (await openBookshop({ thrown: new Error('the secret reason') })).app
})
afterAll(() => app.close())

const get = (url: string, headers = {}) => app.inject({ url, headers: { host: 'books.example', ...headers } })

describe('query strings', () => {
  test.each([
    ['/books?genre=poetry,novel&pageSize=2', 2],
    ['/books?genre=poetry&genre=novel', 3],
    ['/books?genre[]=poetry', 1],
    ['/books', 3],
  ])('have lists and defaults: %s', async (url, count) => {
    expect((await get(url)).json()).toHaveLength(count)
  })

  test.each([
    ['/books?gender=poetry', 'unknown parameter "gender": known are genre, pageSize, sold'],
    ['/books?pageSize=1&pageSize=2', 'pageSize must be given at most once'],
    ['/books?pageSize=1e1', 'pageSize must be integer'],
    ['/books?pageSize=0x10', 'pageSize must be integer'],
    ['/books?pageSize=101', 'pageSize must be <= 100'],
    ['/books?sold=yes', 'sold must be boolean'],
    ['/books?genre=a,b,c,d', 'genre must NOT have more than 3 items'],
    ['/books?genre=%', 'parameter "genre" has a malformed percent-encoding'],
    ['/books?genre=%00', 'parameter "genre" has a NUL byte'],
    ['/books?x=1&pageSize=0', 'unknown parameter "x": known are genre, pageSize, sold; pageSize must be >= 1'],
  ])('are refused in a sentence: %s', async (url, error) => {
    const response = await get(url)
    expect([response.statusCode, response.json()]).toEqual([400, { error }])
  })
})

describe('errors', () => {
  test('name each parameter as problem details', async () => {
    const response = await get('/books?x=1&pageSize=0', { accept: 'application/problem+json' })
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(response.json()).toEqual({
      type: 'https://books.example/errors#invalid_request',
      title: 'Invalid request',
      status: 400,
      detail: 'unknown parameter "x": known are genre, pageSize, sold; pageSize must be >= 1',
      instance: response.headers['x-request-id'],
      errors: [
        { parameter: 'x', code: 'unknown', detail: 'unknown parameter "x": known are genre, pageSize, sold' },
        { parameter: 'pageSize', code: 'invalid', detail: 'pageSize must be >= 1' },
      ],
    })
  })

  test.each([
    ['GET', '/books/7', 404, 'not_found', 'there is no such book'],
    ['GET', '/book', 404, 'path_not_found', 'there is nothing at "/book"'],
    ['GET', '/%zz', 400, 'malformed_url', expect.stringContaining('malformed percent-encoding')],
    ['DELETE', '/books', 405, 'method_not_allowed', 'method not allowed: only GET, HEAD and OPTIONS are'],
    ['GET', `/books?genre=${'x'.repeat(16_400)}`, 414, 'url_too_long', expect.stringContaining('16384 bytes')],
    ['GET', '/broken', 500, 'internal_error', 'internal server error'],
  ] as const)('have one form: %s %s', async (method, url, status, code, error) => {
    const response = await app.inject({ method, url, headers: { host: 'books.example' } })
    expect([response.statusCode, response.headers['x-error-code'], response.json()]).toEqual([status, code, { error }])
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    if (status === 405) expect(response.headers.allow).toBe('GET, HEAD, OPTIONS')
  })

  test('of another layer are what the service says they are', async () => {
    const { app: other } = await openBookshop({ thrown: Object.assign(new Error('x'), { statusCode: 413 }) })
    const response = await other.inject({ url: '/broken', headers: { host: 'books.example' } })
    expect([response.statusCode, response.headers['x-error-code']]).toEqual([413, 'payload_too_large'])
    await other.close()
  })
})

describe('conditional requests', () => {
  test('get each encoding with a tag of its own, and 304 for any that is still right', async () => {
    const plain = await get('/catalog')
    const compressed = await get('/catalog', { 'accept-encoding': 'gzip' })
    expect(gunzipSync(compressed.rawPayload).toString()).toBe(plain.body)
    expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    const tags = [plain, compressed].map(({ headers }) => String(headers.etag))
    expect(new Set(tags).size).toBe(2)
    for (const tag of tags) {
      const known = await get('/catalog', { 'accept-encoding': 'gzip', 'if-none-match': `"other", ${tag}` })
      expect([known.statusCode, known.body, known.headers.etag]).toEqual([304, '', tag])
    }
    expect((await get('/catalog', { 'if-none-match': '"other"' })).statusCode).toBe(200)
  })
})

describe('limits', () => {
  test('say what is left of a minute, and refuse what is more, until it is over', async () => {
    let now = new Date('2026-01-01T00:00:00Z')
    const { app: limited } = await openBookshop({ requestsPerMinute: 2, now: () => now })
    const ask = () => limited.inject({ url: '/books', headers: { host: 'books.example' } })
    expect((await ask()).headers.ratelimit).toBe('"requests";r=1;t=60')
    await ask()
    const refused = await ask()
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '60'])
    now = new Date('2026-01-01T00:01:00Z')
    expect((await ask()).statusCode).toBe(200)
    await limited.close()
  })

  test('of tokens: without one 401 says how, a wrong one counts, the right one passes', async () => {
    const { app: limited } = await openBookshop({ failuresPerMinute: 1 })
    const ask = (token?: string) =>
      limited.inject({
        url: '/sales',
        headers: { host: 'books.example', ...(token && { authorization: `Bearer ${token}` }) },
      })
    const missing = await ask()
    expect([missing.statusCode, missing.headers['www-authenticate']]).toEqual([401, 'Bearer realm="bookshop"'])
    expect((await ask('wrong')).headers['www-authenticate']).toBe('Bearer realm="bookshop", error="invalid_token"')
    expect((await ask('wrong')).statusCode).toBe(429)
    expect((await ask(TOKEN)).statusCode).toBe(200)
    await limited.close()
  })
})

test('the document describes the operations, and says where a request may be conditional', async () => {
  const document = (await get('/openapi.json')).json()
  expect(document.info).toEqual({ title: 'Bookshop', version: '1' })
  const { parameters } = document.paths['/books'].get
  expect(parameters.map(({ name }: { name: string }) => name)).toEqual(['genre', 'pageSize', 'sold', 'If-None-Match'])
  expect((await get('/openapi.yaml')).body).toMatch(/^openapi: 3\.1\.0\n/)
})
