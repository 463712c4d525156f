import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import * as catalogue from 'reward-campaigns-strict-http/request/errors/errors'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { readSettings } from '../../src/config.ts'
import { SchemaBehindError } from '../../src/database/connection/database-errors.ts'
import * as ownCatalogue from '../../src/http/service-errors.ts'
import { toCheckedText } from '../../src/schemas/cursor-checks.ts'
import { setFollowed } from '../setup/data/followed-chains.ts'
import { lockCampaigns } from '../setup/database.ts'
import { type Contract, contractOf } from '../setup/documents/openapi.ts'
import { aToken } from '../setup/records.ts'
import { closedPort, collect, exchange, listen, parse } from '../setup/servers/sockets.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'
import { bearing, issueToken } from '../setup/tokens.ts'
import { waitFor } from '../setup/wait-for.ts'

/*
 * Failures for programs: their codes, and problem details (RFC 9457) for those who prefer them.
 */

const PROBLEM = { accept: 'application/problem+json' }
const MISSING = '/campaigns/1:0x0000000000000000000000000000000000000001:99'
const root = join(import.meta.dirname, '../..')

interface Reply {
  status: number
  headers: Record<string, unknown>
  body: string
}

let api: TestApp
let port: number
let contract: Contract

beforeAll(async () => {
  api = await startTestApp({ MAX_PIPELINED_REQUESTS: '1' })
  port = await listen(api.app)
  contract = await contractOf(api)
})
afterAll(() => api[Symbol.asyncDispose]())

const get = async (url: string, headers: Record<string, string> = {}, from = api.app): Promise<Reply> => {
  const { statusCode: status, headers: received, body } = await from.inject({ url, headers })
  return { status, headers: received, body }
}
const post = async (payload: string, type: string): Promise<Reply> => {
  const headers = { ...PROBLEM, 'content-type': type }
  const reply = await api.app.inject({ method: 'POST', url: '/mcp', headers, payload })
  return { status: reply.statusCode, headers: reply.headers, body: reply.body }
}
const problemOf = async (url: string, headers = {}) => JSON.parse((await get(url, { ...PROBLEM, ...headers })).body)

describe('the form of a failure', () => {
  test.each([
    [undefined, false],
    ['*/*', false],
    ['application/*', false],
    ['application/json', false],
    ['text/plain', false],
    ['text/plain, */*;q=0.1', false],
    ['application/problem+json', true],
    ['Application/Problem+JSON; charset=utf-8', true],
    ['application/problem+json, */*', true],
    ['application/json, application/problem+json', true],
    ['application/json;q=0.9, application/problem+json;q=0.9', true],
    ['application/json, application/problem+json;q=0.9', false],
    ['application/json;q=0.5, application/problem+json;charset=utf-8;q=0.6', true],
    ['application/json;q=0, */*', true],
    ['application/problem+json;q=0', false],
    ['application/problem+json;q=0, */*', false],
    ['application/problem+json;q=x', false],
  ])('is what Accept prefers: %s', async (accept, isProblem) => {
    const { status, headers, body } = await get(MISSING, accept === undefined ? {} : { accept })
    const type = isProblem ? 'application/problem+json' : 'application/json'
    expect([status, headers['content-type'], headers.vary]).toEqual([404, `${type}; charset=utf-8`, 'accept'])
    expect(headers['x-error-code']).toBe('not_found')
    expect(Object.keys(JSON.parse(body))).toEqual(
      isProblem ? ['type', 'title', 'status', 'detail', 'instance', 'errors'] : ['error'],
    )
  })

  test('does not touch what succeeds', async () => {
    const [plain, other] = [await get('/campaigns'), await get('/campaigns', PROBLEM)]
    expect(other.body).toBe(plain.body)
    expect(other.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', vary: 'accept-encoding' })
    expect(other.headers['x-error-code']).toBeUndefined()
    const unchanged = await get('/campaigns', { ...PROBLEM, 'if-none-match': String(plain.headers.etag) })
    expect([unchanged.status, unchanged.headers['x-error-code']]).toEqual([304, undefined])
  })

  test('of a page that is not there is a page for browsers, and has the code too', async () => {
    const { headers } = await get('/nothing', { accept: 'text/html,*/*;q=0.8' })
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'x-error-code': 'path_not_found' })
    const campaign = await get(`/explorer${MISSING}`, { accept: 'text/html' })
    expect([campaign.status, campaign.headers['x-error-code']]).toEqual([404, 'not_found'])
  })
})

