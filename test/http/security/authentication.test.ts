import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSecret } from '../../../src/database/lookups/credentials.ts'
import type { TestDatabase } from '../../setup/database.ts'
import { aCampaign, anAccessList, anAddress, aProfile } from '../../setup/records.ts'
import { closedPort, exchange, listen, type RawResponse } from '../../setup/sockets.ts'
import { startTestApp, type TestApp } from '../../setup/test-app.ts'
import { bearing, issueToken } from '../../setup/tokens.ts'

/*
 * Who gets into the protected operations, and what the others are told.
 */

const ADDRESS = anAddress('somebody')
/** What belongs to user-1, named: so that every token asks for the same. */
const LISTS = '/campaigns/accesslists?userId=user-1'
const PROFILE = `/users/profile?user=${ADDRESS}`
const PROTECTED = ['/campaigns/accesslists', '/users/profile']
const CAMPAIGN = aCampaign()
const PUBLIC = ['/campaigns', `/campaigns/${CAMPAIGN.id}`, '/reward-kit/trending', '/explore/contracts']

const REALM = 'Bearer realm="reward-campaign-service"'
const INVALID = `${REALM}, error="invalid_token"`
const MISSING_BODY = '{"error":"this operation needs a token: Authorization: Bearer <token>"}'
const INVALID_BODY = '{"error":"the token is not valid"}'

const JANUARY = new Date('2026-01-31T12:00:00.000Z')
const later = (ms: number) => new Date(JANUARY.getTime() + ms)

interface Secrets {
  unknown: string
  expired: string
  revoked: string
  foreign: string
  own: string
  admin: string
}

let api: TestApp
let port: number
let secrets: Secrets

beforeAll(async () => {
  api = await startTestApp({ FAILED_AUTH_PER_MINUTE: '1000000', TRUSTED_PROXIES: '127.0.0.1' })
  await api.save(...belongings, CAMPAIGN)
  port = await listen(api.app)
  secrets = await issueAll(api)
})
afterAll(() => api[Symbol.asyncDispose]())

const belongings = [
  anAccessList({ id: 'the-list', userId: 'user-1', name: 'The list' }),
  aProfile({ userAddress: ADDRESS, ethEarned: '7' }),
]

async function issueAll(app: TestApp): Promise<Secrets> {
  const mine = { userId: 'user-1', address: ADDRESS }
  const [expired, revoked] = [await issueToken(app, mine), await issueToken(app, mine)]
  await change(app.database, expired, "expires_at = now() - interval '1 second'")
  await change(app.database, revoked, 'revoked_at = now()')
  return {
    unknown: createSecret(),
    expired,
    revoked,
    foreign: await issueToken(app, { userId: 'user-2', address: anAddress('somebody else') }),
    own: await issueToken(app, mine),
    admin: await issueToken(app, { userId: 'operator', isAdmin: true }),
  }
}

/** Changes the stored credential of a secret, past all of our code. */
async function change(database: TestDatabase, secret: string, assignment: string) {
  const changed = await database.query(
    `update credentials set ${assignment} where secret_digest = sha256(convert_to($1, 'UTF8')) returning id`,
    [secret],
  )
  expect(changed).toHaveLength(1)
}

/** A request over a socket, with headers as they are written. */
const ask = (method: string, path: string, headers: string[] = [], encoding?: BufferEncoding) =>
  exchange(
    port,
    [`${method} ${path} HTTP/1.1`, 'host: localhost', 'connection: close', ...headers, '', ''].join('\r\n'),
    encoding,
  )

/** Checks what every answer of a protected operation has in common. */
function expectProtected({ headers, body }: RawResponse, requestId: string | RegExp) {
  expect(headers['cache-control']).toBe('private, no-store')
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(headers['x-request-id']).toEqual(expect.stringMatching(requestId))
  expect(headers.etag).toBeUndefined()
  expect(headers['last-modified']).toBeUndefined()
  if (body !== '') expect(headers['content-length']).toBe(String(Buffer.byteLength(body)))
}

/** The headers that are the same for the same answer. */
const lasting = ({ headers: { date: _, ratelimit: __, ...rest } }: RawResponse) => rest

