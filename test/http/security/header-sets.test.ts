import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { aCampaign, aClaim, anErc20Incentive, aToken } from '../../setup/records.ts'
import { startTestApp, type TestApp } from '../../setup/test-app.ts'
import { bearing, issueToken } from '../../setup/tokens.ts'

/*
 * All headers of a response, as they are on the wire: each name once, and nothing beside them.
 */

type Headers = Record<string, string>

const STANDING = {
  connection: 'keep-alive',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'cross-origin',
  date: 'now',
  'keep-alive': 'timeout=72',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'x-request-id': 'mine',
}
const EXPOSED =
  'x-request-id, x-total-count, link, x-changed-since-start, x-changes-cursor, x-error-code, x-as-of, etag, age, cache-status, retry-after, www-authenticate, ratelimit, ratelimit-policy'
const FOR_ALL = { ...STANDING, 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED }
const BODY = { 'content-type': 'application/json; charset=utf-8', 'content-length': 'of the body' }
const KEPT = {
  'cache-control': 'public, max-age=5, stale-while-revalidate=30',
  vary: 'accept-encoding',
  etag: 'the tag',
}
const FAILED = { ...FOR_ALL, ...BODY, 'cache-control': 'no-store', vary: 'accept' }
/** Of a page by number that is the first and the last. */
const onlyPage = (total: number, pageSize = 10) => ({
  'x-total-count': String(total),
  link: `<?page=1&pageSize=${pageSize}>; rel="first", <?page=1&pageSize=${pageSize}>; rel="last"`,
})
const PREFLIGHT = { 'access-control-allow-methods': 'GET, HEAD, OPTIONS', allow: 'GET, HEAD, OPTIONS' }

/** A client on a socket, on one connection. */
async function openClient({ app }: Pick<TestApp, 'app'>) {
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  async function ask(path: string, headers: Headers = {}, method = 'GET') {
    const asked = request(url + path, { method, agent, headers: { 'x-request-id': 'mine', ...headers } }).end()
    const [response]: IncomingMessage[] = await once(asked, 'response')
    if (response === undefined) throw new Error('there is no answer')
    const body = await buffer(response)
    return { status: response.statusCode, headers: headersOf(response, body), etag: response.headers.etag ?? '' }
  }
  return { ask, [Symbol.dispose]: () => agent.destroy() }
}

/** With words in place of what differs from answer to answer. */
function headersOf({ rawHeaders }: IncomingMessage, body: Buffer) {
  const headers: Headers = {}
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? ''
    if (name in headers) throw new Error(`${name} is sent twice`)
    headers[name] = rawHeaders[index + 1] ?? ''
  }
  if (Math.abs(Date.parse(headers.date ?? '') - Date.now()) < 60_000) headers.date = 'now'
  if (headers['content-length'] === String(body.length)) headers['content-length'] = 'of the body'
  if (headers.etag !== undefined) headers.etag = headers.etag.replace(/^"[\w-]{27}(-br|-gzip)?"$/, 'the tag$1')
  return headers
}

