import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'reward-campaigns-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { createTestDatabase, lockCampaigns, type TestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anErc20Incentive, aToken } from '../setup/records.ts'
import { openDatabaseProxy } from '../setup/servers/database-proxy.ts'
import { listen } from '../setup/servers/sockets.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'
import { waitFor } from '../setup/wait-for.ts'

const STALE = 'reward-campaigns; hit; fwd=stale'

const token = aToken({ priceUsd: '1' })
const campaign = aCampaign({ incentives: [anErc20Incentive(token.address)] })
const claim = aClaim(campaign, { blockTimestamp: String(Math.floor(Date.now() / 1000) - 60) })

const PATHS = ['/campaigns', `/campaigns/${campaign.id}`, '/reward-kit/trending', '/explore/contracts']

let prepared: TestDatabase
beforeAll(async () => {
  prepared = await createTestDatabase()
  await prepared.save?.(token, campaign, claim)
})
afterAll(() => prepared[Symbol.asyncDispose]())

/** The app, with a way to its database that can be interrupted. */
async function startInterruptible(settings: Record<string, string> = {}) {
  const database = await createTestDatabase(prepared)
  const save = (...records: ImportRecord[]) => importRecords(database.url, [toRecordSource('test records', records)])
  const proxy = await openDatabaseProxy(database.url)
  const api = await startTestApp(settings, { ...database, url: proxy.url })
  return {
    get: api.get,
    setNow: api.setNow,
    database,
    save,
    interrupt: proxy.interrupt,
    async [Symbol.asyncDispose]() {
      proxy.interrupt('cut')
      await api[Symbol.asyncDispose]()
      await proxy[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

const staleOf = ({ headers }: { headers: Record<string, unknown> }) => ({
  age: headers.age,
  status: headers['cache-status'],
})

/** On a machine that is busy, more than one request may be answered before the database is there again. */
const untilBack = ({ get }: { get: TestApp['get'] }) =>
  expect.poll(async () => staleOf(await get('/campaigns')).status, { timeout: 5000 }).toBeUndefined()

test.each(PATHS)('while the database is away, %s is what it was, and says since when and why', async (path) => {
  await using api = await startInterruptible()
  const now = new Date()
  api.setNow(now)
  const fresh = await api.get(path)
  expect(staleOf(fresh)).toEqual({ age: undefined, status: undefined })
  api.interrupt('cut')
  api.setNow(new Date(now.getTime() + 12_345))
  const old = await api.get(path)
  expect(old.statusCode).toBe(200)
  expect(old.body).toBe(fresh.body)
  expect(staleOf(old)).toEqual({ age: '12', status: STALE })
  expect(old.headers['cache-control']).toBe('no-store')
  for (const name of ['etag', 'x-total-count', 'vary', 'content-type']) {
    expect(old.headers[name], name).toBe(fresh.headers[name])
  }
  const unchanged = await api.get(path, { 'if-none-match': String(fresh.headers.etag) })
  expect(unchanged).toMatchObject({
    statusCode: 304,
    body: '',
    headers: { age: '12', 'cache-status': STALE, 'cache-control': 'no-store' },
  })
})

test('what was not right in the last 60 seconds, or never asked for, is 503', async () => {
  await using api = await startInterruptible()
  const now = Date.now()
  api.setNow(new Date(now))
  await api.get('/campaigns')
  // Looked at again, it is known to be right until then.
  api.setNow(new Date(now + 30_000))
  await api.get('/campaigns')
  api.interrupt('cut')
  api.setNow(new Date(now + 89_999))
  expect(staleOf(await api.get('/campaigns'))).toEqual({ age: '59', status: STALE })
  api.setNow(new Date(now + 90_000))
  const late = await api.get('/campaigns')
  expect(late.statusCode).toBe(503)
  expect(late.headers['retry-after']).toMatch(/^[1-9]/)
  expect(staleOf(late)).toEqual({ age: undefined, status: undefined })
  api.setNow(new Date(now + 29_999))
  expect((await api.get('/campaigns')).statusCode, 'the clock was set back').toBe(503)
  api.setNow(new Date(now + 31_000))
  expect((await api.get('/campaigns?pageSize=1')).statusCode).toBe(503)
  expect((await api.get('/readyz')).statusCode).toBe(503)
})

test('with STALE_IF_ERROR_SECONDS=0, and where nothing is kept, an absent database is 503', async () => {
  for (const settings of [{ STALE_IF_ERROR_SECONDS: '0' }, { RESPONSE_CACHE_MB: '0' }]) {
    await using api = await startInterruptible(settings)
    expect((await api.get('/campaigns')).statusCode).toBe(200)
    api.interrupt('cut')
    expect((await api.get('/campaigns')).statusCode).toBe(503)
  }
})

test('as of a block, nothing is given while the database is away', async () => {
  await using api = await startInterruptible()
  await api.get('/campaigns')
  api.interrupt('cut')
  expect((await api.get('/campaigns?minBlock=8453:1')).statusCode).toBe(503)
  expect((await api.get('/campaigns')).statusCode).toBe(200)
})

test('a database that is back is asked with the next request, and its news are shown', async () => {
  await using api = await startInterruptible()
  await api.get('/campaigns')
  api.interrupt('cut')
  expect(staleOf(await api.get('/campaigns')).status).toBe(STALE)
  await api.save(aCampaign({ incentives: [anErc20Incentive(token.address)] }))
  expect((await api.get('/campaigns')).json()).toMatchObject({ totalCampaigns: 1 })
  api.interrupt(undefined)
  await untilBack(api)
  const back = await api.get('/campaigns')
  expect(back.json()).toMatchObject({ totalCampaigns: 2 })
  expect(staleOf(back)).toEqual({ age: undefined, status: undefined })
})

test('a client that was given an old answer does not take the next for one', async () => {
  await using api = await startInterruptible()
  await api.get('/campaigns')
  const client = createClient({
    baseUrl: 'http://service.example',
    async fetch({ url, headers }) {
      const { statusCode, body, headers: given } = await api.get(new URL(url).pathname, Object.fromEntries(headers))
      const entries = Object.entries(given).map(([name, value]): [string, string] => [name, String(value)])
      return new Response(statusCode === 304 ? null : body, { status: statusCode, headers: entries })
    },
  })
  const ask = async () => {
    const { headers } = (await client.api.GET('/campaigns')).response
    return { age: headers.get('age'), status: headers.get('cache-status') }
  }
  api.interrupt('cut')
  expect((await ask()).status).toBe(STALE)
  api.interrupt(undefined)
  await untilBack(api)
  expect(await ask()).toEqual({ age: null, status: null })
  expect(await ask(), 'confirmed by a 304').toEqual({ age: null, status: null })
})

test('a database that says nothing any more is waited for once; then old answers come soon', async () => {
  await using api = await startInterruptible({ STATEMENT_TIMEOUT_MS: '2500' })
  await Promise.all(PATHS.map((path) => api.get(path)))
  api.interrupt('freeze')
  expect(staleOf(await api.get('/campaigns')).status).toBe(STALE)
  const startedAt = performance.now()
  const responses = await Promise.all(PATHS.map((path) => api.get(path)))
  expect(responses.map((response) => staleOf(response).status)).toEqual(PATHS.map(() => STALE))
  expect(performance.now() - startedAt).toBeLessThan(2000)
})

test('where the new answer takes too long, the old one is given', async () => {
  await using api = await startInterruptible({ STATEMENT_TIMEOUT_MS: '1500' })
  const { body } = await api.get('/reward-kit/trending')
  await using lock = await lockCampaigns(api.database.url, 'claims')
  // Its window has moved on, so it would have to be made again.
  await sleep(1000)
  const old = await api.get('/reward-kit/trending')
  await lock.release()
  expect(staleOf(old).status).toBe(STALE)
  expect(old.body).toBe(body)
})

test('a client that leaves while its response is made is given none that is stale', async () => {
  await using api = await startTestApp()
  await api.save(token, campaign, claim)
  const now = new Date()
  api.setNow(now)
  const path = '/reward-kit/trending'
  expect((await api.get(path)).statusCode).toBe(200)
  api.setNow(new Date(now.getTime() + 1000))
  const client = connect(await listen(api.app), '127.0.0.1')
  await using _ = await lockCampaigns(api.database.url, 'trending_campaigns')
  client.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
  await waitFor(() => api.lanes.queries.pool.totalCount - api.lanes.queries.pool.idleCount || undefined)
  client.destroy()
  await waitFor(() => (api.lanes.queries.pool.totalCount === api.lanes.queries.pool.idleCount ? true : undefined))
  expect(api.counts.cacheResults).toEqual({ hit: 0, miss: 1, stale: 0 })
})
