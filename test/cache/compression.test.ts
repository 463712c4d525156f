import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aCampaign, anAccessList } from '../setup/records.ts'
import { listen } from '../setup/servers/sockets.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'
import { bearing, issueToken } from '../setup/tokens.ts'

/*
 * Answers as clients take them, over a socket and down to the last byte.
 */

const LIST = '/campaigns?tokenWhitelist=false'
const SMALL = '/campaigns?pageSize=0'

let api: TestApp
let port: number
let plain: Awaited<ReturnType<typeof ask>>

beforeAll(async () => {
  api = await startTestApp()
  await api.save(...Array.from({ length: 10 }, () => aCampaign()))
  port = await listen(api.app)
  plain = await ask(LIST)
})
afterAll(() => api[Symbol.asyncDispose]())

async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const sent = request({ port, host: '127.0.0.1', path, method, headers, agent: false }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }
}

const tagged = (encoding?: string) =>
  encoding === undefined ? plain.headers.etag : `${plain.headers.etag?.slice(0, -1)}-${encoding}"`

const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync }

test.each(['br', 'gzip'] as const)(
  'a client that takes %s gets it, with a tag and a length of its own',
  async (encoding) => {
    for (const _again of [1, 2]) {
      const response = await ask(LIST, { 'accept-encoding': encoding })
      expect(response).toMatchObject({
        status: 200,
        headers: {
          'content-encoding': encoding,
          'content-length': String(response.body.length),
          'content-type': 'application/json; charset=utf-8',
          etag: tagged(encoding),
          vary: 'accept-encoding',
        },
      })
      expect(DECODERS[encoding](response.body).equals(plain.body)).toBe(true)
      expect(response.body.length).toBeLessThan(plain.body.length / 4)
      const head = await ask(LIST, { 'accept-encoding': encoding }, 'HEAD')
      expect(head.body).toHaveLength(0)
      const { date: _one, 'x-request-id': _other, ...same } = response.headers
      expect(head.headers).toMatchObject(same)
    }
  },
)

test.each([
  ['', undefined],
  ['identity', undefined],
  ['deflate, zstd', undefined],
  ['gzip, deflate, br', 'br'],
  ['GZIP', 'gzip'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br ; q=0.5 , gzip ; q=0.5', 'br'],
  ['gzip;q=0.2, identity;q=0.9', undefined],
  ['gzip;q=0, br;q=0.000', undefined],
  ['gzip;q=nonsense', undefined],
  ['identity;q=0', undefined],
  ['*;q=0', undefined],
  ['identity;q=0, gzip;q=0.1', 'gzip'],
])('Accept-Encoding %j is answered with %s', async (accepted, encoding) => {
  const { status, headers } = await ask(LIST, { 'accept-encoding': accepted })
  expect({ status, encoding: headers['content-encoding'], etag: headers.etag, vary: headers.vary }).toEqual({
    status: 200,
    encoding,
    etag: tagged(encoding),
    vary: 'accept-encoding',
  })
})

test('a short answer is compressed only for who takes it no other way', async () => {
  const { body, headers } = await ask(SMALL, { 'accept-encoding': 'br, gzip' })
  expect(headers['content-encoding']).toBeUndefined()
  expect(headers.vary).toBe('accept-encoding')
  const squeezed = await ask(SMALL, { 'accept-encoding': 'gzip, identity;q=0' })
  expect(squeezed.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(squeezed.body).equals(body)).toBe(true)
})

test.each([
  [undefined, 'gzip, identity;q=0'],
  [undefined, 'br, *;q=0'],
  ['br', undefined],
  ['br', 'gzip'],
  ['br', 'br;q=0, gzip'],
  ['br', 'identity'],
  ['gzip', undefined],
  ['gzip', 'br'],
  ['gzip', '*, gzip;q=0'],
])(
  'the tag of a representation that a request does not accept is answered in full: %s for %s',
  async (known, accepted) => {
    const headers: Record<string, string> = { 'if-none-match': String(tagged(known)) }
    if (accepted !== undefined) headers['accept-encoding'] = accepted
    expect(await ask(LIST, headers)).toMatchObject({ status: 200 })
  },
)

test('the tag of any accepted representation is answered 304, with the tag that the client has', async () => {
  for (const known of [undefined, 'br', 'gzip']) {
    for (const accepted of ['gzip, br', 'br;q=0.1, gzip;q=0.2, identity;q=0.3', '*']) {
      const response = await ask(LIST, { 'if-none-match': `"other", W/${tagged(known)}`, 'accept-encoding': accepted })
      expect(response, `${known} ${accepted}`).toMatchObject({
        status: 304,
        headers: { etag: tagged(known), vary: 'accept-encoding', 'cache-control': expect.stringMatching('public') },
      })
      expect(response.headers['content-encoding']).toBeUndefined()
      expect(response.body).toHaveLength(0)
    }
  }
  const any = await ask(LIST, { 'if-none-match': '*', 'accept-encoding': 'gzip' })
  expect(any).toMatchObject({ status: 304, headers: { etag: tagged('gzip') } })
  for (const unknown of [tagged('zstd'), `"${'x'.repeat(27)}-br"`]) {
    expect((await ask(LIST, { 'if-none-match': String(unknown) })).status).toBe(200)
  }
})

test('a reload that a client asks for is answered 304 all the same, since nothing is older than the data', async () => {
  const response = await ask(LIST, { 'if-none-match': String(tagged()), 'cache-control': 'no-cache' })
  expect(response.status).toBe(304)
})

test('where the answer depends on the origin too, both are named', async () => {
  await using strict = await startTestApp({ CORS_ORIGINS: 'https://a.example' })
  expect((await strict.get('/campaigns')).headers.vary).toBe('Origin, accept-encoding')
})

test('what needs a token, and failures, are not compressed', async () => {
  await api.save(...Array.from({ length: 30 }, () => anAccessList({ userId: 'user-1' })))
  const token = bearing(await issueToken(api))
  for (const [path, status] of [
    ['/campaigns/accesslists', 200],
    [`/campaigns?owner=${'x'.repeat(5000)}`, 400],
  ] as const) {
    const response = await ask(path, { ...token, 'accept-encoding': 'br, gzip' })
    expect(response.status).toBe(status)
    expect(response.headers['content-encoding']).toBeUndefined()
  }
})

test('simultaneous requests share the work, and each gets the whole', async () => {
  await api.save(aCampaign())
  const responses = await Promise.all(Array.from({ length: 30 }, () => ask(LIST, { 'accept-encoding': 'gzip' })))
  const current = (await ask(LIST)).body
  for (const { headers, body } of responses) {
    expect(headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(body).equals(current)).toBe(true)
  }
})