describe('a protected operation', () => {
  const callers: [string, keyof Secrets | undefined, number, string | undefined, string | RegExp][] = [
    ['nobody', undefined, 401, REALM, MISSING_BODY],
    ['an unknown token', 'unknown', 401, INVALID, INVALID_BODY],
    ['an expired token', 'expired', 401, INVALID, INVALID_BODY],
    ['a revoked token', 'revoked', 401, INVALID, INVALID_BODY],
    ["another user's token", 'foreign', 403, undefined, /^\{"error":"\w+ names another \w+ than the token does"\}$/],
    ["the user's own token", 'own', 200, undefined, /the-list|"ethEarned":"7"/],
    ["an administrator's token", 'admin', 200, undefined, /the-list|"ethEarned":"7"/],
  ]

  describe.each([LISTS, PROFILE])('%s', (path) => {
    test.each(callers)('answers %s', async (_name, key, status, challenge, body) => {
      const headers = ['x-request-id: mine', ...(key === undefined ? [] : [`authorization: Bearer ${secrets[key]}`])]
      const get = await ask('GET', path, headers)
      expect(get.status, get.body).toBe(status)
      expectProtected(get, /^mine$/)
      expect(get.headers['www-authenticate']).toBe(challenge)
      expect(get.headers['retry-after']).toBeUndefined()
      expect(get.headers['x-total-count']).toBe(status === 200 && path === LISTS ? '1' : undefined)
      if (typeof body === 'string') expect(get.body).toBe(body)
      else expect(get.body).toMatch(body)
      if (status !== 200) expect(Object.keys(JSON.parse(get.body))).toEqual(['error'])

      const head = await ask('HEAD', path, headers)
      expect(head).toMatchObject({ status, body: '' })
      expect(lasting(head)).toEqual(lasting(get))
    })

    test('gives an administrator the same bytes as the user', async () => {
      const [own, admin] = await Promise.all([
        ask('GET', path, [`authorization: Bearer ${secrets.own}`]),
        ask('GET', path, [`authorization: Bearer ${secrets.admin}`]),
      ])
      expect(admin.body).toBe(own.body)
    })

    test('does not tell unknown, expired and revoked tokens apart by a single byte', async () => {
      const responses = []
      for (const key of ['unknown', 'expired', 'revoked'] as const) {
        const response = await ask('GET', path, ['x-request-id: mine', `authorization: Bearer ${secrets[key]}`])
        responses.push({ ...response, headers: lasting(response) })
      }
      expect(responses[1]).toEqual(responses[0])
      expect(responses[2]).toEqual(responses[0])
    })

    test('gives a caller without a request ID a new one', async () => {
      expectProtected(await ask('GET', path), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    })

    test('answers no If-None-Match with 304', async () => {
      const response = await ask('GET', path, [`authorization: Bearer ${secrets.own}`, 'if-none-match: *'])
      expect(response.status).toBe(200)
    })
  })

  test('that finds nothing is 404, for no cache', async () => {
    const path = `/users/profile?user=${anAddress('nobody')}`
    const get = await ask('GET', path, [`authorization: Bearer ${secrets.admin}`])
    expect(get.status).toBe(404)
    expectProtected(get, /./)
    const head = await ask('HEAD', path, [`authorization: Bearer ${secrets.admin}`])
    expect(head).toMatchObject({ status: 404, body: '' })
    expectProtected(head, /./)
  })

  test('needs the token also where the path is written in another way', async () => {
    const ways = ['/users/profile/', '/users/prof%69le', '/campaigns/accesslists/', '/campaigns/access%6Cists']
    for (const path of [...ways, 'http://localhost/users/profile', '/users/profile?']) {
      const response = await ask('GET', path)
      expect(response, path).toMatchObject({ status: 401, body: MISSING_BODY })
      expectProtected(response, /./)
    }
  })

  test('lets a token in until the moment of its end', async () => {
    await using clocked = await startTestApp()
    const secret = await issueToken(clocked)
    await change(clocked.database, secret, `expires_at = '${JANUARY.toISOString()}'`)
    for (const [ms, status] of [
      [-1, 200],
      [0, 401],
      [1, 401],
    ] as const) {
      clocked.setNow(later(ms))
      expect((await clocked.get('/campaigns/accesslists', bearing(secret))).statusCode, String(ms)).toBe(status)
    }
  })

  test('refuses a revoked token from the next request on', async () => {
    const secret = await issueToken(api)
    expect((await api.get('/campaigns/accesslists', bearing(secret))).statusCode).toBe(200)
    await change(api.database, secret, 'revoked_at = now()')
    expect((await api.get('/campaigns/accesslists', bearing(secret))).statusCode).toBe(401)
  })
})

describe('the authorization header', () => {
  const read = (authorization: string, encoding?: BufferEncoding) =>
    ask('GET', PROFILE, [`authorization: ${authorization}`], encoding)

  test.each([
    ['bearer in lower case', (own: string) => `bearer ${own}`],
    ['BEARER in upper case', (own: string) => `BEARER ${own}`],
    ['several spaces', (own: string) => `Bearer    ${own}`],
    ['space at the end', (own: string) => `Bearer ${own}   `],
  ])('may have %s', async (_name, write) => {
    expect((await read(write(secrets.own))).status).toBe(200)
  })

  test.each([
    ['is empty', () => ''],
    ['has another scheme', () => `Basic ${Buffer.from('user:password').toString('base64')}`],
    ['has a valid token under another scheme', (own: string) => `Basic ${own}`],
    ['has a scheme that only begins so', (own: string) => `Bearertoken ${own}`],
    ['has the token without a scheme', (own: string) => own],
    ['has no space after the scheme', (own: string) => `Bearer:${own}`],
    ['has the scheme alone', () => 'Bearer'],
    ['has nothing but spaces after the scheme', () => 'Bearer    '],
  ])('that %s brings no token', async (_name, write) => {
    const response = await read(write(secrets.own))
    expect(response).toMatchObject({ status: 401, body: MISSING_BODY })
    expect(response.headers['www-authenticate']).toBe(REALM)
    expectProtected(response, /./)
  })

  test.each([
    ['of another case', (own: string) => `rcs_${swapCase(own.slice(4))}`],
    ['without its prefix', (own: string) => own.slice(4)],
    ['that is cut short', (own: string) => own.slice(0, -1)],
    ['that is too long by a character', (own: string) => `${own}A`],
    ['twice', (own: string) => `${own} ${own}`],
    ['in a list', (own: string) => `${own},${own}`],
    ['in quotes', (own: string) => `"${own}"`],
    ['with a name', (own: string) => `token=${own}`],
    ['that is percent-encoded', (own: string) => own.replace('_', '%5F')],
    ['of SQL', () => "' or 1=1 --"],
    ['of odd characters', () => '\u{1f4a9} ü %00 \\x00 <script>'],
    ['that is prototype pollution', () => '__proto__'],
    ['of 15,000 characters', () => 'a'.repeat(15_000)],
  ])('with a token %s brings one that is not valid', async (_name, write) => {
    const response = await read(`Bearer ${write(secrets.own)}`)
    expect(response).toMatchObject({ status: 401, body: INVALID_BODY })
    expect(response.headers['www-authenticate']).toBe(INVALID)
    expectProtected(response, /./)
  })

  test('with bytes that are no text brings a token that is not valid', async () => {
    expect(await read('Bearer \u00ff\u00fe\u0080', 'latin1')).toMatchObject({ status: 401, body: INVALID_BODY })
  })

  test('that is longer than headers may be is 431', async () => {
    expect((await read(`Bearer ${'a'.repeat(40_000)}`)).status).toBe(431)
  })

  test('with the stored digest of a token brings one that is not valid', async () => {
    const rows = await api.database.query("select encode(secret_digest, 'hex') as hex from credentials")
    expect(rows.length).toBeGreaterThan(3)
    for (const { hex } of rows) {
      const digest = Buffer.from(String(hex), 'hex')
      for (const written of [digest.toString('hex'), `\\x${hex}`, `rcs_${digest.toString('base64url')}`]) {
        expect((await read(`Bearer ${written}`)).status).toBe(401)
      }
    }
  })

  test('is the only place where a token counts', async () => {
    const { own } = secrets
    const elsewhere = [
      `cookie: authorization=${own}; access_token=${own}`,
      `x-api-key: ${own}`,
      `x-authorization: ${own}`,
    ]
    const response = await ask('GET', PROFILE, [...elsewhere, `proxy-authorization: Bearer ${own}`])
    expect(response).toMatchObject({ status: 401, body: MISSING_BODY })
    expect(await ask('GET', `${PROFILE}&access_token=${own}`)).toMatchObject({ status: 401, body: MISSING_BODY })
  })

  test('that comes twice is refused, whatever the two say, where it counts', async () => {
    const [good, bad] = [`authorization: Bearer ${secrets.own}`, `Authorization: Bearer ${secrets.unknown}`]
    const body = '{"error":"the header Authorization must be given once"}'
    for (const both of [
      [good, bad],
      [bad, good],
      [good, good],
    ]) {
      expect(await ask('GET', PROFILE, both)).toMatchObject({ status: 400, body })
    }
    expect((await ask('GET', '/campaigns', [good, bad])).status).toBe(200)
  })
})

describe('authentication', () => {
  test.each([
    '/campaigns/accesslists?orderBy=sideways',
    '/campaigns/accesslists?search=a%26b',
    '/campaigns/accesslists?nothing=1',
    '/campaigns/accesslists?search=%zz',
    '/campaigns/accesslists?search=%00',
    '/campaigns/accesslists?userId=a&userId=b',
    '/users/profile?user=0x1',
    '/users/profile?nothing=1',
  ])('comes before validation: %s', async (path) => {
    const nobody = await ask('GET', path)
    expect(nobody).toMatchObject({ status: 401, body: MISSING_BODY })
    expect(await ask('GET', path, [`authorization: Bearer ${secrets.unknown}`])).toMatchObject({
      status: 401,
      body: INVALID_BODY,
    })
    for (const secret of [secrets.own, secrets.admin]) {
      const response = await ask('GET', path, [`authorization: Bearer ${secret}`])
      expect(response.status, response.body).toBe(400)
      expectProtected(response, /./)
      expect(response.headers['www-authenticate']).toBeUndefined()
    }
  })

  test.each(PROTECTED)('is not asked for where the method is what is wrong: %s', async (path) => {
    for (const headers of [
      [],
      [`authorization: Bearer ${secrets.unknown}`],
      [`authorization: Bearer ${secrets.own}`],
    ]) {
      for (const method of ['POST', 'PUT', 'DELETE']) {
        const response = await ask(method, path, headers)
        expect(response.status).toBe(405)
        expect(response.headers.allow).toBe('GET, HEAD, OPTIONS')
        expect(response.headers['www-authenticate']).toBeUndefined()
        expect(String(response.headers['cache-control'])).toContain('no-store')
      }
    }
  })

  test.each(PROTECTED)('is not asked for by a preflight, which may announce the header: %s', async (path) => {
    const origin = 'origin: https://a.example'
    const announced = ['access-control-request-method: GET', 'access-control-request-headers: authorization']
    const response = await ask('OPTIONS', path, [origin, ...announced])
    expect(response).toMatchObject({ status: 204, body: '' })
    expect(response.headers['access-control-allow-origin']).toBe('*')
    expect(response.headers['access-control-allow-headers']).toMatch(/\bauthorization\b/i)
    expect(response.headers['access-control-allow-methods']).toContain('GET')
    expect(response.headers['www-authenticate']).toBeUndefined()
  })

  test('lets pages of other origins read answers and refusals', async () => {
    for (const headers of [
      [],
      [`authorization: Bearer ${secrets.unknown}`],
      [`authorization: Bearer ${secrets.own}`],
    ]) {
      const response = await ask('GET', LISTS, ['origin: https://a.example', ...headers])
      expect(response.headers['access-control-allow-origin']).toBe('*')
      expect(response.headers['access-control-allow-credentials']).toBeUndefined()
      const exposed = String(response.headers['access-control-expose-headers']).toLowerCase()
      for (const name of ['x-request-id', 'x-total-count', 'www-authenticate', 'retry-after', 'ratelimit']) {
        expect(exposed).toContain(name)
      }
    }
  })

  test('is nothing to the public operations: whatever is sent along is ignored', async () => {
    const headers = [
      `Bearer ${secrets.unknown}`,
      `Bearer ${secrets.expired}`,
      `Bearer ${secrets.own}`,
      'Basic dXNlcjpwYXNz',
      'garbage',
    ]
    for (const path of PUBLIC) {
      const plain = await api.get(path)
      expect(plain.statusCode, path).toBe(200)
      for (const authorization of headers) {
        const response = await api.get(path, { authorization })
        expect(response, path).toMatchObject({ statusCode: 200, body: plain.body })
        expect(response.headers['cache-control']).toMatch(/^public, /)
        expect(response.headers.etag).toBe(plain.headers.etag)
        expect(response.headers['www-authenticate']).toBeUndefined()
      }
    }
  })

  test('takes no measurably different time for unknown, expired and revoked tokens', async () => {
    const times: Record<'unknown' | 'expired' | 'revoked', number[]> = { unknown: [], expired: [], revoked: [] }
    for (let round = 0; round < 220; round++) {
      for (const key of ['unknown', 'expired', 'revoked'] as const) {
        const secret = key === 'unknown' ? createSecret() : secrets[key]
        const headers = { ...bearing(secret), 'x-forwarded-for': `10.0.${round % 250}.${round % 199}` }
        const start = performance.now()
        const { statusCode } = await api.get(LISTS, headers)
        if (round >= 20) times[key].push(performance.now() - start)
        expect(statusCode).toBe(401)
      }
    }
    const medians = Object.values(times).map((all) => all.sort((a, b) => a - b)[all.length / 2] ?? 0)
    expect(Math.max(...medians) / Math.min(...medians), medians.join(' ')).toBeLessThan(1.5)
  })
})

describe('a surface', () => {
  test('that is not served has no protected operations: 404 as any unknown path', async () => {
    await using publicOnly = await startTestApp({ SURFACES: 'public' })
    const secret = await issueToken(publicOnly, { isAdmin: true })
    for (const path of [LISTS, PROFILE, ...PROTECTED, '/campaigns/access%6Cists']) {
      for (const headers of [{}, bearing(secret), bearing(createSecret())]) {
        for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS'] as const) {
          const response = await publicOnly.app.inject({ method, url: path, headers })
          expect(response.statusCode, `${method} ${path}`).toBe(404)
          for (const name of ['www-authenticate', 'allow', 'ratelimit']) expect(response.headers[name]).toBeUndefined()
          if (method !== 'HEAD') expect(response.json()).toEqual({ error: expect.stringMatching(/^there is nothing /) })
        }
      }
    }
    expect((await publicOnly.get('/campaigns')).statusCode).toBe(200)
  })

  test('of the protected operations alone is served as with the others', async () => {
    await using staging = await startTestApp({ SURFACES: 'staging' }, api.database)
    for (const path of [LISTS, PROFILE]) {
      const [here, there] = await Promise.all([
        staging.get(path, bearing(secrets.own)),
        api.get(path, bearing(secrets.own)),
      ])
      expect(here).toMatchObject({ statusCode: 200, body: there.body })
      expect((await staging.get(path)).statusCode).toBe(401)
    }
    expect((await staging.get('/campaigns')).statusCode).toBe(404)
  })
})

