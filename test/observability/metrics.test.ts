import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createRegister, serveMetrics } from '../../src/observability/metrics-server.ts'
import { measureService } from '../../src/observability/service-metrics.ts'
import { createDataMetricsReader } from '../../src/read-models/data-version/read.ts'
import { version } from '../../src/schemas/version.ts'
import { setFollowed } from '../setup/data/followed-chains.ts'
import { createTestDatabase } from '../setup/database.ts'
import { aCampaign } from '../setup/records.ts'
import { openDatabaseProxy } from '../setup/servers/database-proxy.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'
import { bearing } from '../setup/tokens.ts'

const MARCH = new Date('2026-03-01T12:00:00Z')

const pools = {
  queries: { totalCount: 5, idleCount: 3, waitingCount: 2 },
  lookups: { totalCount: 2, idleCount: 1, waitingCount: 0 },
}

/** The figures of an app, as `serve` shows them. */
function measure({ app, counts, lanes }: TestApp) {
  const register = createRegister()
  const readData = createDataMetricsReader(lanes.lookups.database, () => MARCH)
  const server = serveMetrics(register, measureService(register, { app, pools, guard: lanes.guard, counts, readData }))
  return {
    inject: server.inject.bind(server),
    /** The lines of these metrics. */
    async read(...names: string[]) {
      const { body } = await server.inject('/metrics')
      return body.split('\n').filter((line) => names.some((name) => line.startsWith(name)))
    },
    [Symbol.asyncDispose]: () => server.close(),
  }
}

test('every request is counted by its route and status', async () => {
  await using api = await startTestApp()
  const campaign = aCampaign()
  await api.save(campaign)
  await using metrics = measure(api)
  await api.get('/campaigns')
  await api.get('/campaigns?pageSize=1')
  await api.get('/campaigns?page=x')
  await api.get(`/campaigns/${campaign.id}`)
  await api.get('/nothing/at/all')
  await api.app.inject({ method: 'POST', url: '/campaigns' })
  expect(await metrics.read('reward_campaigns_http_request_duration_seconds_count')).toEqual([
    'reward_campaigns_http_request_duration_seconds_count{method="GET",route="/campaigns",status="200"} 2',
    'reward_campaigns_http_request_duration_seconds_count{method="GET",route="/campaigns",status="400"} 1',
    'reward_campaigns_http_request_duration_seconds_count{method="GET",route="/campaigns/:id",status="200"} 1',
    'reward_campaigns_http_request_duration_seconds_count{method="GET",route="unknown",status="404"} 1',
    'reward_campaigns_http_request_duration_seconds_count{method="POST",route="/campaigns",status="405"} 1',
  ])
})

test('no value of a request becomes a label', async () => {
  await using api = await startTestApp({ REQUESTS_PER_MINUTE: '30', TRUSTED_PROXIES: '127.0.0.1' })
  await using metrics = measure(api)
  for (let number = 0; number < 20; number += 1) {
    const headers = { ...bearing(`rcs_${number}77777`), 'x-request-id': `${number}77777` }
    await api.get(`/campaigns/8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:${number}77777`, headers)
    await api.get(`/nothing-${number}77777?secret=${number}77777`, headers)
    await api.get('/users/profile?user=77777', { ...headers, 'x-forwarded-for': '2001:db8::7:7777' })
  }
  const { body } = await metrics.inject('/metrics')
  // Without the values, any of which may have such digits by chance.
  const named = body.replace(/ \S+$/gm, '')
  expect(named).toContain('reward_campaigns_')
  expect(named).not.toMatch(/77777|7:7777/)
})

test('the pools of connections, the process and its version are measured', async () => {
  await using api = await startTestApp()
  await using metrics = measure(api)
  const response = await metrics.inject('/metrics')
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-type']).toMatch(/^text\/plain; version=/)
  expect(await metrics.read('reward_campaigns_database_connections', 'reward_campaigns_build_info')).toEqual([
    `reward_campaigns_build_info{version="${version}"} 1`,
    'reward_campaigns_database_connections{pool="queries",state="idle"} 3',
    'reward_campaigns_database_connections{pool="queries",state="busy"} 2',
    'reward_campaigns_database_connections{pool="queries",state="waiting"} 2',
    'reward_campaigns_database_connections{pool="lookups",state="idle"} 1',
    'reward_campaigns_database_connections{pool="lookups",state="busy"} 1',
    'reward_campaigns_database_connections{pool="lookups",state="waiting"} 0',
  ])
  expect(response.body).toContain('process_resident_memory_bytes')
})