describe('problem details', () => {
  test('say what the sentence says, which request it was, and where more is written', async () => {
    expect(await problemOf(MISSING, { 'x-request-id': 'mine' })).toEqual({
      type: '/docs/guides/errors#not_found',
      title: 'Not found',
      status: 404,
      detail: `there is no campaign ${MISSING.slice('/campaigns/'.length)}`,
      instance: 'mine',
      errors: [],
    })
    expect(await problemOf('/%zz')).toMatchObject({ title: 'Malformed URL', errors: [] })
  })

  test.each([
    ['/campaigns?pageSize=101', [['pageSize', 'invalid']]],
    [
      '/campaigns?owner=x&nope=1&page=1&page=2',
      [
        ['nope', 'unknown'],
        ['page', 'repeated'],
        ['owner', 'invalid'],
      ],
    ],
    [
      '/campaigns?tokens=x,y',
      [
        ['tokens', 'invalid'],
        ['tokens', 'invalid'],
      ],
    ],
    [
      `/campaigns?distributionChannel=${Array.from({ length: 101 }, (_, index) => index)}`,
      [['distributionChannel', 'invalid']],
    ],
    ['/prices', [['token', 'missing']]],
    [`/campaigns?targetContract=0x${'1'.repeat(40)}`, [['chainId', 'missing']]],
    [
      '/campaigns/x?page=1',
      [
        ['id', 'invalid'],
        ['page', 'unknown'],
      ],
    ],
    ['/campaigns?owner=%zz', [['owner', 'encoding']]],
    ['/campaigns?owner=%00', [['owner', 'encoding']]],
    ...['abc', 'a'.repeat(512)].map((cursor): [string, [string, string][]] => [
      `/claims?cursor=${cursor}&pageSize=10001`,
      [
        ['cursor', 'invalid'],
        ['pageSize', 'invalid'],
      ],
    ]),
    ['/campaigns?minBlock=999:1', [['minBlock', 'invalid']]],
    [`/prices?token=1:0x${'1'.repeat(40)}&at=2999-01-01T00:00:00Z`, [['at', 'invalid']]],
    [`/campaigns?${Array.from({ length: 65 }, (_, index) => `p${index}=1`).join('&')}`, []],
  ])('name each parameter that is at fault: %s', async (url, expected) => {
    const { detail, errors } = await problemOf(url)
    expect(errors.map(({ parameter, code }: Record<string, string>) => [parameter, code])).toEqual(expected)
    for (const error of errors) expect(detail).toContain(error.detail)
    if (expected.length > 0) {
      expect(errors.map((error: { detail: string }) => error.detail).join('; ')).toBe(detail)
    }
  })

  test('come where a sentence is cut short: as many errors as it tells', async () => {
    const { detail, errors } = await problemOf(
      `/campaigns?${Array.from({ length: 40 }, (_, i) => `p${i}=1`).join('&')}`,
    )
    expect(errors).toHaveLength(20)
    expect(detail).toMatch(/; and more$/)
  })

  test('name the user whom a token does not', async () => {
    const admin = bearing(await issueToken(api, { isAdmin: true }))
    expect(await problemOf('/campaigns/accesslists', admin)).toMatchObject({
      errors: [{ parameter: 'userId', code: 'missing' }],
    })
    expect(await problemOf('/users/profile', admin)).toMatchObject({ errors: [{ parameter: 'user', code: 'missing' }] })
  })
})

