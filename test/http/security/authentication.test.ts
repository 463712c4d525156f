import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSecret } from '../../../src/database/lookups/bearer-tokens.ts'
import type { TestDatabase } from '../../setup/database.ts'
import { aCampaign, anAccessList, anAddress, aProfile } from '../../setup/records.ts'
import { exchange, listen, type RawResponse } from '../../setup/servers/sockets.ts'
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

const swapCase = (text: string) =>
  text.replace(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
