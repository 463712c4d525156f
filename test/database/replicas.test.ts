import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrateDatabase } from '../../src/database/migrations.ts'
import { openIngest } from '../../src/ingest/batches.ts'
import { lockCampaigns } from '../setup/database.ts'
import { openDatabaseProxy } from '../setup/database-proxy.ts'
import { setFollowed } from '../setup/followed-chains.ts'
import { aCampaign, aClaim, anErc20Incentive, aToken } from '../setup/records.ts'
import { openReplicatedDatabase, pauseReplay, reached } from '../setup/replicated-database.ts'
import { caughtUp, openPrimary, type StandaloneServer } from '../setup/replicated-server.ts'
import { startTestApp } from '../setup/test-app.ts'

/*
 * Real replicas, which stream from a real primary.
 */

let database: Awaited<ReturnType<typeof openReplicatedDatabase>>

beforeAll(async () => {
  database = await openReplicatedDatabase()
  await database.save(token, aCampaign({ incentives: [anErc20Incentive(token.address)] }))
})
afterAll(async () => database[Symbol.asyncDispose]())

const token = aToken({ priceUsd: '1' })

/** Sessions of a service that have last asked for pages of campaigns. */
async function pagesReadFrom(server: StandaloneServer) {
  const [row] = await server.query(
    `select count(*)::integer as count from pg_stat_activity
    where application_name = 'reward-campaigns' and query like '%answer.nth%'`,
  )
  return Number(row?.count)
}

/** Has what is written so far sent to replicas: a lock alone is in no hurry. */
const shipNow = (primary: StandaloneServer) => primary.query(`select pg_logical_emit_message(true, 'test', 'now')`)

/** How often documents of campaigns were looked up on a server. */
async function documentsReadFrom(server: StandaloneServer) {
  const [row] = await server.query(
    `select sum(idx_scan)::integer as count from pg_stat_user_tables where relname = 'campaign_documents'`,
  )
  return Number(row?.count)
}

const waitUntilEqual = () => Promise.all(database.replicas.map((replica) => caughtUp(database.primary, replica)))

test('public answers are read from replicas in turn, and not from their primary', async () => {
  await waitUntilEqual()
  await using api = await database.startApp(database.replicas.map(({ url }) => url))
  for (let page = 1; page <= 12; page += 1) expect((await api.get(`/campaigns?page=${page}`)).statusCode).toBe(200)
  const [one, other] = database.replicas
  expect(await pagesReadFrom(one)).toBeGreaterThan(0)
  expect(await pagesReadFrom(other)).toBeGreaterThan(0)
  // The first question of all, whose answer says which history is known.
  expect(await pagesReadFrom(database.primary)).toBeLessThanOrEqual(1)
})

test('a replica that lags is left out, and used again once it has caught up', async () => {
  await waitUntilEqual()
  const [one, other] = database.replicas
  await using api = await database.startApp([one.url, other.url], { REPLICA_MAX_LAG_SECONDS: '1' })
  const before = (await api.get('/campaigns')).json().totalCampaigns
  await using pause = await pauseReplay(one)
  await database.save(aCampaign({ incentives: [anErc20Incentive(token.address)] }))
  await reached(api, 'lagging', 'used')
  await caughtUp(database.primary, other)
  for (let asked = 0; asked < 4; asked += 1) {
    expect((await api.get('/campaigns')).json()).toMatchObject({ totalCampaigns: before + 1 })
  }
  expect(api.replicas[0]?.lagSeconds).toBeGreaterThan(1)
  await pause.resume()
  await reached(api, 'used', 'used')
  expect(api.replicas[0]?.lagSeconds).toBeLessThan(1)
})

