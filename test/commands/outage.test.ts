import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openCluster } from '../../src/database/embedded-cluster.ts'
import { migrateDatabase } from '../../src/database/migrations.ts'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { startCli } from '../setup/processes.ts'
import { aCampaign, aClaim, anErc20Incentive, aToken } from '../setup/records.ts'

const OUTAGE_MS = 10_000

/** A PostgreSQL that nobody starts again by himself. */
async function startServer() {
  const folder = await mkdtemp(join(tmpdir(), 'outage-'))
  const cluster = await openCluster(folder, { fsync: 'off' })
  const password = await cluster.create()
  const port = await cluster.start()
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    /** As if its machine had lost its power. */
    async kill() {
      const [pid] = (await readFile(join(cluster.folder, 'postgres/postmaster.pid'), 'utf8')).split('\n')
      process.kill(Number(pid), 'SIGKILL')
    },
    start: () => cluster.startOn(port),
    async [Symbol.asyncDispose]() {
      await cluster.stop().catch(() => undefined)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

interface Seen {
  at: number
  status: number
  cacheStatus: string | null
  total: number | undefined
}

test('ten seconds without PostgreSQL fail no request that was asked before, and a second after its return all is fresh', async () => {
  await using server = await startServer()
  await migrateDatabase(server.url)
  const token = aToken({ priceUsd: '1' })
  const campaign = aCampaign({ incentives: [anErc20Incentive(token.address)] })
  const justNow = String(Math.floor(Date.now() / 1000) - 60)
  const save = (...records: ImportRecord[]) => importRecords(server.url, [toRecordSource('test records', records)])
  await save(token, campaign, aClaim(campaign, { blockTimestamp: justNow, amountUsd: '3' }))
  await using service = startCli(['serve'], { DATABASE_URL: server.url, PORT: '0', MAX_EVENT_LOOP_DELAY_MS: '0' })
  const url = await service.ready()

  const seen: Seen[] = []
  let isOver = false
  const paths = ['/campaigns', `/campaigns/${campaign.id}`, '/reward-kit/trending', '/explore/contracts']
  const readers = paths.map(async (path) => {
    while (!isOver) {
      const at = performance.now()
      const answer = await fetch(url + path)
      const body: unknown = await answer.json()
      const { totalCampaigns: total }: { totalCampaigns?: number } = Object(body)
      seen.push({ at, status: answer.status, cacheStatus: answer.headers.get('cache-status'), total })
      await sleep(10)
    }
  })
  await sleep(1000)
  expect(seen.filter(({ cacheStatus }) => cacheStatus !== null)).toEqual([])
  await server.kill()
  const goneAt = performance.now()
  await sleep(OUTAGE_MS)
  await server.start()
  const backAt = performance.now()
  await save(aCampaign({ incentives: [anErc20Incentive(token.address)] }))
  await sleep(2000)
  isOver = true
  await Promise.all(readers)

  expect(seen.filter(({ status }) => status !== 200)).toEqual([])
  const meanwhile = seen.filter(({ at }) => at > goneAt + 1000 && at < backAt - 2000)
  // All readers went on all the time.
  expect(meanwhile.length).toBeGreaterThan((OUTAGE_MS / 1000) * paths.length)
  expect(new Set(meanwhile.map(({ cacheStatus }) => cacheStatus))).toEqual(
    new Set(['reward-campaigns; hit; fwd=stale']),
  )
  expect(seen.filter(({ at, cacheStatus }) => at > backAt + 1000 && cacheStatus !== null)).toEqual([])
  expect(seen.findLast(({ total }) => total !== undefined)?.total).toBe(2)
})
