import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, lockCampaigns, type TestDatabase } from '../setup/database.ts'
import { anAddress } from '../setup/records.ts'
import { listen } from '../setup/servers/sockets.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'
import { waitFor } from '../setup/wait-for.ts'

/** What everybody who asks by hand has to send. */
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

const message = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) })
const statusCall = message('tools/call', { name: 'status', arguments: {} })

let database: TestDatabase
let api: TestApp
beforeAll(async () => {
  database = await createTestDatabase()
  api = await startTestApp({}, database)
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const post = (to: TestApp, payload: object | string, headers: Record<string, string> = {}) =>
  to.app.inject({ method: 'POST', url: '/mcp', headers: { ...HEADERS, ...headers }, payload })

test('a call is answered with JSON, without a session, under the request ID of the client', async () => {
  const response = await post(api, statusCall, { 'x-request-id': 'agent-1' })
  expect(response.statusCode).toBe(200)
  expect(response.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': 'agent-1',
  })
  expect(response.headers).not.toHaveProperty('mcp-session-id')
  expect(response.json()).toMatchObject({ id: 1, result: { structuredContent: { chains: [] } } })
})

test.each(['GET', 'HEAD', 'DELETE', 'PUT', 'PATCH'] as const)('%s is 405, with what is allowed', async (method) => {
  const response = await api.app.inject({ method, url: '/mcp' })
  expect([response.statusCode, response.headers.allow]).toEqual([405, 'POST, OPTIONS'])
  if (method !== 'HEAD') expect(response.json()).toEqual({ error: 'method not allowed: only POST and OPTIONS are' })
})

test.each([
  [
    'text',
    { 'content-type': 'text/plain' },
    'x',
    415,
    { error: 'unsupported media type: only application/json is accepted' },
  ],
  ['no JSON', {}, '{', 400, { error: { code: -32700 } }],
  ['no message', {}, '{}', 400, { error: { message: expect.any(String) } }],
  [
    'more than 64 kB',
    {},
    JSON.stringify({ text: 'x'.repeat(66_000) }),
    413,
    { error: 'the body is too large: at most 65536 bytes are accepted' },
  ],
])('%s is refused', async (_what, headers, payload, status, body) => {
  const response = await post(api, payload, headers)
  expect(response.json()).toMatchObject(body)
  expect(response.statusCode).toBe(status)
})

test('a batch is refused in a sentence, whatever it holds: one request is one message', async () => {
  const batch = Array.from({ length: 100 }, () => message('tools/list'))
  for (const payload of [batch, [], ` \n${JSON.stringify([statusCall])}`]) {
    const response = await post(api, payload)
    expect(response.json()).toEqual({ error: 'send one message a request: this protocol has no batches' })
    expect([response.statusCode, response.headers['x-error-code']]).toEqual([400, 'invalid_request'])
  }
})

test.each([
  undefined,
  '',
  'application/json',
  '*/*',
  'application/*',
  'Application/JSON, Text/Event-Stream',
  'APPLICATION/JSON; charset=UTF-8',
  'text/html, */*;q=0.1',
  'application/json;q=0.5',
])('a client that accepts %s gets JSON', async (accept) => {
  const response = await api.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { 'content-type': 'Application/JSON', ...(accept === undefined ? {} : { accept }) },
    payload: JSON.stringify(statusCall),
  })
  expect(response.json()).toMatchObject({ result: { structuredContent: { chains: [] } } })
})

test.each([
  'text/event-stream',
  'text/html',
  'application/json;q=0, */*',
  'application/xml',
  'application/problem+json',
])('a client that accepts only %s is told that there is only JSON', async (accept) => {
  const response = await post(api, statusCall, { accept })
  const sentence = 'not acceptable: responses are application/json, which the header Accept does not admit'
  expect([response.statusCode, response.headers['x-error-code']]).toEqual([406, 'not_acceptable'])
  expect(response.json()).toMatchObject(
    accept.includes('problem') || accept.includes('q=0')
      ? { status: 406, title: 'Not acceptable', detail: sentence, errors: [] }
      : { error: sentence },
  )
})

const CURRENT = {
  meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
  headersOf: (method: string, name?: string) => ({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  }),
}

const handshake = (params: object) =>
  message('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
    ...params,
  })

test.each([
  ['arguments', message('tools/call', { name: 'status', arguments: null })],
  ['an argument', message('tools/call', { name: 'find_campaigns', arguments: { pageSize: null, search: null } })],
  ['what is said of a call', message('tools/call', { name: 'status', _meta: null })],
  ['a part of what is said of a call', message('tools/call', { name: 'status', _meta: { progressToken: null } })],
  ['parameters', { ...message('tools/list'), params: null }],
  ['a parameter', message('tools/list', { cursor: null, _meta: null })],
  ['what a client can do', handshake({ capabilities: { roots: null, sampling: null }, _meta: null })],
  ['what a client says of itself', handshake({ clientInfo: { name: 'test', version: '1', title: null } })],
])('%s that are null are absent', async (_what, payload) => {
  const response = await post(api, payload)
  const { result } = response.json()
  expect(result?.isError, response.body).toBe(undefined)
  expect(result?.structuredContent ?? result?.tools ?? result?.serverInfo, response.body).toBeInstanceOf(Object)
})

