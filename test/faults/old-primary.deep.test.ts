import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { aCampaign } from '../setup/records.ts'
import { openDatabaseProxy } from '../setup/servers/database-proxy.ts'
import { startCli } from '../setup/servers/processes.ts'
import { caughtUp, openPrimary } from '../setup/servers/replicated-server.ts'
import { closedPort } from '../setup/servers/sockets.ts'
import { waitFor } from '../setup/wait-for.ts'
import { ask, newQueries, pollRequest, type Seen } from './setup/readers.ts'

/*
 * A failover behind one address (DNS, a balancer): the old primary, which knows nothing of it, must not be believed again.
 */

const save = (url: string) => importRecords(url, [toRecordSource('test records', [aCampaign()])])

/** A primary and its standby behind one address, with a service that asks there. */
async function openPair() {
  const primary = await openPrimary()
  await save(primary.url)
  const standby = await primary.openReplica()
  const proxy = await openDatabaseProxy(primary.url)
  const metricsPort = await closedPort()
  const service = startCli(['serve'], {
    ...{ DATABASE_URL: proxy.url, PORT: '0', METRICS_PORT: String(metricsPort) },
    ...{ MAX_EVENT_LOOP_DELAY_MS: '0', STALE_IF_ERROR_SECONDS: '600' },
  })
  const url = await service.ready()
  await caughtUp(primary, standby)
  return {
    primary,
    standby,
    proxy,
    service,
    url,
    async closedConnections() {
      const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
      return Number(/^reward_campaigns_database_older_timeline_total (\d+)$/m.exec(metrics)?.[1])
    },
    untilTotalIs: (total: number) =>
      waitFor(async () => (totalIn(await ask(url, '/campaigns')) === total ? true : undefined)),
    async [Symbol.asyncDispose]() {
      for (const opened of [service, proxy, standby, primary]) await opened[Symbol.asyncDispose]()
    },
  }
}

const totalIn = ({ status, body }: Seen): number | undefined =>
  status === 200 ? JSON.parse(body).totalCampaigns : undefined

test('an old primary that comes back at the address is left, and told: no response is of its history', async () => {
  await using pair = await openPair()
  const { primary, standby, proxy, service, url } = pair
  await primary.kill()
  await standby.query('select pg_promote()')
  proxy.lead(standby.url)
  proxy.interrupt('cut')
  proxy.interrupt(undefined)
  await save(standby.url)
  await pair.untilTotalIs(2)
  expect(await pair.closedConnections()).toBe(0)

  await using readers = pollRequest(url, ['/campaigns', newQueries()])
  // Its sessions take a moment to notice that they are alone.
  await waitFor(() =>
    primary.start().then(
      () => true,
      () => undefined,
    ),
  )
  proxy.lead(primary.url)
  proxy.interrupt('cut')
  proxy.interrupt(undefined)
  const startedAt = performance.now()
  await service.said(/(old primary is back, closing its connections)/)
  await waitFor(() => (readers.seen.some(({ at, status }) => at > startedAt && status === 503) ? true : undefined))
  expect((await fetch(`${url}/readyz`)).status).toBe(503)
  expect(await pair.closedConnections()).toBeGreaterThan(0)
  await sleep(1500)
  proxy.lead(standby.url)
  await waitFor(async () => ((await fetch(`${url}/readyz`)).status === 200 ? true : undefined))
  await readers.stop()
  const totals = readers.seen.map(totalIn).filter((total) => total !== undefined)
  expect(new Set(totals)).toEqual(new Set([2]))
  expect(await ask(url, '/campaigns?pageSize=9')).toMatchObject({ status: 200, cacheStatus: null })
  expect(service.stdout.match(/old primary is back/g)).toHaveLength(1)
})

test('connections that stayed at an old primary that lives on are left once one leads to the new', async () => {
  await using pair = await openPair()
  const { primary, standby, proxy, url } = pair
  // By words too, which the database is asked for whatever is in memory.
  const byWords = newQueries()
  await using readers = pollRequest(url, [...Array(5).fill(newQueries()), () => `${byWords()}&search=nothing`])
  await waitFor(() => (readers.seen.length > 50 ? true : undefined))
  await standby.query('select pg_promote()')
  await save(standby.url)
  proxy.lead(standby.url)
  const sessions = `from pg_stat_activity where application_name = 'reward-campaigns'`
  // One that is in use, and so is opened again.
  await primary.query(`select pg_terminate_backend(pid) ${sessions} order by state_change desc limit 1`)
  await pair.untilTotalIs(2)
  const settledAt = performance.now()
  const seenLater = () => readers.seen.filter(({ at }) => at > settledAt)
  await sleep(2000)
  // On a busy machine that takes longer.
  await waitFor(() => (seenLater().length > 20 ? true : undefined))
  await readers.stop()
  const later = seenLater()
  expect(new Set(later.map(totalIn))).toEqual(new Set([0, 2]))
  // Those that nothing is asked on are closed when they have been idle for a while.
  await waitFor(async () => ((await primary.query(`select 1 ${sessions}`)).length === 0 ? true : undefined))
})
