import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSecret } from '../../../src/database/lookups/bearer-tokens.ts'
import type { TestDatabase } from '../../setup/database.ts'
import { aCampaign, anAccessList, anAddress, aProfile } from '../../setup/records.ts'
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

let secrets: Secrets

beforeAll(async () => {
  api = await startTestApp({ FAILED_AUTH_PER_MINUTE: '1000000', TRUSTED_PROXIES: '127.0.0.1' })
  await api.save(...belongings, CAMPAIGN)
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