test('what is null is absent in the current protocol too', async () => {
  const _meta = { ...CURRENT.meta, 'io.modelcontextprotocol/logLevel': null, progressToken: null }
  const call = message('tools/call', { name: 'status', arguments: null, _meta })
  const response = await post(api, call, CURRENT.headersOf('tools/call', 'status'))
  expect(response.json()).toMatchObject({ result: { structuredContent: { chains: [] } } })
})

test.each([
  ['tools/list', { cursor: 3 }, 'params.cursor must be text'],
  ['initialize', null, 'params is required'],
  [
    'initialize',
    { protocolVersion: 3, capabilities: {} },
    'params.protocolVersion must be text; params.clientInfo is required',
  ],
  [
    'initialize',
    { protocolVersion: '2025-06-18', capabilities: { roots: 3 }, clientInfo: { name: 'x', version: '1' } },
    'params.capabilities.roots must be an object',
  ],
])('what %s does not take, as %j, is refused in a sentence', async (method, params, sentence) => {
  const response = await post(api, { ...message(method), params })
  expect(response.json()).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32602, message: sentence },
  })
})

test.each([
  [{ name: 3 }, 'params.name must be the name of a tool'],
  [{ name: 'status', arguments: [] }, 'params.arguments must be an object with the arguments by name'],
  [null, 'params must be an object with the name of a tool and its arguments'],
  [[], 'params must be an object with the name of a tool and its arguments'],
])('a call with the parameters %j is refused in a sentence', async (params, sentence) => {
  const response = await post(api, { ...message('tools/call'), params })
  expect(response.json()).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: sentence } })
})

test('the list of tools is the same under every ID, in each protocol', async () => {
  const listed = async (id: unknown, params?: object, headers = {}) => {
    const { id: own, result } = (await post(api, { jsonrpc: '2.0', id, method: 'tools/list', params }, headers)).json()
    expect(own).toBe(id)
    return result.tools.map(({ name }: { name: string }) => name)
  }
  const { meta } = CURRENT
  const headers = CURRENT.headersOf('tools/list')
  for (const id of [1, 'b"c', 2, 'the ID of the request']) {
    expect(await listed(id)).toContain('get_campaigns')
    expect(await listed(id, { _meta: meta }, headers)).toContain('get_campaigns')
  }
  // What is no request of this kind is not taken for one.
  const response = await post(api, { jsonrpc: '2.0', method: 'tools/list' })
  expect(response.statusCode).toBe(202)
})

describe('what a client has under way', () => {
  const rewardsOf = { name: 'rewards_of', arguments: { user: anAddress('a') } }
  const queriesThatWait = () =>
    database.query(
      `select from pg_stat_activity where state = 'active' and wait_event_type = 'Lock' and datname = current_database()`,
    )

  test.each([
    [
      'the current',
      message('tools/call', { ...rewardsOf, _meta: CURRENT.meta }),
      CURRENT.headersOf('tools/call', 'rewards_of'),
    ],
    ['an older', message('tools/call', rewardsOf), {}],
  ])('a tool ends with its client, and so does its query, in %s protocol', async (_which, payload, headers) => {
    await using served = await startTestApp({ STATEMENT_TIMEOUT_MS: '60000' }, database)
    const address = await served.app.listen({ host: '127.0.0.1', port: 0 })
    await using _locked = await lockCampaigns(database.url, 'claims')
    const leaving = new AbortController()
    const call = fetch(`${address}/mcp`, {
      method: 'POST',
      headers: { ...HEADERS, ...headers },
      body: JSON.stringify(payload),
      signal: leaving.signal,
    })
    await waitFor(async () => (await queriesThatWait()).length > 0 || undefined)
    leaving.abort()
    await expect(call).rejects.toThrow()
    // Long before the statement would be given up.
    await waitFor(async () => (await queriesThatWait()).length === 0 || undefined, 5000)
    expect(served.defects).toEqual([])
  })

  test('the request of a tool is one more of those that the address may have at a time', async () => {
    const [client, other] = ['192.0.2.1', '192.0.2.2']
    // The least that an address may have.
    const most = 64
    await using served = await startTestApp({ MAX_CONCURRENT_REQUESTS: '640', TRUSTED_PROXIES: '127.0.0.1' }, database)
    const port = await listen(served.app)
    const call = async (from: string) => {
      const headers = { ...HEADERS, 'x-forwarded-for': from }
      const body = JSON.stringify(statusCall)
      const response = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers, body })
      const { result } = (await response.json()) as { result: { content: { text: string }[]; isError?: boolean } }
      return result.isError === true ? result.content[0]?.text : 'answered'
    }
    const sockets: Socket[] = []
    /** Has requests under way whose bodies never come. */
    const hold = async (count: number) => {
      for (let opened = 0; opened < count; opened += 1) {
        const socket = connect(port, '127.0.0.1').on('error', () => undefined)
        sockets.push(socket)
        const head = `POST /mcp HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${client}\r\ncontent-type: application/json\r\n`
        await new Promise((resolve) => socket.write(`${head}content-length: 9\r\n\r\n`, resolve))
      }
      // What was sent before this has begun.
      expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200)
    }
    try {
      await hold(most - 2)
      expect(await call(client)).toBe('answered')
      await hold(1)
      expect(await call(client)).toBe('too many requests from this address at the same time, try again shortly')
      expect(await call(other)).toBe('answered')
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })

  test('the request of a tool is one more of those that the service makes at a time', async () => {
    await using served = await startTestApp({ MAX_CONCURRENT_REQUESTS: '1' }, database)
    const address = await served.app.listen({ host: '127.0.0.1', port: 0 })
    const response = await fetch(`${address}/mcp`, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify(statusCall),
    })
    expect(await response.json()).toMatchObject({
      result: { isError: true, content: [{ text: 'the service is overloaded, try again shortly' }] },
    })
  })

  test('nothing of it is left when it has been answered', async () => {
    await using served = await startTestApp({ MAX_CONCURRENT_REQUESTS: '2' }, database)
    const address = await served.app.listen({ host: '127.0.0.1', port: 0 })
    for (let turn = 0; turn < 5; turn += 1) {
      const response = await fetch(`${address}/mcp`, {
        method: 'POST',
        headers: HEADERS,
        body: JSON.stringify(statusCall),
      })
      expect(await response.json()).toMatchObject({ result: { structuredContent: { chains: [] } } })
    }
  })
})

