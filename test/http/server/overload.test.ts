import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { buildApp } from '../../../src/app.ts'
import { readSettings } from '../../../src/config.ts'
import { openPool } from '../../../src/database/connection/pool.ts'
import { openSnapshotsOf } from '../../../src/database/exported-records/export-snapshots.ts'
import { createTestDatabase, lockCampaigns } from '../../setup/database.ts'
import { aCampaign } from '../../setup/records.ts'
import { collect, exchange, listen } from '../../setup/servers/sockets.ts'
import { startTestApp, type TestApp } from '../../setup/test-app.ts'
import { waitFor } from '../../setup/wait-for.ts'

/*
 * More requests than can be answered: what is refused is refused at once, and nobody pays for who has gone.
 */

const request = (path: string, close = true) =>
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${close ? 'connection: close\r\n' : ''}\r\n`

/** Queries of the service that wait for a lock. */
async function countWaiting({ database }: Pick<TestApp, 'database'>) {
  const [row] = await database.query(
    "select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )
  return row?.count
}

const untilWaiting = (api: Pick<TestApp, 'database'>, count: number) =>
  waitFor(async () => ((await countWaiting(api)) === count ? true : undefined))

describe('requests', () => {
  test('beyond those that may be under way are 503 at once, except to /livez', async () => {
    await using api = await startTestApp({ MAX_CONCURRENT_REQUESTS: '3' })
    const port = await listen(api.app)
    await using lock = await lockCampaigns(api.database.url, 'tokens')
    const held = []
    for (const page of [1, 2, 3]) {
      held.push(exchange(port, request(`/campaigns?search=x&page=${page}`)))
      await untilWaiting(api, page)
    }
    const refused = await exchange(port, request('/campaigns'))
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '2' } })
    expect(refused.body).toBe('{"error":"the service is overloaded, try again shortly"}')
    expect((await exchange(port, request('/livez'))).status).toBe(200)
    await lock.release()
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await exchange(port, request('/campaigns'))).status).toBe(200)
  })

  test('that would wait for a connection to the database behind many others are 503 at once', async () => {
    await using database = await createTestDatabase()
    const limits = { poolSize: 1, queueSize: 2, connectionTimeoutMs: 60_000, statementTimeoutMs: 60_000 }
    const opened = openPool({ url: database.url, ...limits, onIdleError: () => undefined })
    const settings = readSettings({ LOG_LEVEL: 'silent', MAX_EVENT_LOOP_DELAY_MS: '0' })
    const openSnapshot = openSnapshotsOf(opened.pool)
    const app = await buildApp({ database: opened.database, openSnapshot, settings, isReady: async () => true })
    try {
      await using lock = await lockCampaigns(database.url, 'tokens')
      const held = []
      for (const waiting of [0, 1, 2]) {
        // Each of another client: no one gets the whole queue.
        const asked = app.inject({ url: `/campaigns?search=x&page=${waiting}`, remoteAddress: `192.0.2.${waiting}` })
        held.push(asked.then(({ statusCode }) => statusCode))
        await untilWaiting({ database }, 1)
        await waitFor(() => (opened.pool.waitingCount === waiting ? true : undefined))
      }
      const start = Date.now()
      const refused = await app.inject('/campaigns?search=x')
      expect(Date.now() - start).toBeLessThan(10_000)
      expect(refused).toMatchObject({ statusCode: 503, headers: { 'retry-after': '2' } })
      expect((await app.inject('/livez')).statusCode).toBe(200)
      await lock.release()
      expect(await Promise.all(held)).toEqual([200, 200, 200])
      expect((await app.inject('/campaigns')).statusCode).toBe(200)
    } finally {
      await app.close()
      await opened.close()
    }
  })

  test('that one connection sends before any is answered are few, then it is answered 503 and closed', async () => {
    await using api = await startTestApp({ MAX_PIPELINED_REQUESTS: '5' })
    const port = await listen(api.app)
    await using lock = await lockCampaigns(api.database.url, 'tokens')
    const socket = connect(port, '127.0.0.1')
    const received = collect(socket)
    socket.write(Array.from({ length: 50 }, (_, page) => request(`/campaigns?search=x&page=${page}`, false)).join(''))
    await sleep(300)
    await lock.release()
    const text = await received
    const statuses = text.match(/HTTP\/1\.1 \d+/g)?.map((line) => Number(line.slice(-3)))
    expect(statuses).toEqual([200, 200, 200, 200, 200, 503])
    expect(text).toMatch(/HTTP\/1\.1 503 .*\r\nconnection: close\r\n.*retry-after: 2\r\n/s)
    const polite = connect(port, '127.0.0.1')
    const responses = collect(polite)
    polite.write(request('/campaigns', false).repeat(4) + request('/campaigns'))
    expect((await responses).match(/HTTP\/1\.1 200/g)).toHaveLength(5)
  })

  test.each([true, false])(
    'by the hundred thousand on one connection take little memory (answers are read: %s)',
    async (isReading) => {
      await using api = await startTestApp({ LOG_LEVEL: 'silent' })
      const port = await listen(api.app)
      expect((await exchange(port, request('/campaigns'))).status).toBe(200)
      const before = process.memoryUsage().rss
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      if (isReading) socket.resume()
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
      const some = Buffer.from(request('/campaigns', false).repeat(1000))
      for (let sent = 0; sent < 100_000 && !socket.destroyed; sent += 1000) {
        await Promise.race([closed, new Promise((resolve) => socket.write(some, resolve))])
        await new Promise((resolve) => setImmediate(resolve))
      }
      const start = Date.now()
      expect((await exchange(port, request('/livez'))).status).toBe(200)
      expect(Date.now() - start).toBeLessThan(2000)
      expect(process.memoryUsage().rss - before).toBeLessThan(150 << 20)
      socket.destroy()
    },
  )
})

describe('a client that has gone', () => {
  test('does not keep the query that was running for it', async () => {
    await using api = await startTestApp()
    const port = await listen(api.app)
    await using _lock = await lockCampaigns(api.database.url, 'campaign_claim_totals, contract_claim_totals, tokens')
    for (const path of ['/campaigns?search=x', '/reward-kit/trending', '/explore/contracts']) {
      const socket = connect(port, '127.0.0.1')
      socket.write(request(path))
      await untilWaiting(api, 1)
      socket.destroy()
      await untilWaiting(api, 0)
    }
  })

  test('does not keep the query of its first request, and those that waited behind it are never begun', async () => {
    await using api = await startTestApp()
    const port = await listen(api.app)
    await using lock = await lockCampaigns(api.database.url, 'tokens')
    const socket = connect(port, '127.0.0.1')
    const path = '/campaigns?search=x&page='
    socket.write(Array.from({ length: 15 }, (_, page) => request(path + page, false)).join(''))
    await untilWaiting(api, 1)
    await sleep(200)
    expect(await countWaiting(api)).toBe(1)
    socket.destroy()
    await untilWaiting(api, 0)
    await sleep(200)
    expect(await countWaiting(api)).toBe(0)
    await lock.release()
    expect((await exchange(port, request('/campaigns'))).status).toBe(200)
  })

  test('gives up its place among those that wait for a connection', async () => {
    await using api = await startTestApp()
    const port = await listen(api.app)
    await using lock = await lockCampaigns(api.database.url, 'tokens')
    const sockets = []
    for (let count = 0; count < 20; count += 1) {
      const socket = connect(port, '127.0.0.1')
      socket.write(request(`/campaigns?search=x&page=${count}`))
      sockets.push(socket)
      await sleep(10)
    }
    await untilWaiting(api, 4)
    for (const socket of sockets) socket.destroy()
    await untilWaiting(api, 0)
    await lock.release()
    expect((await exchange(port, request('/campaigns'))).status).toBe(200)
  })

  test('takes nothing from others who wait for the same answer', async () => {
    await using api = await startTestApp()
    await api.save(aCampaign())
    const port = await listen(api.app)
    await using lock = await lockCampaigns(api.database.url, 'tokens')
    const leaving = connect(port, '127.0.0.1')
    leaving.write(request('/campaigns?search=x'))
    await untilWaiting(api, 1)
    const staying = exchange(port, request('/campaigns?search=x'))
    await sleep(200)
    leaving.destroy()
    await sleep(200)
    expect(await countWaiting(api)).toBe(1)
    await lock.release()
    expect((await staying).status).toBe(200)
  })
})

describe('a query that the server has rolled back for the sake of others', () => {
  const STATES = ['40000', '40001', '40002', '40003', '40P01']

  /** A campaign whose reading fails with an SQLSTATE a few times; how it is asked for, and how often that was tried. */
  async function failingWith(api: TestApp, state: string, times: number) {
    const campaign = aCampaign()
    await api.save(campaign)
    await api.database.query(`
      create sequence tries;
      create function try_to_read() returns boolean language plpgsql volatile as $$
        begin
          if nextval('tries') <= ${times} then raise exception 'rolled back' using errcode = '${state}'; end if;
          return true;
        end $$;
      alter table campaigns rename to stored_campaigns;
      create view campaigns as select * from stored_campaigns where try_to_read()`)
    return {
      url: `/campaigns/${campaign.id}`,
      countTries: async () => Number((await api.database.query('select last_value from tries'))[0]?.last_value),
    }
  }

  test.each(STATES)('is asked once more: %s', async (state) => {
    await using api = await startTestApp()
    const { url } = await failingWith(api, state, 1)
    expect(await api.get(url)).toMatchObject({ statusCode: 200 })
  })

  test.each(STATES)('is 503 when that does not help: %s', async (state) => {
    await using api = await startTestApp()
    const { url, countTries } = await failingWith(api, state, 1000)
    const response = await api.get(url)
    expect(response).toMatchObject({ statusCode: 503, headers: { 'retry-after': '2' } })
    expect(response.body).not.toContain('rolled back')
    expect(await countTries()).toBe(2)
  })

  test('is not asked again where another fault is to blame', async () => {
    await using api = await startTestApp()
    const { url, countTries } = await failingWith(api, '22012', 1)
    expect((await api.get(url)).statusCode).toBe(500)
    expect(await countTries()).toBe(1)
  })
})