test('tokens that are not valid, and what limits refuse, are counted', async () => {
  await using api = await startTestApp({ REQUESTS_PER_MINUTE: '4', FAILED_AUTH_PER_MINUTE: '1' })
  await using metrics = measure(api)
  const read = () => metrics.read('reward_campaigns_failed_auth', 'reward_campaigns_rate_limited')
  expect(await read()).toEqual([
    'reward_campaigns_rate_limited_requests_total{limit="requests"} 0',
    'reward_campaigns_rate_limited_requests_total{limit="failed-attempts"} 0',
    'reward_campaigns_failed_auth_total 0',
  ])
  await api.get('/users/profile')
  for (let attempt = 0; attempt < 5; attempt += 1) await api.get('/users/profile', bearing('rcs_unknown'))
  expect(await read()).toEqual([
    'reward_campaigns_rate_limited_requests_total{limit="requests"} 2',
    'reward_campaigns_rate_limited_requests_total{limit="failed-attempts"} 2',
    'reward_campaigns_failed_auth_total 3',
  ])
})

test('defects are counted from the start, so that the first one is an increase', async () => {
  await using api = await startTestApp()
  await using metrics = measure(api)
  expect(await metrics.read('reward_campaigns_unhandled_errors_total ')).toEqual([
    'reward_campaigns_unhandled_errors_total 0',
  ])
  await api.database.query('alter table campaigns rename to elsewhere')
  expect((await api.get('/campaigns')).statusCode).toBe(500)
  expect(await metrics.read('reward_campaigns_unhandled_errors_total ')).toEqual([
    'reward_campaigns_unhandled_errors_total 1',
  ])
})

test('answers are counted by where they came from, and how far the data is stays told while the database is away', async () => {
  await using database = await createTestDatabase()
  await using proxy = await openDatabaseProxy(database.url)
  await using api = await startTestApp({}, { ...database, url: proxy.url })
  await using metrics = measure(api)
  await api.save(aCampaign())
  await setFollowed(database, 8453, 100)
  await setFollowed(database, 10, null)
  const read = () =>
    metrics.read(
      'reward_campaigns_cache_requests_total',
      'reward_campaigns_database_up',
      'reward_campaigns_data_version ',
      'reward_campaigns_chain_lag',
    )
  for (const path of ['/campaigns', '/campaigns', '/explore/contracts']) await api.get(path)
  const [{ revision } = { revision: undefined }] = await database.query(
    'select max(revision) revision from data_versions',
  )
  const reported = [`reward_campaigns_data_version ${revision}`]
  expect(await read()).toEqual([
    ...[
      'reward_campaigns_cache_requests_total{result="hit"} 1',
      'reward_campaigns_cache_requests_total{result="miss"} 2',
      'reward_campaigns_cache_requests_total{result="stale"} 0',
    ],
    ...['reward_campaigns_database_up 1', ...reported, 'reward_campaigns_chain_lag_seconds{chain_id="8453"} 2'],
  ])
  const [seen] = await metrics.read('reward_campaigns_data_version_observed_timestamp_seconds ')
  expect(Math.abs(Number(seen?.split(' ')[1]) - Date.now() / 1000)).toBeLessThan(60)
  proxy.interrupt('cut')
  for (const path of ['/campaigns', '/campaigns', '/campaigns?page=2']) await api.get(path)
  expect(await read()).toEqual([
    ...[
      'reward_campaigns_cache_requests_total{result="hit"} 1',
      'reward_campaigns_cache_requests_total{result="miss"} 2',
      'reward_campaigns_cache_requests_total{result="stale"} 2',
    ],
    ...['reward_campaigns_database_up 0', ...reported],
  ])
  // Nothing has changed: it is as long ago as before.
  expect(await metrics.read('reward_campaigns_data_version_observed_timestamp_seconds ')).toEqual([seen])
})

test('a database that says nothing holds up the figures for a second at most', async () => {
  await using database = await createTestDatabase()
  await using proxy = await openDatabaseProxy(database.url)
  await using api = await startTestApp({}, { ...database, url: proxy.url })
  await using metrics = measure(api)
  expect(await metrics.read('reward_campaigns_database_up')).toEqual(['reward_campaigns_database_up 1'])
  proxy.interrupt('freeze')
  const startedAt = performance.now()
  expect(await metrics.read('reward_campaigns_database_up')).toEqual(['reward_campaigns_database_up 0'])
  expect(performance.now() - startedAt).toBeLessThan(5000)
  proxy.interrupt('cut')
})

test.each([
  ['say nothing', ''],
  ['send half a request', 'GET /metrics HTTP/1.1\r\nhos'],
  ['keep what was answered', 'GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n'],
])('forty clients that hold their connections and %s keep nobody from the metrics', async (_what, text) => {
  await using server = serveMetrics(createRegister())
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as AddressInfo
  const held = Array.from({ length: 40 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  try {
    for (const socket of held) await new Promise((resolve) => socket.write(text === '' ? '\r\n' : text, resolve))
    await sleep(100)
    for (let reading = 0; reading < 3; reading += 1) {
      const response = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(5000) })
      expect(response.status).toBe(200)
      expect(await response.text()).toContain('process_cpu')
    }
  } finally {
    for (const socket of held) socket.destroy()
  }
})

test('the metrics have a listener of their own, and are not on the public one', async () => {
  await using api = await startTestApp()
  await using metrics = measure(api)
  expect((await api.get('/metrics')).statusCode).toBe(404)
  expect((await metrics.inject('/campaigns')).statusCode).toBe(404)
})
