import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { aCampaign } from '../../setup/records.ts'
import { closedPort } from '../../setup/servers/sockets.ts'
import { startTestApp, type TestApp } from '../../setup/test-app.ts'
import { bearing, issueToken } from '../../setup/tokens.ts'

/*
 * The limit on requests of one client, which is off unless it is set.
 */

const JANUARY = new Date('2026-01-31T12:00:00.000Z')
const later = (ms: number) => new Date(JANUARY.getTime() + ms)

const PUBLIC = ['/campaigns', '/reward-kit/trending', '/explore/contracts', '/status', '/limits']
const PROTECTED = ['/campaigns/accesslists', '/users/profile']
const REFUSED = '{"error":"too many requests from this address, try again in 42 seconds"}'

let database: TestDatabase

/** The app on a database that all share, at a moment that stands still. */
async function startLimited(settings: Record<string, string>) {
  const api = await startTestApp(settings, database)
  api.setNow(JANUARY)
  return api
}

const ask = (api: TestApp, remoteAddress: string, url = '/limits', headers: Record<string, string> = {}) =>
  api.app.inject({ url, remoteAddress, headers })
const statusOf = async (...parameters: Parameters<typeof ask>) => (await ask(...parameters)).statusCode

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

describe('requests', () => {
  test('are not limited, and nothing is told of it, unless it is set', async () => {
    for (const settings of [{}, { REQUESTS_PER_MINUTE: '0' }]) {
      await using api = await startLimited(settings)
      for (let request = 0; request < 50; request += 1) {
        const { statusCode, headers } = await ask(api, '192.0.2.1')
        expect(statusCode).toBe(200)
        for (const name of ['ratelimit', 'ratelimit-policy', 'retry-after']) expect(headers[name]).toBeUndefined()
      }
    }
  })

  test('are answered as many as are set, each told what is left, and refused until the minute is over', async () => {
    await using api = await startLimited({ REQUESTS_PER_MINUTE: '3' })
    const responses = []
    for (const method of ['GET', 'HEAD', 'GET'] as const)
      responses.push(await api.app.inject({ method, url: '/limits' }))
    expect(responses.map(({ statusCode, headers }) => [statusCode, headers.ratelimit])).toEqual([
      [200, '"requests";r=2;t=60'],
      [200, '"requests";r=1;t=60'],
      [200, '"requests";r=0;t=60'],
    ])
    for (const { headers } of responses) {
      expect(headers['ratelimit-policy']).toBe('"requests";q=3;w=60')
      expect(headers['retry-after']).toBeUndefined()
    }
    api.setNow(later(18_500))
    for (const path of [...PUBLIC, '/campaigns/1:0x0000000000000000000000000000000000000001:1', '/campaigns?nope=1']) {
      const refused = await api.get(path)
      expect([refused.statusCode, refused.body], path).toEqual([429, REFUSED])
      expect(refused.headers, path).toMatchObject({
        'retry-after': '42',
        ratelimit: '"requests";r=0;t=42',
        'ratelimit-policy': '"requests";q=3;w=60',
        'cache-control': 'no-store',
        'content-type': 'application/json; charset=utf-8',
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.stringMatching(/retry-after, .*ratelimit, ratelimit-policy/),
        'x-request-id': expect.stringMatching(/./),
      })
      expect(refused.headers.etag).toBeUndefined()
    }
    api.setNow(later(59_999))
    expect((await api.get('/limits')).headers['retry-after']).toBe('1')
    api.setNow(later(60_000))
    expect((await api.get('/limits')).headers.ratelimit).toBe('"requests";r=2;t=60')
  })

  test('to both surfaces count together, failed ones too, but not what is unchanged', async () => {
    await using api = await startLimited({ REQUESTS_PER_MINUTE: '5' })
    await api.save(aCampaign())
    const first = await api.get('/campaigns')
    const known = { 'if-none-match': String(first.headers.etag) }
    const responses = [
      first,
      await api.get('/campaigns', known),
      await api.get('/campaigns?nope=1'),
      await api.get('/users/profile'),
      await api.get('/users/profile', bearing(await issueToken(api))),
      await api.get('/campaigns', known),
      await api.get('/users/profile', bearing(await issueToken(api))),
      // Before it is looked at, nobody knows that nothing has changed.
      await api.get('/campaigns', known),
    ]
    expect(responses.map(({ statusCode, headers }) => [statusCode, headers.ratelimit])).toEqual([
      [200, '"requests";r=4;t=60'],
      [304, '"requests";r=4;t=60'],
      [400, '"requests";r=3;t=60'],
      [401, '"requests";r=2;t=60'],
      [400, '"requests";r=1;t=60'],
      [304, '"requests";r=1;t=60'],
      [400, '"requests";r=0;t=60'],
      [429, '"requests";r=0;t=60'],
    ])
    expect(responses.at(-2)?.headers['cache-control']).toBe('private, no-store')
    expect(responses[1]?.headers['ratelimit-policy']).toBe('"requests";q=5;w=60')
  })

  test('for documents count as those for operations do', async () => {
    for (const url of [
      '/openapi.json',
      '/openapi.yaml',
      '/docs',
      '/docs/guides/limits',
      '/llms.txt',
      '/',
      '/explorer/chains',
    ]) {
      await using api = await startLimited({ REQUESTS_PER_MINUTE: '1' })
      const headers = { accept: 'text/html' }
      expect(await api.get(url, headers), url).toMatchObject({
        statusCode: 200,
        headers: { ratelimit: '"requests";r=0;t=60' },
      })
      expect(await api.get(url, headers), url).toMatchObject({ statusCode: 429, headers: { 'retry-after': '60' } })
      expect((await api.get('/limits')).statusCode, url).toBe(429)
    }
  })

  test('for probes, preflights, other methods and what is not there neither count nor are refused', async () => {
    await using api = await startLimited({ REQUESTS_PER_MINUTE: '1' })
    const others: ['GET' | 'OPTIONS' | 'POST', string, number][] = [
      ['GET', '/livez', 200],
      ['GET', '/readyz', 200],
      ['GET', '/nothing', 404],
      ['OPTIONS', '/campaigns', 204],
      ['POST', '/campaigns', 405],
    ]
    for (const expected of [200, 429]) {
      for (const [method, url, status] of others) {
        const response = await api.app.inject({ method, url })
        expect(response.statusCode, `${method} ${url}`).toBe(status)
        expect(response.headers.ratelimit, `${method} ${url}`).toBeUndefined()
      }
      expect((await api.get('/limits')).statusCode).toBe(expected)
    }
  })

  test('that are refused ask nothing of the database, and no token is looked up for them', async () => {
    const url = `postgres://127.0.0.1:${await closedPort()}/away`
    await using away = await startTestApp({ REQUESTS_PER_MINUTE: '1' }, { ...database, url })
    expect((await away.get('/campaigns')).statusCode).toBe(503)
    for (const path of PUBLIC) expect((await away.get(path)).statusCode, path).toBe(429)
    for (const path of PROTECTED) expect((await away.get(path, bearing('rcs_x'))).statusCode, path).toBe(429)
  })

  test('with a token that is not valid are told of both limits in one header', async () => {
    await using api = await startLimited({ REQUESTS_PER_MINUTE: '3', FAILED_AUTH_PER_MINUTE: '1' })
    const reported = []
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const { statusCode, headers } = await api.get('/users/profile', bearing('rcs_unknown'))
      reported.push([statusCode, headers.ratelimit, headers['ratelimit-policy'], headers['retry-after']])
    }
    const policies = '"requests";q=3;w=60, "failed-attempts";q=1;w=60'
    expect(reported).toEqual([
      [401, '"requests";r=2;t=60, "failed-attempts";r=0;t=60', policies, undefined],
      [429, '"requests";r=1;t=60, "failed-attempts";r=0;t=60', policies, '60'],
      [429, '"requests";r=0;t=60, "failed-attempts";r=0;t=60', policies, '60'],
      [429, '"requests";r=0;t=60', '"requests";q=3;w=60', '60'],
    ])
  })
})

