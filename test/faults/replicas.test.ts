import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { migrateDatabase } from '../../src/database/migrations.ts'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { openDatabaseProxy } from '../setup/database-proxy.ts'
import { startCli, waitFor } from '../setup/processes.ts'
import { aCampaign, anErc20Incentive, aToken } from '../setup/records.ts'
import { openPrimary } from '../setup/replicated-server.ts'

/** How long a server stays away, under load. */
const OUTAGE_MS = 2500

const token = aToken({ priceUsd: '1' })
const anotherCampaign = () => aCampaign({ incentives: [anErc20Incentive(token.address)] })

/** How long whoever distributes requests waits for `/readyz`, at the least. */
const PROBE_MS = 2000

/** Readers of a service, who never stop. */
function readWithoutEnd(url: string) {
  const failures: string[] = []
  let answered = 0
  let isOver = false
  const readers = Array.from({ length: 4 }, async (_, reader) => {
    // Pages that nobody has asked for before too: no old answer stands in for these.
    for (let page = 1; !isOver; page += 1) {
      const path = reader === 0 ? '/campaigns' : `/campaigns?pageSize=${reader}&page=${page}`
      const answer = await fetch(url + path)
      const cacheStatus = answer.headers.get('cache-status')
      if (answer.status !== 200 || cacheStatus !== null) failures.push(`${path}: ${answer.status} ${cacheStatus}`)
      await answer.text()
      answered += 1
      await sleep(5)
    }
  })
  return {
    get answered() {
      return answered
    },
    async end() {
      isOver = true
      await Promise.all(readers)
      return failures
    },
  }
}

test('the primary falls silent under load, is killed, comes back, and is killed for good: no public request fails, and a promoted replica goes on', async () => {
  await using primary = await openPrimary()
  await migrateDatabase(primary.url)
  const save = (url: string) => importRecords(url, [toRecordSource('test records', [token, anotherCampaign()])])
  await save(primary.url)
  await using replica = await primary.openReplica()
  await using proxy = await openDatabaseProxy(primary.url)
  const settings = {
    DATABASE_URL: proxy.url,
    DATABASE_REPLICA_URLS: replica.url,
    PORT: '0',
    MAX_EVENT_LOOP_DELAY_MS: '0',
  }
  await using service = startCli(['serve'], settings)
  const url = await service.ready()
  await service.said(/(a replica is used)/)
  const totalIs = (total: number) =>
    waitFor(async () => {
      const body: unknown = await (await fetch(`${url}/campaigns`)).json()
      return Object(body).totalCampaigns === total ? true : undefined
    })
  await totalIs(1)

  const readers = readWithoutEnd(url)
  await sleep(500)
  proxy.interrupt('freeze')
  for (let asked = 0; asked < 3; asked += 1) {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(PROBE_MS) })
    expect(answer.status, 'while the primary is silent').toBe(200)
  }
  proxy.interrupt('cut')
  proxy.interrupt(undefined)

  await primary.kill()
  const before = readers.answered
  await sleep(OUTAGE_MS)
  expect(readers.answered - before, 'answered meanwhile').toBeGreaterThan(50)
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  const unknown = { headers: { authorization: `Bearer rcs_${'a'.repeat(43)}` } }
  expect((await fetch(`${url}/users/profile`, unknown)).status, 'what the primary alone may say').toBe(503)

  await primary.start()
  await save(primary.url)
  await totalIs(2)
  expect((await fetch(`${url}/users/profile`, unknown)).status).toBe(401)

  await primary.kill()
  await sleep(OUTAGE_MS)
  await replica.query('select pg_promote()')
  await save(replica.url)
  await totalIs(3)
  expect(await readers.end()).toEqual([])

  await using second = startCli(['serve'], settings)
  const answer = await fetch(`${await second.ready()}/campaigns`)
  expect(await answer.json()).toMatchObject({ totalCampaigns: 3 })
  const { password } = new URL(primary.url)
  for (const { stdout, stderr } of [service, second]) expect(stdout + stderr).not.toContain(password)
})
