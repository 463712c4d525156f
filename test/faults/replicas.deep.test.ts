import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { aCampaign, anErc20Incentive, aToken } from '../setup/records.ts'
import { startCli } from '../setup/servers/processes.ts'
import { caughtUp, openPrimary } from '../setup/servers/replicated-server.ts'
import { closedPort } from '../setup/servers/sockets.ts'
import { waitFor } from '../setup/wait-for.ts'
import { behindHaproxy, hasHaproxy, startHaproxy } from './setup/haproxy.ts'
import { ask, countOutcomes, newQueries, pollRequest, STALE } from './setup/readers.ts'

/** How long the primary stays away, under load. */
const OUTAGE_MS = 2500

const token = aToken({ priceUsd: '1' })

/** A process for one server of PostgreSQL. */
const serveFrom = (url: string, settings: Record<string, string> = {}) =>
  startCli(['serve'], { DATABASE_URL: url, PORT: '0', MAX_EVENT_LOOP_DELAY_MS: '0', ...settings })

const readTotal = async (url: string): Promise<number> => JSON.parse((await ask(url, '/campaigns')).body).totalCampaigns
const totalIs = (url: string, total: number) =>
  waitFor(async () => ((await readTotal(url)) === total ? true : undefined))

test('a process on the primary and one on its standby: the primary is killed, comes back, and is killed for good; the standby fails no request, is promoted and goes on', async () => {
  await using primary = await openPrimary()
  const save = (url: string) =>
    importRecords(url, [
      toRecordSource('test records', [token, aCampaign({ incentives: [anErc20Incentive(token.address)] })]),
    ])
  await save(primary.url)
  await using replica = await primary.openReplica()
  await using first = serveFrom(primary.url)
  await using second = serveFrom(replica.url, { SURFACES: 'public' })
  const [atPrimary, atStandby] = [await first.ready(), await second.ready()]
  await totalIs(atPrimary, 1)
  await totalIs(atStandby, 1)

  await using readers = pollRequest(atStandby, ['/campaigns', ...Array(3).fill(newQueries())])
  await primary.kill()
  await sleep(OUTAGE_MS)
  expect((await fetch(`${atStandby}/readyz`)).status).toBe(200)
  expect((await fetch(`${atPrimary}/readyz`)).status).toBe(503)
  expect(await ask(atPrimary, '/campaigns')).toMatchObject({ status: 200, cacheStatus: STALE })
  expect((await ask(atPrimary, '/campaigns?pageSize=7')).status).toBe(503)

  await primary.start()
  await save(primary.url)
  await caughtUp(primary, replica)
  for (const url of [atPrimary, atStandby]) await totalIs(url, 2)

  await primary.kill()
  await sleep(OUTAGE_MS)
  await replica.query('select pg_promote()')
  await save(replica.url)
  await totalIs(atStandby, 3)
  await readers.stop()
  expect(countOutcomes(readers.seen)).toEqual({ 200: readers.seen.length })
  expect(readers.seen.length).toBeGreaterThan(100)

  await using third = serveFrom(replica.url)
  expect(await readTotal(await third.ready())).toBe(3)
  const { password } = new URL(primary.url)
  for (const { stdout, stderr } of [first, second, third]) expect(stdout + stderr).not.toContain(password)
})

/** How long it may take until HAProxy knows that a process is not ready. */
const NOTICED_MS = 2500

test.skipIf(!hasHaproxy)(
  `${behindHaproxy}, a process on the primary and one on its standby: when the primary is killed and the standby promoted, nothing that was asked before fails, and new questions do so for a moment`,
  async () => {
    await using primary = await openPrimary()
    const save = (url: string) => importRecords(url, [toRecordSource('test records', [aCampaign()])])
    await save(primary.url)
    await using replica = await primary.openReplica()
    const ports = { first: await closedPort(), second: await closedPort() }
    await using haproxy = await startHaproxy(ports.first, ports.second)
    await using first = serveFrom(primary.url, { PORT: String(ports.first) })
    await using second = serveFrom(replica.url, { PORT: String(ports.second), SURFACES: 'public' })
    for (const service of [first, second]) await totalIs(await service.ready(), 1)
    await haproxy.untilReady('first', 'second')
    await using readers = pollRequest(haproxy.url, ['/campaigns'])
    await using strangers = pollRequest(haproxy.url, Array(3).fill(newQueries()))
    await waitFor(() => (strangers.seen.length > 50 ? true : undefined))

    const killedAt = performance.now()
    await primary.kill()
    await haproxy.untilReady('second')
    await sleep(NOTICED_MS)
    await replica.query('select pg_promote()')
    await save(replica.url)
    await totalIs(haproxy.url, 2)
    await readers.stop()
    await strangers.stop()
    expect(readers.seen.filter(({ status }) => status !== 200)).toEqual([])
    const refused = strangers.seen.filter(({ status }) => status !== 200)
    expect(new Set(refused.map(({ status }) => status)).size).toBeLessThanOrEqual(1)
    for (const { at, status } of refused) {
      expect(status).toBe(503)
      expect(at).toBeGreaterThanOrEqual(killedAt - 1000)
      expect(at).toBeLessThan(killedAt + NOTICED_MS)
    }
  },
)
