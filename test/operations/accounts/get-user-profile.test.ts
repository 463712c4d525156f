import { Readable } from 'node:stream'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importRecords } from '../../../src/import/importer.ts'
import type { ProfileRecord } from '../../../src/ingest/records.ts'
import { anAddress, aProfile, inUpperCase } from '../../setup/records.ts'
import { repeated } from '../../setup/repetitions.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'
import { bearing, issueToken } from '../../setup/tokens.ts'

const PATH = '/users/profile'
const ME = anAddress('me')
const OTHER = anAddress('other')
const NOW = new Date('2026-01-01T00:00:00.000Z')
const MAX = (2n ** 256n - 1n).toString()

const ask = (api: BorrowedTestApp, query: string, secret: string) => api.get(`${PATH}?${query}`, bearing(secret))

/** The profile of an account, as an administrator sees it. */
async function profileOf(api: BorrowedTestApp, user: string, admin: string) {
  const response = await ask(api, `user=${user}`, admin)
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

async function refused(api: BorrowedTestApp, query: string, secret: string, status: number): Promise<string> {
  const response = await ask(api, query, secret)
  expect(response.statusCode, `${query}: ${response.body}`).toBe(status)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(response.headers['cache-control']).toBe('private, no-store')
  const body = response.json()
  expect(Object.keys(body)).toEqual(['error'])
  return body.error
}

let shared: BorrowedTestApp
/** Tokens: of somebody with a profile, of somebody without an address, and of administrators with and without one. */
let own: string
let nameless: string
let admin: string
let adminWithAddress: string
beforeAll(async () => {
  shared = await borrowTestApp()
  shared.setNow(NOW)
  own = await issueToken(shared, { userId: 'user-1', address: ME })
  nameless = await issueToken(shared, { userId: 'user-2' })
  admin = await issueToken(shared, { userId: 'operator', isAdmin: true })
  adminWithAddress = await issueToken(shared, { userId: 'operator', address: ME, isAdmin: true })
  await shared.save(mine, aProfile({ userAddress: OTHER, score: 1841 }))
})
afterAll(() => shared[Symbol.asyncDispose]())

const mine: ProfileRecord = {
  type: 'profile',
  userAddress: inUpperCase(ME),
  ethEarned: '1250000000000000000',
  score: 1840.5,
  streak: {
    value: 9.5,
    lastExpirationTime: '2025-12-31T00:00:00Z',
    nextExpirationTime: '2026-01-01T12:00:00.5Z',
    lastCompletionTime: '2025-12-31T12:00:00.1239Z',
  },
}

const shown = {
  ethEarned: '1250000000000000000',
  score: 1840.5,
  ranking: 2,
  streak: {
    value: 9.5,
    status: 'active',
    lastExpirationTime: '2025-12-31T00:00:00.000Z',
    nextExpirationTime: '2026-01-01T12:00:00.500Z',
    lastCompletionTime: '2025-12-31T12:00:00.123Z',
  },
}

test('the profile has every key, with what the record says, and is kept by nobody', async () => {
  const response = await ask(shared, '', own)
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(response.headers['cache-control']).toBe('private, no-store')
  expect(response.headers.etag).toBeUndefined()
  expect(response.json()).toEqual(shown)
})

describe('the account', () => {
  test('is that of the token by default, and may be named in any case', async () => {
    for (const user of [ME, inUpperCase(ME)]) expect((await ask(shared, `user=${user}`, own)).json()).toEqual(shown)
  })

  test('may be no other one, whether it has a profile or not, nor any for a token without an address', async () => {
    for (const user of [OTHER, inUpperCase(OTHER), anAddress('nobody')]) {
      expect(await refused(shared, `user=${user}`, own, 403)).toContain('user')
    }
    expect(await refused(shared, `user=${ME}`, nameless, 403)).toContain('user')
  })

  test('may be any one for an administrator, in any case', async () => {
    for (const secret of [admin, adminWithAddress]) {
      for (const user of [ME, inUpperCase(ME)]) expect(await profileOf(shared, user, secret)).toEqual(shown)
      expect((await profileOf(shared, OTHER, secret)).score).toBe(1841)
    }
  })

  test('is that of the token for an administrator who has an address', async () => {
    expect((await ask(shared, '', adminWithAddress)).json()).toEqual(shown)
  })

  test('must be named where the token has no address, also by an administrator', async () => {
    for (const secret of [nameless, admin]) expect(await refused(shared, '', secret, 400)).toContain('user is missing')
  })

  test('without a profile is 404, and the message names the account and nothing internal', async () => {
    const nobody = anAddress('nobody')
    const message = `there is no profile of ${nobody}`
    const itself = await issueToken(shared, { userId: 'user-3', address: nobody })
    expect(await refused(shared, '', itself, 404)).toBe(message)
    expect(await refused(shared, `user=${nobody}`, itself, 404)).toBe(message)
    expect(await refused(shared, `user=${inUpperCase(nobody)}`, admin, 404)).toBe(message)
  })
})

describe('a parameter is refused, and the message names it', () => {
  test.each([
    ['user=', 'user', 'address'],
    ['user', 'user', 'address'],
    ['user=null', 'user', 'address'],
    [`user=${ME.slice(0, -1)}`, 'user', 'address'],
    [`user=${ME}0`, 'user', 'address'],
    [`user=${ME.slice(2)}`, 'user', 'address'],
    [`user=0X${ME.slice(2)}`, 'user', 'address'],
    [`user=%20${ME}`, 'user', 'address'],
    [`user=${ME}%0A`, 'user', 'address'],
    [`user=${ME},${ME}`, 'user', 'address'],
    ['user=user-1', 'user', 'address'],
    [`user=${ME}&user=${ME}`, 'user', 'once'],
    [`User=${ME}`, 'User', 'Known are user'],
    ['userId=user-1', 'userId', 'Known are user'],
    ['page=1', 'page', 'known are user'],
    ['user=%00', 'NUL', 'NUL'],
  ])('%s', async (query, name, allowed) => {
    for (const secret of [own, admin]) {
      const message = await refused(shared, query, secret, 400)
      expect(message).toContain(name)
      expect(message).toContain(allowed)
    }
  })

  test('after the token: without one the answer is 401', async () => {
    const response = await shared.get(`${PATH}?user=x`)
    expect(response.statusCode).toBe(401)
    expect(response.headers['cache-control']).toBe('private, no-store')
    expect(Object.keys(response.json())).toEqual(['error'])
  })
})

test('ethEarned is exact up to 2^256 - 1', async () => {
  const amounts = ['0', '9007199254740993', '100000000000000000000000000000000000001', MAX]
  await shared.save(
    ...amounts.map((ethEarned, index) => aProfile({ userAddress: anAddress(`rich ${index}`), ethEarned })),
  )
  for (const [index, amount] of amounts.entries()) {
    expect((await profileOf(shared, anAddress(`rich ${index}`), admin)).ethEarned).toBe(amount)
  }
})

test('score and length of the streak are what the record says, to the last digit', async () => {
  const numbers = [0, -1.5, 0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -(2 ** 53), 1000.0001]
  await shared.save(
    ...numbers.map((score, index) => {
      const { streak } = aProfile()
      return aProfile({ userAddress: anAddress(`number ${index}`), score, streak: { ...streak, value: -score } })
    }),
  )
  for (const [index, number] of numbers.entries()) {
    const { score, streak } = await profileOf(shared, anAddress(`number ${index}`), admin)
    expect(score).toBe(number)
    expect(streak.value + 0).toBe(0 - number)
  }
})

describe('the streak', () => {
  const LAST = Date.parse('2026-03-01T00:00:00.000Z')
  const NEXT = Date.parse('2026-03-02T00:00:00.000Z')
  const at = (time: number) => new Date(time).toISOString()
  const user = (completion: number) => anAddress(`streak ${completion}`)
  const cases: [completion: number, now: number, status: 'active' | 'pending' | 'broken'][] = [
    [LAST, NEXT - 1, 'active'],
    [LAST, NEXT, 'broken'],
    [LAST, NEXT + 1, 'broken'],
    [LAST - 1, NEXT - 1, 'pending'],
    [LAST - 1, NEXT, 'broken'],
    [LAST - 86_400_000, NEXT - 1, 'pending'],
    [LAST + 1, LAST, 'active'],
    [LAST, LAST - 1, 'active'],
    [LAST - 1, LAST, 'pending'],
    [NEXT, NEXT - 1, 'active'],
    [NEXT, NEXT, 'broken'],
    [NEXT + 1, NEXT + 2, 'broken'],
  ]
  let api: BorrowedTestApp
  let secret: string
  beforeAll(async () => {
    api = await borrowTestApp()
    secret = await issueToken(api, { isAdmin: true })
    await api.save(
      ...[...new Set(cases.map(([completion]) => completion))].map((completion) =>
        aProfile({
          userAddress: user(completion),
          streak: {
            value: 3,
            lastExpirationTime: at(LAST),
            nextExpirationTime: at(NEXT),
            lastCompletionTime: at(completion),
          },
        }),
      ),
    )
  })
  afterAll(() => api[Symbol.asyncDispose]())

  for (const [completion, now, status] of cases) {
    test(`of ${at(LAST)} to ${at(NEXT)}, completed at ${at(completion)}, is ${status} at ${at(now)}`, async () => {
      api.setNow(new Date(now))
      expect((await profileOf(api, user(completion), secret)).streak).toEqual({
        value: 3,
        status,
        lastExpirationTime: at(LAST),
        nextExpirationTime: at(NEXT),
        lastCompletionTime: at(completion),
      })
    })
  }
})

describe('the ranking', () => {
  /** Few accounts, so that imports replace profiles as well as add some. */
  const accounts = Array.from({ length: 30 }, (_, index) => anAddress(`ranked ${index}`))
  const score = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(0, -0, 1, -1, 5e-324, -5e-324, 1.7976931348623157e308, -1e308) },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 300 }).map((number) => 1000 + number * 1e-4) },
    { weight: 2, arbitrary: fc.integer({ min: -30, max: 30 }).map((number) => number / 4) },
    { weight: 2, arbitrary: fc.integer({ min: -4, max: 4 }).map((ulps) => 1024 + ulps * 2 ** -42) },
    { weight: 1, arbitrary: fc.integer({ min: -20, max: 60 }).map((exponent) => 2 ** exponent) },
    { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  )
  const batch = fc.uniqueArray(fc.record({ userAddress: fc.constantFrom(...accounts), score }), {
    minLength: 1,
    maxLength: 30,
    selector: ({ userAddress }) => userAddress,
  })

  test('is 1 and the number of profiles with a higher score, after whatever imports', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 2, maxLength: 3 }), async (batches) => {
        await using api = await borrowTestApp()
        const secret = await issueToken(api, { isAdmin: true })
        const scores = new Map<string, number>()
        for (const profiles of batches) {
          await api.save(...profiles.map((parts) => aProfile(parts)))
          for (const profile of profiles) scores.set(profile.userAddress, profile.score)
          for (const [user, own] of scores) {
            const higher = [...scores.values()].filter((one) => one > own).length
            expect((await profileOf(api, user, secret)).ranking, `${own}`).toBe(1 + higher)
          }
        }
      }),
      { numRuns: repeated(3, 5) },
    )
  })

  test('is shared by equal scores, and leaves out as many places as there are equal ones', async () => {
    await using api = await borrowTestApp()
    const secret = await issueToken(api, { isAdmin: true })
    const scores = { first: 10, second: 7, third: 7, fourth: 7, fifth: 6.999999999999999, last: -3 }
    await api.save(...Object.entries(scores).map(([name, score]) => aProfile({ userAddress: anAddress(name), score })))
    const ranks: Record<string, number> = {}
    for (const name of Object.keys(scores)) ranks[name] = (await profileOf(api, anAddress(name), secret)).ranking
    expect(ranks).toEqual({ first: 1, second: 2, third: 2, fourth: 2, fifth: 5, last: 6 })
  })

  test('takes zero and minus zero for equal, however they are written', async () => {
    await using api = await borrowTestApp()
    const secret = await issueToken(api, { isAdmin: true })
    const written = ['0', '-0', '0.0', '-0.0e5', '1e-400', '-1e-400', '5e-324', '-5e-324']
    const lines = written.map((text, index) =>
      JSON.stringify(aProfile({ userAddress: anAddress(index), score: 77 })).replace('"score":77', `"score":${text}`),
    )
    await importRecords(api.database.url, [{ name: 'zeros', bytes: Readable.from([Buffer.from(lines.join('\n'))]) }])
    const responses: [number, number][] = []
    for (const index of written.keys()) {
      const { score, ranking } = await profileOf(api, anAddress(index), secret)
      responses.push([score, ranking])
    }
    const zeros = Array.from({ length: 6 }, () => [0, 2])
    expect(responses).toEqual([...zeros, [5e-324, 1], [-5e-324, 8]])
  })
})

test('an import is seen by the next request, and a profile that is replaced is what the new record says', async () => {
  await using api = await borrowTestApp()
  api.setNow(NOW)
  const secret = await issueToken(api, { address: ME })
  expect(await refused(api, '', secret, 404)).toContain(ME)
  await api.save(mine)
  expect((await ask(api, '', secret)).json()).toEqual({ ...shown, ranking: 1 })
  await api.save({
    ...mine,
    ethEarned: '7',
    score: 2,
    streak: { ...mine.streak, nextExpirationTime: NOW.toISOString() },
  })
  expect((await ask(api, '', secret)).json()).toEqual({
    ethEarned: '7',
    score: 2,
    ranking: 1,
    streak: { ...shown.streak, status: 'broken', nextExpirationTime: NOW.toISOString() },
  })
  await api.save(aProfile({ userAddress: OTHER, score: 2.0000000000000004 }))
  expect((await ask(api, '', secret)).json().ranking).toBe(2)
})
