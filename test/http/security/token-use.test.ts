import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSecret } from '../../../src/database/lookups/bearer-tokens.ts'
import type { TestDatabase } from '../../setup/database.ts'
import { aCampaign, anAccessList, anAddress, aProfile } from '../../setup/records.ts'
import { closedPort } from '../../setup/servers/sockets.ts'
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
