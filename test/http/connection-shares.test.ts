import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { readSettings } from '../../src/config.ts'
import { openPool } from '../../src/database/connection/pool.ts'
import { openSnapshotsOf } from '../../src/database/exported-records/export-snapshots.ts'
import { createTestDatabase, lockCampaigns, type TestDatabase } from '../setup/database.ts'
import { waitFor } from '../setup/wait-for.ts'

/*
 * Who gets the connections to the database, and the queue for them, while some ask more than there are: 8 of each.
 */

async function startApp(given: Record<string, string> = {}) {
  const database = await createTestDatabase()
  const limits = { poolSize: 8, queueSize: 8, connectionTimeoutMs: 60_000, statementTimeoutMs: 60_000 }
  const queries = openPool({ url: database.url, ...limits, onIdleError: () => undefined })
  const lookups = openPool({ url: database.url, ...limits, onIdleError: () => undefined })
  const settings = readSettings({ LOG_LEVEL: 'silent', MAX_EVENT_LOOP_DELAY_MS: '0', ...given })
  const app = await buildApp({
    ...{ database: queries.database, lookups: lookups.database, openSnapshot: openSnapshotsOf(lookups.pool) },
    settings,
    isReady: async () => true,
  })
  let page = 0
  return {
    database,
    pool: queries.pool,
    get: (url: string, remoteAddress: string, headers = {}) => app.inject({ url, remoteAddress, headers }),
    /** A page that nobody else asks for, in a statement of its own; its status. */
    async getOwnPage(remoteAddress: string, headers = {}) {
      page += 1
      const url = `/campaigns?search=x&page=${page}`
      return (await app.inject({ url, remoteAddress, headers })).statusCode
    },
    async [Symbol.asyncDispose]() {
      await app.close()
      await Promise.all([queries.close(), lookups.close()])
      await database[Symbol.asyncDispose]()
    },
  }
}

/** Statements that are held up by a lock: each has a connection. */
async function countHeld(database: TestDatabase) {
  const [row] = await database.query(
    "select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )
  return row?.count
}

const untilHeld = (database: TestDatabase, count: number) =>
  waitFor(async () => ((await countHeld(database)) === count ? true : undefined))

/** How often each status has come. */
const tally = (statuses: number[]) => ({
  ok: statuses.filter((status) => status === 200).length,
  refused: statuses.filter((status) => status === 503).length,
})

test('one address gets a quarter of the connections and of the queue, and others are answered', async () => {
  await using api = await startApp()
  await using lock = await lockCampaigns(api.database.url, 'tokens')
  const asked = Array.from({ length: 20 }, () => api.getOwnPage('192.0.2.1'))
  await untilHeld(api.database, 2)
  await waitFor(() => (api.pool.waitingCount === 2 ? true : undefined))
  expect((await api.get('/explore/contracts', '192.0.2.2')).statusCode).toBe(200)
  const others = ['192.0.2.3', '192.0.2.4', '192.0.2.5'].flatMap((address) => [
    api.getOwnPage(address),
    api.getOwnPage(address),
  ])
  await untilHeld(api.database, 8)
  await lock.release()
  expect(tally(await Promise.all(asked))).toEqual({ ok: 4, refused: 16 })
  expect(tally(await Promise.all(others))).toEqual({ ok: 6, refused: 0 })
})

test('addresses of one IPv6 network are one, and behind a trusted proxy its clients count', async () => {
  await using api = await startApp({ TRUSTED_PROXIES: '192.0.2.0/24' })
  await using lock = await lockCampaigns(api.database.url, 'tokens')
  const asked = Array.from({ length: 4 }, (_, client) =>
    api.getOwnPage('192.0.2.1', { 'x-forwarded-for': `2001:db8:0:${client % 2}::${client}` }),
  )
  const direct = Array.from({ length: 4 }, (_, client) => api.getOwnPage(`2001:db8:0:9::${client}`))
  await untilHeld(api.database, 6)
  await waitFor(() => (api.pool.waitingCount === 2 ? true : undefined))
  await lock.release()
  expect(tally(await Promise.all([...asked, ...direct]))).toEqual({ ok: 8, refused: 0 })
})

test('what has lately been dear gets half of the connections and of the queue, whoever asks', async () => {
  await using api = await startApp()
  // By a lock: the first pages take long, and what takes long has been dear.
  await using first = await lockCampaigns(api.database.url, 'tokens')
  const slow = api.getOwnPage('192.0.2.1')
  await untilHeld(api.database, 1)
  await sleep(300)
  await first.release()
  expect(await slow).toBe(200)

  await using second = await lockCampaigns(api.database.url, 'tokens')
  const asked = Array.from({ length: 20 }, (_, client) => api.getOwnPage(`198.51.100.${client}`))
  await untilHeld(api.database, 4)
  await waitFor(() => (api.pool.waitingCount === 4 ? true : undefined))
  expect((await api.get('/explore/contracts', '198.51.100.99')).statusCode).toBe(200)
  expect(await countHeld(api.database)).toBe(4)
  await second.release()
  expect(tally(await Promise.all(asked))).toEqual({ ok: 8, refused: 12 })
})