describe('failed attempts', () => {
  /** A failed attempt from an address, perhaps through proxies. */
  const fail = (app: TestApp, remoteAddress = '127.0.0.1', forwarded?: string, url = '/users/profile') =>
    app.app.inject({
      url,
      remoteAddress,
      headers: { ...bearing(createSecret()), ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }) },
    })
  const statusOf = async (app: TestApp, ...parameters: [remoteAddress?: string, forwarded?: string]) =>
    (await fail(app, ...parameters)).statusCode

  test('count for an IPv6 network of 64 bits as a whole, and for an IPv4 address however it is written', async () => {
    await using limited = await startTestApp({ FAILED_AUTH_PER_MINUTE: '2', TRUSTED_PROXIES: '127.0.0.1' })
    for (const [first, second, third, other] of [
      ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::', '2001:db8:0:1::1'],
      ['8.8.8.8', '::ffff:8.8.8.8', '::ffff:808:808', '8.8.8.9'],
    ]) {
      expect(await statusOf(limited, '127.0.0.1', first)).toBe(401)
      expect(await statusOf(limited, '127.0.0.1', second)).toBe(401)
      expect(await statusOf(limited, '127.0.0.1', third)).toBe(429)
      expect(await statusOf(limited, '127.0.0.1', other)).toBe(401)
    }
  })

  test('count four times as many for an IPv6 network of 56 bits', async () => {
    await using limited = await startTestApp({ FAILED_AUTH_PER_MINUTE: '2', TRUSTED_PROXIES: '127.0.0.1' })
    const statuses: number[] = []
    for (let network = 0; network < 12; network += 1) {
      statuses.push(await statusOf(limited, '127.0.0.1', `2001:db8:0:${network.toString(16)}::1`))
    }
    expect(statuses).toEqual([...Array(8).fill(401), ...Array(4).fill(429)])
    expect(await statusOf(limited, '127.0.0.1', '2001:db8:0:100::1')).toBe(401)
  })

  test('count for an address whichever port a proxy writes to it', async () => {
    const TRUSTED_PROXIES = '127.0.0.1, 10.0.0.0/8'
    await using limited = await startTestApp({ FAILED_AUTH_PER_MINUTE: '2', TRUSTED_PROXIES })
    for (const [first, second, third] of [
      ['198.51.100.1:1001', '198.51.100.1:1002', '198.51.100.1'],
      ['[2001:db8::1]:1001', '[2001:db8::1]:1002', '[2001:db8::1]'],
      ['198.51.100.2, 10.0.0.1:443', '198.51.100.2:1002, 10.0.0.1', '198.51.100.2'],
    ]) {
      expect(await statusOf(limited, '127.0.0.1', first)).toBe(401)
      expect(await statusOf(limited, '127.0.0.1', second)).toBe(401)
      expect(await statusOf(limited, '127.0.0.1', third), third).toBe(429)
    }
  })

  test('are 20 a minute, then 429 until the minute is over', async () => {
    await using limited = await startTestApp()
    limited.setNow(JANUARY)
    for (let attempt = 1; attempt <= 20; attempt++) {
      const { statusCode, headers } = await fail(limited, '127.0.0.1', undefined, PROTECTED[attempt % 2])
      expect(statusCode).toBe(401)
      expect(headers['www-authenticate']).toBe(INVALID)
      expect(headers['ratelimit-policy']).toBe('"failed-attempts";q=20;w=60')
      expect(headers.ratelimit).toBe(`"failed-attempts";r=${20 - attempt};t=60`)
      expect(headers['retry-after']).toBeUndefined()
    }
    limited.setNow(later(18_500))
    for (const method of ['GET', 'HEAD'] as const) {
      const url = '/users/profile'
      const response = await limited.app.inject({ method, url, headers: bearing(createSecret()) })
      expect(response.statusCode).toBe(429)
      expect(response.headers).toMatchObject({
        'retry-after': '42',
        'ratelimit-policy': '"failed-attempts";q=20;w=60',
        ratelimit: '"failed-attempts";r=0;t=42',
        'cache-control': 'private, no-store',
        'content-type': 'application/json; charset=utf-8',
        'x-request-id': expect.stringMatching(/./),
      })
      expect(response.headers['www-authenticate']).toBeUndefined()
      expect(response.headers.etag).toBeUndefined()
      const body = '{"error":"too many failed attempts from this address, try again in 42 seconds"}'
      expect(response.body).toBe(method === 'HEAD' ? '' : body)
    }
    limited.setNow(later(59_999))
    expect((await fail(limited)).headers['retry-after']).toBe('1')
    limited.setNow(later(60_000))
    const renewed = await fail(limited)
    expect(renewed.statusCode).toBe(401)
    expect(renewed.headers.ratelimit).toBe('"failed-attempts";r=19;t=60')
  })

  test('beyond the limit stop neither valid tokens nor public operations from the same address', async () => {
    await using limited = await startTestApp({ FAILED_AUTH_PER_MINUTE: '2' })
    await limited.save(...belongings, CAMPAIGN)
    const secret = await issueToken(limited, { userId: 'user-1', address: ADDRESS })
    for (const status of [401, 401, 429, 429]) expect(await statusOf(limited)).toBe(status)
    for (const path of [LISTS, PROFILE]) {
      const response = await limited.get(path, bearing(secret))
      expect(response.statusCode).toBe(200)
      expect(response.headers.ratelimit).toBeUndefined()
    }
    for (const path of PUBLIC) expect((await limited.get(path, bearing(createSecret()))).statusCode).toBe(200)
    expect((await limited.get(LISTS)).statusCode).toBe(401)
    expect(await statusOf(limited)).toBe(429)
  })

  test('are only those with a token that is not valid', async () => {
    await using limited = await startTestApp({ FAILED_AUTH_PER_MINUTE: '1' })
    const secret = await issueToken(limited, { userId: 'user-2' })
    const harmless: [string, Record<string, string>, number][] = [
      [LISTS, {}, 401],
      [LISTS, { authorization: 'Basic dXNlcjpwYXNz' }, 401],
      [LISTS, { authorization: 'Bearer ' }, 401],
      [LISTS, bearing(secret), 403],
      ['/campaigns/accesslists?nothing=1', bearing(secret), 400],
      ['/campaigns', bearing(createSecret()), 200],
      ['/nothing', bearing(createSecret()), 404],
    ]
    for (const [path, headers, status] of harmless) {
      for (let time = 0; time < 3; time++) {
        const response = await limited.get(path, headers)
        expect(response.statusCode, path).toBe(status)
        expect(response.headers.ratelimit).toBeUndefined()
      }
    }
    for (const status of [401, 429]) expect(await statusOf(limited)).toBe(status)
  })

  test.each([
    ['of expired and revoked tokens', (all: Secrets) => `Bearer ${all.expired}`],
    ['with a tab before the token', () => `Bearer \t${createSecret()}`],
    ['with spaces before the token', () => `Bearer    ${createSecret()}`],
    ['with the scheme in lower case', () => `bearer ${createSecret()}`],
  ])('%s count too', async (_name, write) => {
    await using limited = await startTestApp({ FAILED_AUTH_PER_MINUTE: '1' }, api.database)
    const headers = { authorization: write(secrets) }
    for (const status of [401, 429]) expect((await limited.get('/users/profile', headers)).statusCode).toBe(status)
  })

  test('are none where FAILED_AUTH_PER_MINUTE is 0', async () => {
    await using limited = await startTestApp({ FAILED_AUTH_PER_MINUTE: '0' }, api.database)
    expect(await statusOf(limited)).toBe(429)
    expect((await limited.get(LISTS, bearing(secrets.own))).statusCode).toBe(200)
  })

  test('at the same time are counted each', async () => {
    await using limited = await startTestApp()
    const statuses = await Promise.all(Array.from({ length: 50 }, () => statusOf(limited)))
    expect(statuses.filter((status) => status === 401)).toHaveLength(20)
    expect(statuses.filter((status) => status === 429)).toHaveLength(30)
  })

  test('are counted by the address of the connection, whatever the client says it is', async () => {
    await using limited = await startTestApp({ FAILED_AUTH_PER_MINUTE: '1' })
    expect(await statusOf(limited, '198.51.100.1', '192.0.2.1')).toBe(401)
    expect(await statusOf(limited, '198.51.100.1', '192.0.2.2')).toBe(429)
    expect(await statusOf(limited, '198.51.100.2', '192.0.2.1')).toBe(401)
  })

  test('through a trusted proxy are counted by the address that the proxy names', async () => {
    const TRUSTED_PROXIES = '10.0.0.0/8, 192.0.2.254'
    await using limited = await startTestApp({ FAILED_AUTH_PER_MINUTE: '1', TRUSTED_PROXIES })
    const steps: [remoteAddress: string, forwarded: string | undefined, status: number][] = [
      ['10.1.2.3', '198.51.100.1', 401],
      ['10.1.2.3', '198.51.100.1', 429],
      ['192.0.2.254', '198.51.100.1', 429],
      ['10.1.2.3', '198.51.100.2', 401],
      // What the client itself has written stands before what the proxy adds.
      ['10.1.2.3', '203.0.113.77, 198.51.100.2', 429],
      ['10.1.2.3', '10.9.9.9, 198.51.100.2', 429],
      ['10.1.2.3', '198.51.100.2, 10.9.9.9', 429],
      // Nobody else is believed.
      ['203.0.113.9', '198.51.100.3', 401],
      ['203.0.113.9', '198.51.100.4', 429],
      ['10.1.2.3', '198.51.100.3', 401],
      ['10.1.2.3', undefined, 401],
      ['10.1.2.3', undefined, 429],
    ]
    for (const [remoteAddress, forwarded, status] of steps) {
      expect(await statusOf(limited, remoteAddress, forwarded), `${remoteAddress} ${forwarded}`).toBe(status)
    }
  })

  test('from many other addresses do not make an address forgotten that goes on', async () => {
    await using limited = await startTestApp({ FAILED_AUTH_PER_MINUTE: '1', TRUSTED_PROXIES: '127.0.0.1' })
    expect(await statusOf(limited, '127.0.0.1', '198.51.100.1')).toBe(401)
    for (let round = 0; round < 5; round++) {
      const others = Array.from({ length: 200 }, (_, index) => `10.0.${round}.${index}`)
      await Promise.all(others.map((address) => statusOf(limited, '127.0.0.1', address)))
      expect(await statusOf(limited, '127.0.0.1', '198.51.100.1')).toBe(429)
    }
  })
})