test('a message that comes while the service shuts down is answered like any request', async () => {
  const served = await startTestApp({ DRAIN_SECONDS: '2' }, database)
  const address = await served.app.listen({ host: '127.0.0.1', port: 0 })
  const closing = served[Symbol.asyncDispose]()
  const response = await fetch(`${address}/mcp`, { method: 'POST', headers: HEADERS, body: JSON.stringify(statusCall) })
  expect(await response.json()).toMatchObject({ result: { structuredContent: { chains: [] } } })
  await closing
  expect(served.defects).toEqual([])
})

test('nothing is subscribed to: a response always ends', async () => {
  const headers = CURRENT.headersOf('subscriptions/listen')
  const listening = message('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: CURRENT.meta })
  const response = await post(api, listening, headers)
  expect(response.json()).toMatchObject({ error: { message: expect.any(String) } })
})

test('it is not there where the settings say so, nor without the public operations', async () => {
  for (const settings of [{ MCP: 'false' }, { SURFACES: 'staging' }]) {
    await using without = await startTestApp(settings as Record<string, string>, database)
    const response = await post(without, statusCall)
    expect([response.statusCode, response.json()]).toEqual([404, { error: 'there is nothing at "/mcp"' }])
  }
})

test('pages of origins that may not read responses may not call tools', async () => {
  await using limited = await startTestApp({ CORS_ORIGINS: 'https://agents.example' }, database)
  const statusFor = async (headers: Record<string, string>) => (await post(limited, statusCall, headers)).statusCode
  expect(await statusFor({ origin: 'https://evil.example' })).toBe(403)
  expect(await statusFor({ origin: 'https://agents.example' })).toBe(200)
  expect(await statusFor({})).toBe(200)

  const preflight = await limited.app.inject({
    method: 'OPTIONS',
    url: '/mcp',
    headers: { origin: 'https://agents.example', 'access-control-request-method': 'POST' },
  })
  expect([preflight.statusCode, preflight.headers['access-control-allow-methods']]).toEqual([204, 'POST, OPTIONS'])
  expect(preflight.headers['access-control-allow-origin']).toBe('https://agents.example')
})

test('a call and the requests that it makes count for the address of the client', async () => {
  await using limited = await startTestApp({ REQUESTS_PER_MINUTE: '3', TRUSTED_PROXIES: '127.0.0.1' }, database)
  const callFor = (client: string) => post(limited, statusCall, { 'x-forwarded-for': client })

  expect((await callFor('192.0.2.1')).json()).toMatchObject({ result: { structuredContent: { chains: [] } } })
  expect((await callFor('192.0.2.1')).json()).toMatchObject({
    result: {
      isError: true,
      content: [{ text: expect.stringMatching(/^too many requests from this address, try again in \d+ seconds$/) }],
    },
  })
  const third = await callFor('192.0.2.1')
  expect([third.statusCode, third.json()]).toEqual([429, { error: expect.stringContaining('too many requests') }])
  expect(third.headers['retry-after']).toMatch(/^\d+$/)
  expect((await callFor('192.0.2.2')).statusCode).toBe(200)
})