describe('a client', () => {
  test('is an IPv4 address however it is written, or an IPv6 network of 64 bits', async () => {
    await using api = await startLimited({ REQUESTS_PER_MINUTE: '2' })
    for (const [first = '', second = '', third = '', other = ''] of [
      ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201', '192.0.2.2'],
      ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::', '2001:db8:0:1::1'],
    ]) {
      const statuses = []
      for (const address of [first, second, third, other]) statuses.push(await statusOf(api, address))
      expect(statuses, first).toEqual([200, 200, 429, 200])
    }
  })

  test('with many networks of an IPv6 /56 has four times as many', async () => {
    await using api = await startLimited({ REQUESTS_PER_MINUTE: '2' })
    const statuses = []
    for (let network = 0; network < 10; network += 1) statuses.push(await statusOf(api, `2001:db8:0:${network}::1`))
    expect(statuses).toEqual([...Array(8).fill(200), 429, 429])
    expect(await statusOf(api, '2001:db8:0:100::1')).toBe(200)
  })

  test('that is refused takes nothing from its /56, nor for its /56 from itself', async () => {
    await using api = await startLimited({ REQUESTS_PER_MINUTE: '2' })
    const statusesOf = async (network: number, count: number) => {
      const statuses = []
      for (let index = 0; index < count; index += 1) statuses.push(await statusOf(api, `2001:db8:0:${network}::1`))
      return statuses
    }
    expect(await statusesOf(1, 20)).toEqual([200, 200, ...Array(18).fill(429)])
    for (const other of [2, 3, 4]) expect(await statusesOf(other, 2)).toEqual([200, 200])
    api.setNow(later(59_999))
    expect(await statusesOf(5, 3)).toEqual([429, 429, 429])
    api.setNow(later(60_000))
    expect(await statusesOf(5, 3)).toEqual([200, 200, 429])
  })

  test('behind a trusted proxy is whom the proxy names, and nobody else is believed', async () => {
    await using api = await startLimited({ REQUESTS_PER_MINUTE: '1', TRUSTED_PROXIES: '10.0.0.0/8' })
    const statusFrom = (address: string, forwarded: string) =>
      statusOf(api, address, '/limits', { 'x-forwarded-for': forwarded })
    expect(await statusFrom('10.1.2.3', '198.51.100.1')).toBe(200)
    expect(await statusFrom('10.1.2.4', '203.0.113.77, 198.51.100.1:4711')).toBe(429)
    expect(await statusFrom('10.1.2.3', '198.51.100.2')).toBe(200)
    expect(await statusFrom('203.0.113.9', '198.51.100.3')).toBe(200)
    expect(await statusFrom('203.0.113.9', '198.51.100.4')).toBe(429)
  })

  test('that goes on is not forgotten for many others', async () => {
    await using api = await startLimited({ REQUESTS_PER_MINUTE: '1' })
    expect(await statusOf(api, '192.0.2.1')).toBe(200)
    for (let round = 0; round < 4; round += 1) {
      for (let other = 0; other < 250; other += 1) await ask(api, `198.18.${round}.${other}`)
      expect(await statusOf(api, '192.0.2.1')).toBe(429)
    }
  })
})
