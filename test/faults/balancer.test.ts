import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'
import { openDatabaseProxy } from '../setup/servers/database-proxy.ts'
import { startCli } from '../setup/servers/processes.ts'
import { closedPort } from '../setup/servers/sockets.ts'
import { behindHaproxy, hasHaproxy, startHaproxy } from './setup/haproxy.ts'
import { ask, countOutcomes, newQueries, pollRequest, STALE } from './setup/readers.ts'

/** HAProxy takes for ready whom it has not asked yet: so each is, when it comes to know it. */
async function start(databaseUrl: string, port: number) {
  const service = startCli(['serve'], {
    ...{ DATABASE_URL: databaseUrl, PORT: String(port), MAX_EVENT_LOOP_DELAY_MS: '0' },
    // What the configuration asks for.
    DRAIN_SECONDS: '2',
  })
  await service.ready()
  return service
}

describe.skipIf(!hasHaproxy)(`two processes ${behindHaproxy}`, () => {
  test('are restarted, one after the other, and one is killed, with no request lost', {
    timeout: 120_000,
  }, async () => {
    await using database = await createTestDatabase()
    const ports = { first: await closedPort(), second: await closedPort() }
    await using haproxy = await startHaproxy(ports.first, ports.second)
    await using first = await start(database.url, ports.first)
    await using second = await start(database.url, ports.second)
    await haproxy.untilReady('first', 'second')
    const strange = newQueries()
    await using readers = pollRequest(haproxy.url, ['/campaigns', '/explore/contracts', ...Array(6).fill(strange)])

    first.child.kill('SIGTERM')
    expect(await first.ended).toMatchObject({ code: 0, signal: null })
    await using firstAgain = await start(database.url, ports.first)
    await haproxy.untilReady('first', 'second')
    second.child.kill('SIGTERM')
    expect(await second.ended).toMatchObject({ code: 0, signal: null })
    await using _secondAgain = await start(database.url, ports.second)
    await haproxy.untilReady('first', 'second')
    firstAgain.child.kill('SIGKILL')
    await haproxy.untilReady('second')
    const before = readers.seen.length
    await expect.poll(() => readers.seen.length).toBeGreaterThan(before + 20)
    await readers.stop()
    expect(countOutcomes(readers.seen)).toEqual({ 200: readers.seen.length })
    expect(readers.seen.length).toBeGreaterThan(500)
  })

  test('give old answers while the database is away, though none is ready', async () => {
    await using database = await createTestDatabase()
    await using proxy = await openDatabaseProxy(database.url)
    const ports = { first: await closedPort(), second: await closedPort() }
    await using haproxy = await startHaproxy(ports.first, ports.second)
    await using _first = await start(proxy.url, ports.first)
    await using _second = await start(proxy.url, ports.second)
    await haproxy.untilReady('first', 'second')
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
    await using database = await createTestDatabase()
    const ports = { first: await closedPort(), second: await closedPort() }
    await using haproxy = await startHaproxy(ports.first, ports.second)
    await using first = await start(database.url, ports.first)
    await using second = await start(database.url, ports.second)
    await haproxy.untilReady('first', 'second')
    const processes = [first, second]
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

  test('are asked with URLs as long as the service takes them', async () => {
    await using database = await createTestDatabase()
    const port = await closedPort()
    await using haproxy = await startHaproxy(port, await closedPort())
    await using _service = await start(database.url, port)
    await haproxy.untilReady('first')
    const owner = `owner=${'0'.repeat(16_300)}`
    expect((await ask(haproxy.url, `/campaigns?${owner}`)).body).toContain('"error":"owner')
  })
})
