import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { openIngest } from '../../src/ingest/batches.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { setFollowed } from '../setup/data/followed-chains.ts'
import { lockCampaigns } from '../setup/database.ts'
import { aCampaign, aClaim, anErc20Incentive, aToken } from '../setup/records.ts'
import { caughtUp, openPrimary, type PrimaryServer, type StandaloneServer } from '../setup/servers/replicated-server.ts'
import { startTestApp } from '../setup/test-app.ts'

/*
 * A process whose database is a real standby, which streams from a real primary.
 */

let primary: PrimaryServer
let replica: StandaloneServer

beforeAll(async () => {
  primary = await openPrimary()
  await save(token, aCampaign({ incentives: [anErc20Incentive(token.address)] }))
  replica = await primary.openReplica()
})
afterAll(async () => {
  await replica[Symbol.asyncDispose]()
  await primary[Symbol.asyncDispose]()
})

const token = aToken({ priceUsd: '1' })
const save = (...records: ImportRecord[]) => importRecords(primary.url, [toRecordSource('test records', records)])

/** The app on a server that stays. */
const startOn = (server: StandaloneServer) =>
  startTestApp({ SURFACES: 'public' }, { ...server, [Symbol.asyncDispose]: async () => undefined })

/** Has what is written so far sent to replicas: a lock alone is in no hurry. */
const shipNow = () => primary.query(`select pg_logical_emit_message(true, 'test', 'now')`)

/** A replica that replays nothing, until it is told to resume. */
async function pauseReplay() {
  await replica.query('select pg_wal_replay_pause()')
  const resume = async () => void (await replica.query('select pg_wal_replay_resume()'))
  return { resume, [Symbol.asyncDispose]: resume }
}

test('responses show what the standby has replayed, and minBlock waits for the block', async () => {
  await setFollowed(primary, 10, 120, { step: 1 })
  await caughtUp(primary, replica)
  await using api = await startOn(replica)
  const first = await api.get('/campaigns')
  expect(first.headers['x-as-of']).toBe('10:120')
  const { totalCampaigns } = first.json()

  expect((await api.get('/limits')).json().freshness.consistency).toBe('eventual')

  await using pause = await pauseReplay()
  await save(aCampaign({ incentives: [anErc20Incentive(token.address)] }))
  await setFollowed(primary, 10, 121, { step: 2 })
  const before = await api.get('/campaigns')
  expect([before.headers['x-as-of'], before.json().totalCampaigns]).toEqual(['10:120', totalCampaigns])
  const waiting = api.get('/campaigns?minBlock=10:121')
  await sleep(300)
  await pause.resume()
  const after = await waiting
  expect([after.statusCode, after.headers['x-as-of'], after.json().totalCampaigns]).toEqual([
    200,
    '10:121',
    totalCampaigns + 1,
  ])
})

/** Turns the replay of the replica off and on, until it is told to end. */
function jitter() {
  let isOver = false
  const jittering = (async () => {
    while (!isOver) {
      const pause = await pauseReplay()
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

test('whoever asks a process again and again never goes back in time, however late its standby is', async () => {
  const fed = aCampaign({ incentives: [anErc20Incentive(token.address)] })
  await save(fed)
  await setFollowed(primary, 10, 1000, { step: 1000 })
  await caughtUp(primary, replica)
  await using api = await startOn(replica)
  const ingest = await openIngest(primary.url)
  await using _closing = { [Symbol.asyncDispose]: () => ingest.close() }
  await using _jitter = jitter()

  let isOver = false
  const writer = (async () => {
    for (let step = 1001; !isOver; step += 1) {
      const campaigns = step % 4 === 0 ? [aCampaign({ incentives: [anErc20Incentive(token.address)] })] : []
      await ingest.apply({ records: [aClaim(fed), ...campaigns] })
      await setFollowed(primary, 10, step, { step })
    }
  })()

  const queries: [path: string, read: (response: Awaited<ReturnType<typeof api.get>>) => Record<string, number>][] = [
    ['/campaigns?pageSize=1', ({ body }) => ({ campaigns: JSON.parse(body).totalCampaigns })],
    [`/campaigns/${fed.id}`, ({ body }) => ({ claims: Number(JSON.parse(body).incentives[0].totalClaims) })],
    ['/explore/contracts', () => ({})],
    ['/status', ({ body }) => ({ block: Number(JSON.parse(body).chains[0].asOfBlock) })],
  ]
  const seen: Record<string, number> = {}
  let news = 0
  const deadline = Date.now() + 30_000
  while (news <= 50 && Date.now() < deadline) {
    for (const [path, read] of queries) {
      const response = await api.get(path)
      expect(response.statusCode).toBe(200)
      const header = response.headers['x-as-of']
      const facts = {
        ...read(response),
        ...(header === undefined ? {} : { block: Number(String(header).split(':')[1]) }),
      }
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
  expect(Object.keys(seen).sort()).toEqual(['block', 'campaigns', 'claims'])
  expect(news).toBeGreaterThan(50)
})

test('what a standby cancels for the sake of what it replays is asked again', async () => {
  await using strict = await primary.openReplica({ max_standby_streaming_delay: '0' })
  await using api = await startOn(strict)
  await api.get('/campaigns')
  // A search waits for tokens and holds campaigns, and then what is replayed wants the campaigns.
  const tokens = await lockCampaigns(primary.url, 'tokens')
  await shipNow()
  const waiting = async () =>
    (await strict.query(`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%words_query%'`))
      .length
  const responses: ReturnType<typeof api.get>[] = []
  while ((await waiting()) === 0) responses.push(api.get(`/campaigns?search=x&page=${responses.length + 1}`))
  const wanted = await lockCampaigns(primary.url, 'campaigns')
  await shipNow()
  await expect
    .poll(() => strict.log(), { timeout: 10_000 })
    .toMatch(/canceling statement due to conflict with recovery|deadlock detected/)
  await wanted[Symbol.asyncDispose]()
  await tokens[Symbol.asyncDispose]()
  await shipNow()
  const statuses = (await Promise.all(responses)).map(({ statusCode }) => statusCode)
  expect(statuses).toEqual(responses.map(() => 200))
})
