import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive } from '../../setup/records.ts'
import { startTestApp, type TestApp } from '../../setup/test-app.ts'
import { waitFor } from '../../setup/wait-for.ts'

/** Far more than what systems and the service buffer, some 25 MB. */
const CLAIMS = 70_000

let prepared: TestDatabase
beforeAll(async () => {
  prepared = await createTestDatabase()
  const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] })
  await prepared.save?.(campaign, aClaim(campaign))
  // Only exports read them: what is derived from claims does not matter.
  await prepared.query(
    `insert into claims select chain_id, decode(lpad(to_hex(n), 64, '0'), 'hex'), 0, campaign_key, 0, claimant, 1, 1, 1700000000 + n
    from claims, generate_series(1, ${CLAIMS}) n`,
  )
})
afterAll(() => prepared[Symbol.asyncDispose]())

async function startWithClaims(settings: Record<string, string> = { MAX_EXPORTS: '1' }) {
  const database = await createTestDatabase(prepared)
  const api = await startTestApp(settings, database)
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  return api
}

/** A response that nothing is read of until the caller does. */
async function open(api: TestApp, path: string, client = '192.0.2.1') {
  const { port } = api.app.server.address() as { port: number }
  const request = httpRequest({ host: '127.0.0.1', port, path, agent: false, headers: { 'x-forwarded-for': client } })
  request.end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return { response, request }
}

const sessionsOf = async (api: TestApp) =>
  Number(
    (await api.database.query(`select count(*) from pg_stat_activity where query like 'copy%' and state = 'active'`))[0]
      ?.count,
  )

test('what is not read is not made, another export gets 503, and a reader that goes away leaves its place', async () => {
  await using api = await startWithClaims()
  const { response, request } = await open(api, `/export/claims?limit=${CLAIMS}`)
  expect(response.statusCode).toBe(200)
  await waitFor(async () => (await sessionsOf(api)) === 1 || undefined)
  const before = process.memoryUsage().rss
  const { statusCode, headers, body } = await api.get('/export/tokens')
  const seconds = Number(headers['retry-after'])
  expect([statusCode, JSON.parse(body)]).toEqual([
    503,
    {
      error: `as many exports as there may be at a time are being read, try again in ${seconds} seconds`,
    },
  ])
  // As long as the page has been read until now.
  expect(seconds).toBeGreaterThanOrEqual(1)
  expect(seconds).toBeLessThan(60)
  // All other operations go on.
  expect((await api.get('/status')).statusCode).toBe(200)
  expect(api.counts.exports).toEqual({ running: 1, refused: 1 })
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
  request.destroy()
  await waitFor(async () => (await sessionsOf(api)) === 0 || undefined)
  await waitFor(async () => (await api.get('/export/tokens')).statusCode === 200 || undefined)
  const whole = await open(api, `/export/claims?limit=${CLAIMS}`)
  let lines = 0
  for await (const chunk of whole.response) lines += (chunk as Buffer).toString().split('\n').length - 1
  expect(lines).toBe(CLAIMS)
  expect(whole.response.headers.link).toMatch(/rel="next"/)
})

test('an export that fails midway ends without its last chunk', async () => {
  await using api = await startWithClaims()
  const { response } = await open(api, `/export/claims?limit=${CLAIMS}`)
  await waitFor(async () => (await sessionsOf(api)) === 1 || undefined)
  await api.database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'copy%'`,
  )
  const read = async () => {
    for await (const _ of response);
  }
  await expect(read()).rejects.toThrow('aborted')
  expect(response.complete).toBe(false)
  // The place is free again.
  await waitFor(async () => (await api.get('/export/tokens')).statusCode === 200 || undefined)
})

test('one address reads half of the exports that may be read at a time, and leaves the others to others', async () => {
  await using api = await startWithClaims({ MAX_EXPORTS: '2', TRUSTED_PROXIES: '127.0.0.1' })
  const path = `/export/claims?limit=${CLAIMS}`
  const first = await open(api, path)
  expect(first.response.statusCode).toBe(200)
  const second = await open(api, path)
  const body = JSON.parse(String(await second.response.toArray()))
  const seconds = second.response.headers['retry-after']
  expect([second.response.statusCode, body]).toEqual([
    503,
    {
      error: `as many exports as one address may read at a time are being read, try again in ${seconds} seconds`,
    },
  ])
  const ofAnother = await open(api, path, '192.0.2.2')
  expect([ofAnother.response.statusCode, ofAnother.response.headers['x-error-code']]).toEqual([200, undefined])
  first.request.destroy()
  await waitFor(() => api.counts.exports.running === 1 || undefined)
  expect((await open(api, '/export/tokens')).response.statusCode).toBe(200)
})

/** The clock of the service, which time can be added to, and how readers are looked for after that. */
async function withShiftedClock(use: (pass: (seconds: number) => Promise<void>) => Promise<void>) {
  const clock = performance.now.bind(performance)
  let passedMs = 0
  const shifted = vi.spyOn(performance, 'now').mockImplementation(() => clock() + passedMs)
  try {
    await use(async (seconds) => {
      passedMs += seconds * 1000
      // Slow readers are looked for each second.
      await sleep(1100)
    })
  } finally {
    shifted.mockRestore()
  }
}

/** Reads so much of a response. */
async function read(response: IncomingMessage, bytes: number) {
  for (let left = bytes; left > 0; ) {
    const chunk: Buffer | null = response.read()
    if (chunk === null) await once(response, 'readable')
    else left -= chunk.length
  }
}

test('a reader that takes nothing for 60 seconds is cut off, and no earlier', async () => {
  await using api = await startWithClaims()
  const { response } = await open(api, `/export/claims?limit=${CLAIMS}`)
  response.on('error', () => undefined)
  await waitFor(async () => (await sessionsOf(api)) === 1 || undefined)
  await withShiftedClock(async (pass) => {
    await pass(0)
    await read(response, 4_000_000)
    await pass(100)
    await read(response, 4_000_000)
    await pass(0)
    await pass(55)
    expect(api.counts.exports.running).toBe(1)
    // Buffers of the system may have taken something meanwhile.
    await waitFor(async () => {
      await pass(10)
      return api.counts.exports.running === 0 || undefined
    })
  })
})

test.each([
  ['takes less than 32 kB a second over all of a page', 50, 300_000],
  ['takes longer than 15 minutes for a page', 50, 3_000_000],
])('a reader that %s is cut off, though it takes something all the while', async (_, seconds, bytes) => {
  await using api = await startWithClaims({ MAX_EXPORTS: '1' })
  const { response } = await open(api, `/export/claims?limit=${CLAIMS}`)
  const aborted = once(response, 'error').catch((error: unknown) => [error])
  await waitFor(async () => (await sessionsOf(api)) === 1 || undefined)
  let passed = 0
  await withShiftedClock(async (pass) => {
    while (api.counts.exports.running > 0 && passed < 1500) {
      await Promise.race([read(response, bytes), aborted])
      await pass(seconds)
      passed += seconds
    }
  })
  expect(api.counts.exports.running).toBe(0)
  expect(response.complete).toBe(false)
  expect(passed).toBeGreaterThan(60)
  expect(passed).toBeLessThanOrEqual(bytes === 3_000_000 ? 950 : 700)
})