describe('a database', () => {
  test('that is away is 503, neither 401 nor a failed attempt, and tells nothing of the inside', async () => {
    const url = `postgres://somebody:secret@127.0.0.1:${await closedPort()}/somewhere`
    const away: TestDatabase = { url, query: async () => [], [Symbol.asyncDispose]: async () => undefined }
    await using lost = await startTestApp({ FAILED_AUTH_PER_MINUTE: '0' }, away)
    for (const path of PROTECTED) {
      for (const secret of [secrets.own, secrets.unknown]) {
        const response = await lost.get(path, bearing(secret))
        expect(response.statusCode, response.body).toBe(503)
        expect(response.headers['retry-after']).toMatch(/^[1-9][0-9]*$/)
        expect(response.headers['cache-control']).toBe('private, no-store')
        expect(response.headers['www-authenticate']).toBeUndefined()
        expect(response.headers.ratelimit).toBeUndefined()
        expect(response.json()).toEqual({ error: expect.stringMatching(/^the database /) })
        expect(response.body).not.toMatch(/127\.0\.0\.1|ECONN|secret|somebody|somewhere|select|credentials/)
      }
      expect((await lost.get(path)).statusCode).toBe(401)
    }
  })

  test('without the table of tokens is a defect: 500, and nobody gets in', async () => {
    await using broken = await startTestApp()
    const secret = await issueToken(broken, { userId: 'user-1', address: ADDRESS })
    await broken.database.query('alter table credentials rename to elsewhere')
    for (const path of [LISTS, PROFILE]) {
      const response = await broken.get(path, bearing(secret))
      expect(response).toMatchObject({ statusCode: 500, body: '{"error":"internal server error"}' })
      expect(response.headers['cache-control']).toBe('private, no-store')
    }
  })

  test('that fails at a query with a token in it does not bring the token into the log', async () => {
    await using broken = await startTestApp()
    const secret = await issueToken(broken)
    await broken.database.query('alter table access_lists rename to elsewhere')
    const response = await broken.get(`/campaigns/accesslists?search=${secret}`, bearing(secret))
    expect(response.statusCode).toBe(500)
    // The app checks its log when it ends.
  })
})

