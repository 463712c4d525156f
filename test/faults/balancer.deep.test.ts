import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { type DatabaseProxy, openDatabaseProxy } from '../setup/servers/database-proxy.ts'
import { type NodeProcess, startCli } from '../setup/servers/processes.ts'
import { closedPort } from '../setup/servers/sockets.ts'
import { behindHaproxy, type Haproxy, hasHaproxy, startHaproxy } from './setup/haproxy.ts'
import { ask, countOutcomes, newQueries, pollRequest, STALE } from './setup/readers.ts'

type Name = 'first' | 'second'

describe.skipIf(!hasHaproxy)(`two processes ${behindHaproxy}`, () => {
  let database: TestDatabase
  let proxy: DatabaseProxy
  let haproxy: Haproxy
  let ports: Record<Name, number>
  /** The processes as they were started last. */
  const started: Partial<Record<Name, NodeProcess>> = {}

  beforeAll(async () => {
    database = await createTestDatabase()
    proxy = await openDatabaseProxy(database.url)
    ports = { first: await closedPort(), second: await closedPort() }
    haproxy = await startHaproxy(ports.first, ports.second)
  })
  afterAll(async () => {
    for (const opened of [started.first, started.second, haproxy, proxy, database])
      await opened?.[Symbol.asyncDispose]()
  })

  /** HAProxy takes for ready whom it has not asked yet: so each is, when it comes to know it. */
  async function start(name: Name) {
    const service = startCli(['serve'], {
      ...{ DATABASE_URL: proxy.url, PORT: String(ports[name]), MAX_EVENT_LOOP_DELAY_MS: '0' },
      // What the configuration asks for.
      DRAIN_SECONDS: '2',
    })
    started[name] = service
    await service.ready()
    return service
  }

  /** Both, ready; the one before may have ended them. */
  async function startBoth() {
    const running = async (name: Name) => {
      const service = started[name]
      return service === undefined || service.hasEnded ? await start(name) : service
    }
    const both = [await running('first'), await running('second')]
    await haproxy.untilReady('first', 'second')
    return both
  }

  test('are restarted, one after the other, and one is killed, with no request lost', {
    timeout: 120_000,
  }, async () => {
    await startBoth()
    const strange = newQueries()
    await using readers = pollRequest(haproxy.url, ['/campaigns', '/explore/contracts', ...Array(6).fill(strange)])

    for (const name of ['first', 'second'] as const) {
      started[name]?.child.kill('SIGTERM')
      expect(await started[name]?.ended).toMatchObject({ code: 0, signal: null })
      await start(name)
      await haproxy.untilReady('first', 'second')
    }
    started.first?.child.kill('SIGKILL')
    await haproxy.untilReady('second')
    const before = readers.seen.length
    await expect.poll(() => readers.seen.length).toBeGreaterThan(before + 20)
    await readers.stop()
    expect(countOutcomes(readers.seen)).toEqual({ 200: readers.seen.length })
    expect(readers.seen.length).toBeGreaterThan(500)
  })

  test('are asked with URLs as long as the service takes them', async () => {
    await startBoth()
    const owner = `owner=${'0'.repeat(16_300)}`
    expect((await ask(haproxy.url, `/campaigns?${owner}`)).body).toContain('"error":"owner')
  })

  test('give old answers while the database is away, though none is ready', async () => {
    await startBoth()
    // Each of them is asked in its turn.
    for (let times = 0; times < 4; times += 1) expect((await ask(haproxy.url, '/campaigns')).status).toBe(200)
    await using readers = pollRequest(haproxy.url, ['/campaigns'])
    proxy.interrupt('cut')
    await haproxy.untilReady()
    expect(await ask(haproxy.url, '/campaigns')).toMatchObject({ status: 200, cacheStatus: STALE })
    const strange = await ask(haproxy.url, '/campaigns?pageSize=3')
    expect(strange).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^[1-9]/) })
    expect(Object.keys(JSON.parse(strange.body))).toEqual(['error'])
    proxy.interrupt(undefined)
    await haproxy.untilReady('first', 'second')
    expect(await ask(haproxy.url, '/campaigns?pageSize=3')).toMatchObject({ status: 200, cacheStatus: null })
    await readers.stop()
    expect(readers.seen.filter(({ status }) => status !== 200)).toEqual([])
  })

  test('are not given up while both are too busy for a check: who has waited is answered, and no page of HTML is seen', async () => {
    const processes = await startBoth()
    for (const { child } of processes) child.kill('SIGSTOP')
    // Longer than a check may take.
    await haproxy.untilReady()
    await sleep(3000)
    const waiting = [1, 2, 3, 4].map((page) => ask(haproxy.url, `/campaigns?page=${page}`))
    await sleep(500)
    for (const { child } of processes) child.kill('SIGCONT')
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await haproxy.untilReady('first', 'second')

    for (const { child } of processes) child.kill('SIGKILL')
    await haproxy.untilReady()
    const gone = await fetch(`${haproxy.url}/campaigns`)
    expect([gone.status, gone.headers.get('content-type'), gone.headers.get('retry-after')]).toEqual([
      503,
      'application/json',
      '5',
    ])
    expect(await gone.json()).toEqual({ error: 'the service cannot be reached, try again shortly' })
  })
})