test('a replica that has not reached the block is passed over at once', async () => {
  await waitUntilEqual()
  const [one] = database.replicas
  await using api = await database.startApp([one.url], { REPLICA_MAX_LAG_SECONDS: '600' })
  await setFollowed(api.database, 10, 120, { step: 1 })
  await caughtUp(database.primary, one)
  expect((await api.get('/campaigns')).headers['x-as-of']).toBe('10:120')
  await using _pause = await pauseReplay(one)
  await setFollowed(api.database, 10, 121, { step: 2 })
  expect((await api.get('/campaigns')).headers['x-as-of'], 'what the replica has').toBe('10:120')
  const startedAt = performance.now()
  const answer = await api.get('/campaigns?minBlock=10:121')
  expect(performance.now() - startedAt).toBeLessThan(1000)
  expect(answer.headers['x-as-of']).toBe('10:121')
  // Who has seen it is not shown the time before it.
  for (let asked = 0; asked < 4; asked += 1) {
    expect((await api.get('/campaigns')).headers['x-as-of']).toBe('10:121')
    expect((await api.get('/status')).json().chains[0].asOfBlock).toBe('121')
  }
})

/** Turns the replay of a replica off and on, until it is told to end. */
function jitter(replica: StandaloneServer) {
  let isOver = false
  const jittering = (async () => {
    while (!isOver) {
      const pause = await pauseReplay(replica)
      await sleep(80 + Math.random() * 150)
      await pause.resume()
      await sleep(60)
    }
  })()
  return {
    async [Symbol.asyncDispose]() {
      isOver = true
      await jittering
    },
  }
}

/** A block number that falls with every tenth step, as where a reorganisation takes blocks back. */
const blockOf = (step: number) => (step % 10 === 0 ? 2_000_000 - step : 3_000_000 + step)
const stepOf = (block: number) => (block < 2_500_000 ? 2_000_000 - block : block - 3_000_000)

test('whoever asks a process again and again never goes back in time, however late each replica is', async () => {
  await waitUntilEqual()
  const fed = aCampaign({ incentives: [anErc20Incentive(token.address)] })
  await database.save(fed)
  await setFollowed(database.primary, 10, blockOf(1000), { step: 1000 })
  await waitUntilEqual()
  const [one, other] = database.replicas
  await using api = await database.startApp([one.url, other.url])
  const readBefore = await documentsReadFrom(other)
  const ingest = await openIngest(database.primary.url)
  await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
  await using _jitter = jitter(one)

  let isOver = false
  const writer = (async () => {
    for (let step = 1001; !isOver; step += 1) {
      const campaigns = step % 4 === 0 ? [aCampaign({ incentives: [anErc20Incentive(token.address)] })] : []
      await ingest.apply({ records: [aClaim(fed), ...campaigns] })
      await setFollowed(database.primary, 10, blockOf(step), { step })
    }
  })()

  const asOf = (text: unknown) => stepOf(Number(String(text).split(':')[1]))
  const questions: [path: string, read: (answer: Awaited<ReturnType<typeof api.get>>) => Record<string, number>][] = [
    ['/campaigns?pageSize=1', ({ body }) => ({ campaigns: JSON.parse(body).totalCampaigns })],
    [`/campaigns/${fed.id}`, ({ body }) => ({ claims: Number(JSON.parse(body).incentives[0].totalClaims) })],
    ['/explore/contracts', () => ({})],
    ['/status', ({ body }) => ({ steps: stepOf(Number(JSON.parse(body).chains[0].asOfBlock)) })],
  ]
  const seen: Record<string, number> = {}
  let news = 0
  const deadline = Date.now() + 6000
  while (Date.now() < deadline) {
    for (const [path, read] of questions) {
      const answer = await api.get(path)
      expect(answer.statusCode).toBe(200)
      const header = answer.headers['x-as-of']
      const facts = { ...read(answer), ...(header === undefined ? {} : { steps: asOf(header) }) }
      for (const [fact, now] of Object.entries(facts)) {
        const before = seen[fact] ?? 0
        expect(now, `${fact} in ${path}`).toBeGreaterThanOrEqual(before)
        news += now > before ? 1 : 0
        seen[fact] = now
      }
    }
  }
  isOver = true
  await writer
  expect(Object.keys(seen).sort()).toEqual(['campaigns', 'claims', 'steps'])
  expect(news).toBeGreaterThan(50)
  await expect.poll(() => documentsReadFrom(other)).toBeGreaterThan(readBefore + 10)
})

