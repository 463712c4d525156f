import { cp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { areTracesWanted } from '../../src/config.ts'
import { createTestDatabase, lockCampaigns } from '../setup/database.ts'
import { CLI, NodeProcess, startCli } from '../setup/servers/processes.ts'
import { closedPort } from '../setup/servers/sockets.ts'
import { startTraceReceiver } from '../setup/servers/trace-receiver.ts'
import { bearing, issueToken } from '../setup/tokens.ts'
import { waitFor } from '../setup/wait-for.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = '00f067aa0ba902b7'
const OWNER = '0x00000000000000000000000000000000005ec3e7'
const KIND = { server: 2, client: 3 }
const STATUS = { unset: 0, error: 2 }
const QUICKLY = { OTEL_BSP_SCHEDULE_DELAY: '50' }

const database = await createTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

const tracing = (endpoint: string) => ({
  DATABASE_URL: database.url,
  PORT: '0',
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  ...QUICKLY,
})

test('requests and their questions are spans of the caller’s trace, and nothing secret is in them', async () => {
  await using receiver = await startTraceReceiver()
  const token = await issueToken({ database })
  await using service = startCli(['serve'], {
    ...tracing(receiver.url),
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer of-the-receiver',
    OTEL_SERVICE_NAME: 'rewards',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    STATEMENT_TIMEOUT_MS: '1000',
    STALE_IF_ERROR_SECONDS: '0',
  })
  const url = await service.ready()
  const ask = (path: string, id: string, headers = {}) =>
    fetch(url + path, {
      headers: {
        'x-request-id': id,
        traceparent: `00-${TRACE}-${CALLER}-01`,
        tracestate: 'a=of-the-caller',
        ...headers,
      },
    })
  const ofCaller = { traceId: TRACE, parentSpanId: CALLER, kind: KIND.server }

  expect((await ask(`/campaigns?owner=${OWNER}&search=word`, 'a-list')).status).toBe(200)
  const list = await receiver.ofRequest('a-list')
  expect(list.request).toMatchObject({
    ...ofCaller,
    name: 'GET /campaigns',
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/campaigns',
      'http.response.status_code': 200,
      'request.id': 'a-list',
    },
    status: { code: STATUS.unset },
  })
  expect(Object.keys(list.request.attributes)).toHaveLength(4)
  expect(list.request.events).toEqual([])
  expect(list.queries.map(({ name }) => name)).toEqual(['data_version', 'find_words'])
  for (const query of list.queries) {
    expect(query).toMatchObject({ traceId: TRACE, kind: KIND.client, status: { code: STATUS.unset }, events: [] })
    expect(query.attributes).toEqual({ 'db.system.name': 'postgresql', 'db.query.summary': query.name })
  }
  expect(service.stdout).toContain(`"trace_id":"${TRACE}","span_id":"${list.request.spanId}"`)

  expect((await ask(`/campaigns/accesslists?search=${token}`, 'a-search', bearing(token))).status).toBe(200)
  const search = await receiver.ofRequest('a-search')
  expect(search.request).toMatchObject({ ...ofCaller, name: 'GET /campaigns/accesslists' })

  expect((await ask(`/${token}`, 'a-stray')).status).toBe(404)
  expect((await receiver.ofRequest('a-stray')).request).toMatchObject({ ...ofCaller, name: 'GET' })

  await using lock = await lockCampaigns(database.url)
  expect((await ask(`/campaigns?owner=${OWNER}&search=x`, 'a-failure')).status).toBe(503)
  await lock.release()
  const failure = await receiver.ofRequest('a-failure')
  expect(failure.request).toMatchObject({
    status: { code: STATUS.error },
    attributes: { 'http.response.status_code': 503, 'error.type': '503' },
    events: [],
  })
  expect(failure.queries.at(-1)).toMatchObject({
    status: { code: STATUS.error },
    attributes: { 'error.type': '57014' },
    events: [],
  })

  await using anotherLock = await lockCampaigns(database.url)
  const isLost = ask(`/campaigns?owner=${OWNER}&search=x&pageSize=1`, 'a-loss').then(({ status }) => status)
  await waitFor(async () => {
    await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'reward-campaigns' and wait_event_type = 'Lock'`,
    )
    return Promise.race([isLost, undefined])
  })
  await anotherLock.release()
  expect((await receiver.ofRequest('a-loss')).queries.at(-1)?.attributes).toMatchObject({ 'error.type': '57P01' })

  service.child.kill('SIGTERM')
  expect((await service.ended).code).toBe(0)
  for (const { path, headers } of receiver.received) {
    expect(path).toBe('/v1/traces')
    expect(headers.authorization).toBe('Bearer of-the-receiver')
  }
  for (const resource of receiver.resources()) {
    expect(resource).toMatchObject({ 'service.name': 'rewards', 'deployment.environment.name': 'test' })
    expect(resource['service.version']).toMatch(/^\d+\.\d+\.\d+/)
  }
  const sent = Buffer.concat(receiver.received.map(({ body }) => body)).toString()
  for (const secret of [token, OWNER, 'of-the-receiver', 'of-the-caller', 'accesslists?', 'canceling', 'select ']) {
    expect(sent).not.toContain(secret)
  }
  expect(service.stdout + service.stderr).not.toContain('of-the-receiver')
})

test('what is left is sent before the process ends, as Protocol Buffers where nothing else is said', async () => {
  await using receiver = await startTraceReceiver()
  await using service = startCli(['serve'], {
    DATABASE_URL: database.url,
    PORT: '0',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/of-traces`,
    OTEL_BSP_SCHEDULE_DELAY: '600000',
  })
  const url = await service.ready()
  await fetch(`${url}/explore/contracts?creator=${OWNER}`, { headers: { 'x-request-id': 'the-last-one' } })
  service.child.kill('SIGTERM')
  expect((await service.ended).code).toBe(0)
  expect(receiver.received.map(({ path, headers }) => [path, headers['content-type']])).toEqual([
    ['/of-traces', 'application/x-protobuf'],
  ])
  const sent = String(receiver.received[0]?.body)
  for (const part of ['reward-campaigns', 'GET /explore/contracts', 'the-last-one']) expect(sent).toContain(part)
  expect(sent).not.toContain(OWNER)
})