describe('the use of a token', () => {
  async function usedAt(app: TestApp, secret: string) {
    const rows = await app.database.query(
      "select last_used_at from credentials where secret_digest = sha256(convert_to($1, 'UTF8'))",
      [secret],
    )
    expect(rows).toHaveLength(1)
    return rows[0]?.last_used_at
  }

  test('is recorded at the first, and then at most once a minute', async () => {
    await using clocked = await startTestApp()
    const secret = await issueToken(clocked)
    expect(await usedAt(clocked, secret)).toBe(null)
    for (const [ms, recorded] of [
      [0, 0],
      [1, 0],
      [59_999, 0],
      [60_001, 60_001],
      [61_000, 60_001],
      [120_002, 120_002],
    ] as const) {
      clocked.setNow(later(ms))
      expect((await clocked.get('/campaigns/accesslists', bearing(secret))).statusCode).toBe(200)
      expect(await usedAt(clocked, secret), String(ms)).toEqual(later(recorded))
    }
  })

  test('by many at once is recorded once', async () => {
    await using clocked = await startTestApp()
    const secret = await issueToken(clocked)
    clocked.setNow(JANUARY)
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => clocked.get('/campaigns/accesslists', bearing(secret))),
    )
    expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    expect(await usedAt(clocked, secret)).toEqual(JANUARY)
  })

  test('is recorded also where the request is refused for another reason', async () => {
    const secret = await issueToken(api, { userId: 'user-2' })
    expect((await api.get(LISTS, bearing(secret))).statusCode).toBe(403)
    expect(await usedAt(api, secret)).toBeInstanceOf(Date)
  })

  test('that is not valid is not recorded', async () => {
    for (const secret of [secrets.expired, secrets.revoked]) {
      await api.get(LISTS, bearing(secret))
      expect(await usedAt(api, secret)).toBe(null)
    }
  })

  test('that cannot be written down is answered all the same', async () => {
    await using readOnly = await startTestApp()
    await readOnly.save(...belongings)
    const secret = await issueToken(readOnly, { userId: 'user-1', address: ADDRESS })
    const name = new URL(readOnly.database.url).pathname.slice(1)
    await readOnly.database.query(`alter database ${name} set default_transaction_read_only = on`)
    for (const path of [LISTS, PROFILE]) {
      expect((await readOnly.get(path, { ...bearing(secret), 'x-request-id': randomUUID() })).statusCode).toBe(200)
    }
  })
})

const swapCase = (text: string) =>
  text.replace(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