async function startFilledApp(settings?: Headers) {
  const api = await startTestApp(settings)
  const token = aToken({ whitelisted: true })
  const campaigns = Array.from({ length: 3 }, () => aCampaign({ incentives: [anErc20Incentive(token.address)] }))
  const [first = aCampaign()] = campaigns
  await api.save(token, ...campaigns, aClaim(first))
  return { ...api, id: first.id, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
}

test('a public answer has these headers, made anew and kept, with and without its body', async () => {
  await using api = await startFilledApp()
  using client = await openClient(api)
  const cases: [string, Headers][] = [
    ['/campaigns', onlyPage(3)],
    ['/campaigns?pageSize=3&sortBy=recently-deployed', onlyPage(3, 3)],
    [`/campaigns/${api.id}`, {}],
    ['/reward-kit/trending', {}],
    [`/activity?campaignId=${api.id}`, {}],
    ['/explore/contracts', onlyPage(0)],
  ]
  for (const [path, more] of cases) {
    const headers = { ...FOR_ALL, ...BODY, ...KEPT, ...more }
    for (const round of ['new', 'kept', 'kept again']) {
      const response = await client.ask(path)
      expect(response, `${path} ${round}`).toMatchObject({ status: 200 })
      expect(response.headers, `${path} ${round}`).toEqual(headers)
    }
    const { etag } = await client.ask(path)
    const head = await client.ask(path, {}, 'HEAD')
    expect(head.headers, `HEAD ${path}`).toEqual({ ...headers, 'content-length': expect.stringMatching(/^[1-9]\d*$/) })
    const { 'content-type': _type, 'content-length': _length, ...known } = headers
    const unchanged = await client.ask(path, { 'if-none-match': etag })
    expect(unchanged.status, path).toBe(304)
    expect(unchanged.headers, path).toEqual(known)
  }
})

test('a compressed answer has the same headers, its encoding and a tag of its own', async () => {
  await using api = await startFilledApp()
  using client = await openClient(api)
  for (const encoding of ['br', 'gzip']) {
    for (const round of ['new', 'kept']) {
      const { headers } = await client.ask('/campaigns', { 'accept-encoding': encoding })
      expect(headers, `${encoding} ${round}`).toEqual({
        ...{ ...FOR_ALL, ...BODY, ...KEPT, ...onlyPage(3) },
        'content-encoding': encoding,
        etag: `the tag-${encoding}`,
      })
    }
  }
})

test('a failure has these headers', async () => {
  await using api = await startFilledApp()
  using client = await openClient(api)
  const cases: [string, string, number, Headers][] = [
    ['GET', '/campaigns?pageSize=101', 400, { 'x-error-code': 'invalid_request' }],
    ['GET', '/campaigns?nope=1', 400, { 'x-error-code': 'invalid_request' }],
    ['GET', '/campaigns?owner=%zz', 400, { 'x-error-code': 'malformed_url' }],
    ['GET', '/campaigns/1657', 400, { 'x-error-code': 'invalid_request' }],
    ['GET', '/campaigns/1:0x0000000000000000000000000000000000000001:99', 404, { 'x-error-code': 'not_found' }],
    ['GET', '/nothing', 404, { 'x-error-code': 'path_not_found' }],
    ['POST', '/campaigns', 405, { allow: 'GET, HEAD, OPTIONS', 'x-error-code': 'method_not_allowed' }],
    ['GET', `/campaigns?owner=${'x'.repeat(16_384)}`, 414, { 'x-error-code': 'url_too_long' }],
    [
      'GET',
      '/users/profile',
      401,
      { 'www-authenticate': 'Bearer realm="reward-campaign-service"', 'x-error-code': 'missing_token' },
    ],
  ]
  for (const [method, path, status, more] of cases) {
    const response = await client.ask(path, {}, method)
    const isProtected = path === '/users/profile' ? { 'cache-control': 'private, no-store' } : {}
    expect(response.status, `${method} ${path}`).toBe(status)
    expect(response.headers, `${method} ${path}`).toEqual({ ...FAILED, ...isProtected, ...more })
  }
})

test('an answer behind a token has these headers', async () => {
  await using api = await startFilledApp()
  const secret = await issueToken(api)
  using client = await openClient(api)
  const { status, headers } = await client.ask('/campaigns/accesslists', bearing(secret))
  expect(status).toBe(200)
  expect(headers).toEqual({ ...FOR_ALL, ...BODY, 'cache-control': 'private, no-store', 'x-total-count': '0' })
})

test('every origin may read every answer, and is told so whether it is named or not', async () => {
  await using api = await startFilledApp()
  using client = await openClient(api)
  const without = await client.ask('/campaigns')
  expect((await client.ask('/campaigns', { origin: 'https://a.example' })).headers).toEqual(without.headers)
  for (const path of ['/livez', '/readyz']) {
    const { headers } = await client.ask(path, { origin: 'https://a.example' })
    expect(headers, path).toEqual({ ...FOR_ALL, ...BODY, 'cache-control': 'no-store' })
  }
})

test('where origins are listed, these may read the answers, and caches are told that it differs', async () => {
  await using api = await startFilledApp({ CORS_ORIGINS: 'https://a.example,https://b.example' })
  using client = await openClient(api)
  const kept = { ...STANDING, ...BODY, ...KEPT, ...onlyPage(3), 'access-control-expose-headers': EXPOSED }
  for (const origin of ['https://a.example', 'https://b.example', 'https://c.example', undefined]) {
    const allowed = origin === undefined || origin.includes('c.') ? {} : { 'access-control-allow-origin': origin }
    const asked = origin === undefined ? {} : { origin }
    for (const round of ['new', 'kept']) {
      const { headers, etag } = await client.ask('/campaigns', asked)
      expect(headers, `${origin} ${round}`).toEqual({ ...kept, ...allowed, vary: 'Origin, accept-encoding' })
      const { 'content-type': _type, 'content-length': _length, ...known } = headers
      expect((await client.ask('/campaigns', { ...asked, 'if-none-match': etag })).headers).toEqual(known)
    }
    const failed = await client.ask('/nothing', asked)
    expect(failed.headers, `${origin}`).toEqual({
      ...{ ...STANDING, ...BODY, ...allowed, 'access-control-expose-headers': EXPOSED },
      ...{ 'cache-control': 'no-store', vary: 'Origin, accept', 'x-error-code': 'path_not_found' },
    })
  }
})

test('a preflight has these headers', async () => {
  const asked = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' }
  const answered = { ...PREFLIGHT, 'access-control-allow-headers': 'authorization' }
  await using open = await startFilledApp()
  using client = await openClient(open)
  for (const path of ['/campaigns', `/campaigns/${open.id}`, '/users/profile', '/livez']) {
    const { status, headers } = await client.ask(path, { ...asked, origin: 'https://a.example' }, 'OPTIONS')
    expect(status, path).toBe(204)
    expect(headers, path).toEqual({ ...FOR_ALL, ...answered, vary: 'Access-Control-Request-Headers' })
  }
  const plain = await client.ask('/campaigns', {}, 'OPTIONS')
  expect(plain.headers).toEqual({ ...FOR_ALL, ...PREFLIGHT, vary: 'Access-Control-Request-Headers' })
  expect((await client.ask('/nothing', asked, 'OPTIONS')).status).toBe(404)

  await using strict = await startFilledApp({ CORS_ORIGINS: 'https://a.example' })
  using other = await openClient(strict)
  for (const origin of ['https://a.example', 'https://c.example']) {
    const { headers } = await other.ask('/campaigns', { ...asked, origin }, 'OPTIONS')
    expect(headers, origin).toEqual({
      ...{ ...STANDING, ...answered, 'access-control-expose-headers': EXPOSED },
      ...(origin.includes('c.') ? {} : { 'access-control-allow-origin': origin }),
      vary: 'Origin, Access-Control-Request-Headers',
    })
  }
})