test('a sampler that leaves out what callers do not sample is obeyed', async () => {
  await using receiver = await startTraceReceiver()
  await using service = startCli(['serve'], {
    ...tracing(receiver.url),
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  const url = await service.ready()
  const ask = (flags: string) =>
    fetch(`${url}/status`, {
      headers: { 'x-request-id': `flags-${flags}`, traceparent: `00-${TRACE}-${CALLER}-${flags}` },
    })
  for (const flags of ['00', '01']) await ask(flags)
  service.child.kill('SIGTERM')
  await service.ended
  expect(
    receiver
      .spans()
      .map(({ attributes }) => attributes['request.id'])
      .filter(Boolean),
  ).toEqual(['flags-01'])
})

test('a receiver that is away, or never answers, harms no request, is told of once and does not delay the end', async () => {
  const hole = createServer().listen(0, '127.0.0.1')
  const address = hole.address()
  const silent = typeof address === 'object' ? address?.port : undefined
  try {
    for (const [port, wantedLines] of [
      [await closedPort(), 1],
      [silent, 0],
    ]) {
      await using service = startCli(['serve'], {
        ...tracing(`http://127.0.0.1:${port}`),
        OTEL_EXPORTER_OTLP_TIMEOUT: port === silent ? '60000' : '100',
        SHUTDOWN_TIMEOUT_SECONDS: '10',
      })
      const url = await service.ready()
      for (let turn = 0; turn < 40; turn += 1) expect((await fetch(`${url}/campaigns?page=${turn}`)).status).toBe(200)
      if (wantedLines === 1) await service.said(/(trace export failed)/)
      for (let turn = 0; turn < 40; turn += 1) expect((await fetch(`${url}/campaigns?page=${turn}`)).status).toBe(200)
      const askedAt = performance.now()
      service.child.kill('SIGTERM')
      expect((await service.ended).code).toBe(0)
      expect(performance.now() - askedAt).toBeLessThan(3000)
      expect(service.stdout.match(/trace export failed/g) ?? []).toHaveLength(wantedLines ?? 0)
    }
  } finally {
    hole.close()
  }
})

test('without an endpoint nothing of traces is loaded', async () => {
  const folder = '.test-build/without-traces'
  try {
    // The same command line without what it would load.
    await cp(dirname(CLI), folder, { recursive: true, filter: (path) => !path.includes('cli.traces.') })
    const serve = (settings: Record<string, string>) =>
      new NodeProcess([join(folder, 'cli.js'), 'serve'], { DATABASE_URL: database.url, PORT: '0', ...settings })
    await using service = serve({ OTEL_SERVICE_NAME: 'rewards' })
    expect((await fetch(`${await service.ready()}/campaigns`)).status).toBe(200)
    expect(service.stdout).not.toContain('trace_id')
    await using traced = serve(tracing('http://127.0.0.1:4318'))
    const { code, stderr } = await traced.ended
    expect(code).toBe(1)
    expect(stderr).toContain('cli.traces.')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }

test.each([
  [{}, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, false],
  [ENDPOINT, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://localhost:4318/v1/traces' }, true],
  [{ ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }, false],
  [{ ...ENDPOINT, OTEL_SDK_DISABLED: 'false' }, true],
  [{ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }, false],
  [{ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'otlp, console' }, true],
])('%j asks for traces: %s', (environment, areWanted) => {
  expect(areTracesWanted(environment)).toBe(areWanted)
})