describe('every code', () => {
  const codes = Object.values({ ...catalogue, ...ownCatalogue })
    .map((Failure) => new Failure('' as never, '' as never))
    .filter(({ statusCode }) => statusCode !== 499)
    .map(({ code, statusCode }) => ({ code: code.toLowerCase(), status: statusCode ?? 0 }))
  const statusOf = new Map(codes.map(({ code, status }) => [code, status]))

  test('has a section of the guide, with its status', () => {
    const guide = readFileSync(join(root, 'docs/guides/errors.md'), 'utf8')
    const documented = [...guide.matchAll(/^### ([a-z_]+)\n\n\*\*(\d{3})\*\*/gm)].map(([, code, status]) => [
      code,
      status,
    ])
    expect(documented.sort()).toEqual([...statusOf].map(([code, status]) => [code, String(status)]).sort())
  })

  test('is in the OpenAPI document, and each failure refers to it', async () => {
    const { components } = JSON.parse((await get('/openapi.json')).body)
    expect(components.schemas.XErrorCode.enum).toEqual([...statusOf.keys()].sort())
    for (const { operation } of contract.operations) {
      for (const [status, { headers, content }] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue
        expect(headers?.['x-error-code']?.schema, `${operation.operationId} ${status}`).toEqual({
          $ref: '#/components/schemas/XErrorCode',
        })
        expect(Object.keys(content ?? {})).toEqual(['application/json', 'application/problem+json'])
      }
    }
  })

  /** Requests that fail with a code, by the code. */
  const REACHED: Record<string, () => Promise<Reply>> = {
    invalid_request: () => get('/campaigns?search=x&page=x', PROBLEM),
    malformed_url: () => get('/%zz', PROBLEM),
    invalid_http: () => exchange(port, 'NONSENSE\r\n\r\n'),
    missing_token: () => get('/users/profile', PROBLEM),
    invalid_token: () => get('/users/profile', { ...PROBLEM, ...bearing('rcs_x') }),
    forbidden: async () =>
      get('/campaigns/accesslists?userId=other', { ...PROBLEM, ...bearing(await issueToken(api)) }),
    not_found: () => get(MISSING, PROBLEM),
    path_not_found: () => get('/nothing', PROBLEM),
    method_not_allowed: () => exchange(port, toRequest('CONNECT x:443')),
    async request_timeout() {
      const socket = connect(port, '127.0.0.1')
      const received = collect(socket)
      const [server] = await once(api.app.server, 'connection')
      // Node looks for slow clients every 30 seconds only.
      api.app.server.emit('clientError', Object.assign(new Error('slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), server)
      return parse(await received)
    },
    payload_too_large: () => post(JSON.stringify({ text: 'x'.repeat(66_000) }), 'application/json'),
    unsupported_media_type: () => post('x', 'text/plain'),
    not_acceptable: () => post('{}', 'application/json'),
    history_lost: () => get(`/changes?after=${toCheckedText(Buffer.alloc(32))}`, PROBLEM),
    async too_many_streams() {
      await using followed = await startTestApp({ MAX_STREAMS: '1' }, api.database)
      const { nextCursor } = JSON.parse((await get('/changes', {}, followed.app)).body)
      const waiting = `/changes?after=${nextCursor}&wait=25`
      const abort = new AbortController()
      const stream = await fetch(`http://127.0.0.1:${await listen(followed.app)}${waiting}`, {
        headers: { accept: 'text/event-stream' },
        signal: abort.signal,
      })
      expect(stream.status).toBe(200)
      const refused = await get(waiting, PROBLEM, followed.app)
      abort.abort()
      return refused
    },
    async too_many_exports() {
      await using exporting = await startTestApp({ MAX_EXPORTS: '1' }, api.database)
      await using lock = await lockCampaigns(api.database.url, 'tokens')
      const held = get('/export/tokens', {}, exporting.app)
      await waitFor(() => exporting.counts.exports.running === 1 || undefined)
      const refused = await get('/export/tokens', PROBLEM, exporting.app)
      await lock.release()
      expect((await held).status).toBe(200)
      return refused
    },
    url_too_long: () => get(`/${'a'.repeat(20_000)}`, PROBLEM),
    headers_too_long: () => exchange(port, `GET / HTTP/1.1\r\nx-long: ${'a'.repeat(40_000)}\r\n\r\n`),
    async too_many_requests() {
      await using limited = await startTestApp({ REQUESTS_PER_MINUTE: '1' }, api.database)
      await limited.get('/limits')
      return await get('/limits', PROBLEM, limited.app)
    },
    async too_many_failed_attempts() {
      await using limited = await startTestApp({ FAILED_AUTH_PER_MINUTE: '1' }, api.database)
      await limited.get('/users/profile', bearing('rcs_x'))
      return await get('/users/profile', { ...PROBLEM, ...bearing('rcs_x') }, limited.app)
    },
    async too_many_concurrent_requests() {
      await using limited = await startTestApp({ MAX_CONCURRENT_REQUESTS: '640' }, api.database)
      const crowded = await listen(limited.app)
      await using lock = await lockCampaigns(api.database.url, 'tokens')
      const from = { port: crowded, host: '127.0.0.1', localAddress: '127.0.0.2' }
      const held = Array.from({ length: 65 }, (_, index) => {
        const socket = connect(from)
        const received = collect(socket)
        socket.write(toRequest(`GET /campaigns?search=x&page=${index + 1}`))
        return received
      })
      const refused = await waitFor(async () => {
        const socket = connect(from)
        const received = collect(socket)
        socket.write(toRequest('GET /limits'))
        const reply = parse(await received)
        return reply.status === 429 ? reply : undefined
      })
      await lock.release()
      await Promise.all(held)
      return refused
    },
    async internal_error() {
      await using broken = await startTestApp()
      await broken.database.query('alter table campaigns rename to elsewhere')
      return await get('/campaigns', PROBLEM, broken.app)
    },
    async overloaded() {
      const socket = connect(port, '127.0.0.1')
      const received = collect(socket)
      const pipelined = 'GET /livez HTTP/1.1\r\nhost: x\r\naccept: application/problem+json\r\n\r\n'
      socket.write(pipelined.repeat(3))
      const text = await received
      return parse(text.slice(text.lastIndexOf('HTTP/1.1')))
    },
    not_ready: () => getUnready(async () => false),
    schema_outdated: () =>
      getUnready(async () => {
        throw new SchemaBehindError()
      }),
    block_not_reached: async () => {
      await setFollowed(api.database, 8453, 100)
      return await get('/campaigns?minBlock=8453:101', PROBLEM)
    },
    async changing_data() {
      await using changing = await startTestApp()
      await setFollowed(changing.database, 8453, 100)
      for (let commits = 0; commits < 3; commits += 1) await changing.save(aToken())
      // Each look at the data finds it changed.
      const [row] = await changing.database.query(
        `select string_agg(quote_ident(column_name), ', ' order by ordinal_position) as columns
        from information_schema.columns where table_name = 'data_versions' and column_name <> 'revision'`,
      )
      await changing.database.query('create sequence looks')
      await changing.database.query('alter table data_versions rename to stored_revisions')
      await changing.database.query(
        `create view data_versions as select revision + nextval('looks')::integer as revision, ${row?.columns}
        from stored_revisions`,
      )
      return await get('/explore/contracts', PROBLEM, changing.app)
    },
    async database_unavailable() {
      const url = `postgres://127.0.0.1:${await closedPort()}/away`
      await using away = await startTestApp({}, { ...api.database, url })
      return await get('/campaigns', PROBLEM, away.app)
    },
  }

  /** Those that answer what nobody has read: not even in which form. */
  const UNREAD = new Set(['invalid_http', 'headers_too_long', 'request_timeout'])

  test('of the catalogue is among those that are reached here', () => {
    expect(Object.keys(REACHED).sort()).toEqual([...statusOf.keys()].sort())
  })

  test.each(Object.entries(REACHED))('is reached by a request: %s', async (code, reach) => {
    const { status, headers, body } = await reach()
    expect([status, headers['x-error-code']], body).toEqual([statusOf.get(code), code])
    expect(headers['content-length']).toBe(String(Buffer.byteLength(body)))
    if (UNREAD.has(code)) {
      expect(JSON.parse(body)).toEqual({ error: expect.stringMatching(/\S/) })
      return
    }
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(headers.vary).toBe('accept')
    const problem = JSON.parse(body)
    expect(problem).toMatchObject({
      type: `/docs/guides/errors#${code}`,
      status,
      instance: headers['x-request-id'],
      errors: code === 'invalid_request' ? [{ parameter: 'page', code: 'invalid' }] : [],
    })
    const validate = contract.validatorOf({ $ref: '#/components/schemas/ProblemDetails' })
    validate(problem)
    expect(validate.errors ?? []).toEqual([])
  })

  test('has a section that its type leads to', async () => {
    const page = (await get('/docs/guides/errors')).body
    for (const code of statusOf.keys()) expect(page).toContain(`<h3 id="${code}">`)
  })
})

const toRequest = (line: string) =>
  `${line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\naccept: application/problem+json\r\n\r\n`

/** The response of `/readyz` where this is known of the database. */
async function getUnready(isReady: () => Promise<boolean>): Promise<Reply> {
  const { database } = api.lanes.lookups
  const settings = readSettings({ LOG_LEVEL: 'silent', MAX_EVENT_LOOP_DELAY_MS: '0' })
  const app = await buildApp({ database, settings, isReady })
  const { statusCode: status, headers, body } = await app.inject({ url: '/readyz', headers: PROBLEM })
  await app.close()
  return { status, headers, body }
}