test('what a replica cancels for the sake of what it replays, another answers', async () => {
  await using strict = await database.primary.openReplica({ max_standby_streaming_delay: '0' })
  const [, other] = database.replicas
  await waitUntilEqual()
  await using api = await database.startApp([strict.url, other.url], { REPLICA_MAX_LAG_SECONDS: '600' })
  await api.get('/campaigns')
  await using _pause = await pauseReplay(other)
  // On the one that goes on, a page waits for documents and holds maps, and then what it replays wants the maps.
  await using _documents = await lockCampaigns(database.primary.url, 'campaign_documents')
  await shipNow(database.primary)
  const waiting = async () =>
    (await strict.query(`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%answer.nth%'`))
      .length
  const answers: ReturnType<typeof api.get>[] = []
  while ((await waiting()) === 0) answers.push(api.get(`/campaigns?page=${answers.length + 1}`))
  await using _maps = await lockCampaigns(database.primary.url, 'facet_maps')
  await shipNow(database.primary)
  const statuses = (await Promise.all(answers)).map(({ statusCode }) => statusCode)
  expect(statuses).toEqual(answers.map(() => 200))
  expect(await strict.log()).toMatch(/canceling statement due to conflict with recovery|deadlock detected/)
})

test('a replica of another history is not used, though it has replayed all that its own primary wrote', async () => {
  await using stranger = await openPrimary()
  await migrateDatabase(stranger.url)
  await using replica = await stranger.openReplica()
  await waitUntilEqual()
  await using api = await startTestApp(
    { DATABASE_REPLICA_URLS: `${replica.url},${database.replicas[0].url}` },
    { ...database.primary, [Symbol.asyncDispose]: async () => undefined },
  )
  await reached(api, 'of another history', 'used')
  const { totalCampaigns } = (await api.get('/campaigns')).json()
  for (let asked = 0; asked < 6; asked += 1) {
    expect((await api.get(`/campaigns?page=${asked}`)).json()).toMatchObject({ totalCampaigns })
  }
  expect(await pagesReadFrom(replica)).toBe(0)
})

test('a replica that does not answer holds nobody up, and is used again when it does', async () => {
  await waitUntilEqual()
  const [one, other] = database.replicas
  await using proxy = await openDatabaseProxy(one.url)
  await using api = await database.startApp([proxy.url, other.url])
  await api.get('/campaigns')
  for (const interruption of ['freeze', 'cut'] as const) {
    proxy.interrupt(interruption)
    for (let page = 1; page <= 6; page += 1) {
      const startedAt = performance.now()
      expect((await api.get(`/campaigns?page=${page}`)).statusCode).toBe(200)
      expect(performance.now() - startedAt).toBeLessThan(2000)
    }
    await reached(api, 'away', 'used')
    if (interruption === 'freeze') proxy.interrupt('cut')
    proxy.interrupt(undefined)
    await reached(api, 'used', 'used')
  }
})

test('who waits too long for a connection to a replica that answers is refused, and goes on to wait nowhere else', async () => {
  await waitUntilEqual()
  await using api = await database.startApp(
    database.replicas.map(({ url }) => url),
    {
      DATABASE_POOL_SIZE: '1',
      CONNECTION_TIMEOUT_MS: '500',
      STATEMENT_TIMEOUT_MS: '4000',
      REPLICA_MAX_LAG_SECONDS: '600',
    },
  )
  await api.get('/campaigns')
  await using _lock = await lockCampaigns(database.primary.url)
  await shipNow(database.primary)
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'reward-campaigns'`
  const isHeld = async () =>
    (await Promise.all(database.replicas.map(({ query }) => query(waiting)))).every(({ length }) => length > 0)
  const holding: ReturnType<typeof api.get>[] = []
  while (!(await isHeld())) holding.push(api.get(`/campaigns?page=${holding.length + 2}`))
  const startedAt = performance.now()
  expect((await api.get('/campaigns?page=1000')).statusCode).toBe(503)
  expect(performance.now() - startedAt).toBeLessThan(1500)
  expect(api.replicas.map(({ standing }) => standing)).toEqual(['used', 'used'])
  await Promise.all(holding)
})
