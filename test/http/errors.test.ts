import { METHODS, request as openRequest } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { readSettings } from '../../src/config.ts'
import { openPool } from '../../src/database/connection/pool.ts'
import { openSnapshotsOf } from '../../src/database/exported-records/export-snapshots.ts'
import { createTestDatabase, lockCampaigns } from '../setup/database.ts'
import { aCampaign } from '../setup/records.ts'
import { closedPort, collect, exchange, listen, type RawResponse } from '../setup/servers/sockets.ts'
import { BUILD, startTestApp, type TestApp } from '../setup/test-app.ts'
import { waitFor } from '../setup/wait-for.ts'

/*
 * Every way a request can fail, over a real socket where the failure comes from below the routes.
 */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const JSON_TYPE = 'application/json; charset=utf-8'
const ALLOWED = 'GET, HEAD, OPTIONS'

let api: TestApp
let port: number

beforeAll(async () => {
  api = await startTestApp()
  port = await listen(api.app)
})
afterAll(() => api[Symbol.asyncDispose]())

describe('a path', () => {
  test.each([
    '/nothing',
    '/campaign',
    '/campaigns/accesslists/1',
    '/users',
    '/users/profile/1',
    '/campaigns/8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1/claims',
    '//campaigns',
    '/docs/nothing.js',
    '/docs/guides/nothing',
    '/%00',
    '/index.html',
    '/../package.json',
  ])('that leads nowhere is 404: %s', async (path) => {
    expectFailure(await raw(`GET ${path} HTTP/1.1`), 404)
  })

  test('of an unknown campaign is 404 and named', async () => {
    const id = '8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:999999'
    expect(expectFailure(await raw(`GET /campaigns/${id} HTTP/1.1`), 404)).toContain(id)
  })

  test.each(['/campaigns/%zz', '/campaigns/%', '/campaigns/%4', '/campaigns/%ff', '/campaigns/%c0%af', '/%zz'])(
    'with a malformed percent-encoding is 400: %s',
    async (path) => {
      expect(expectFailure(await raw(`GET ${path} HTTP/1.1`), 400)).toContain('percent-encoding')
    },
  )

  test.each(['/campaigns#owner=x', '/campaigns?pageSize=1#', '/campaigns#autocampaignId=%00', '/#', '/nothing#'])(
    'with a fragment, which no request has, is 400: %s',
    async (path) => {
      expect(expectFailure(await raw(`GET ${path} HTTP/1.1`), 400)).toContain('#')
    },
  )

  test.each([
    'content-type: application/json\r\ncontent-length: 1\r\n\r\n{',
    'content-type: ;;;\r\ncontent-length: 1\r\n\r\nx',
    'content-type: application/json\r\ncontent-length: 99999999\r\n\r\n',
  ])('that leads nowhere is 404 whatever body comes with it: %j', async (rest) => {
    expectFailure(await exchange(port, `POST /nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${rest}`), 404)
  })

  test('with a NUL byte where an ID is expected is 400', async () => {
    expectFailure(await raw('GET /campaigns/%00 HTTP/1.1'), 400)
    expectFailure(await raw('GET /campaigns/8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1%00 HTTP/1.1'), 400)
  })

  test('may end in a slash', async () => {
    const [plain, slashed] = await Promise.all([
      raw('GET /campaigns?pageSize=1 HTTP/1.1'),
      raw('GET /campaigns/?pageSize=1 HTTP/1.1'),
    ])
    expect(slashed).toMatchObject({ status: 200, body: plain.body })
    expectFailure(await raw('POST /campaigns/ HTTP/1.1'), 405)
  })

  test.each(['http:///x', 'http://', 'https:///campaigns', 'HTTP:///%zz', 'http://?page=1'])(
    'in absolute form without a host is 400, with the headers of any other failure: %s',
    async (url) => {
      const { headers } = await raw('GET /nothing HTTP/1.1')
      const reply = await raw(`GET ${url} HTTP/1.1`, 'x-request-id: mine')
      expect(expectFailure(reply, 400)).toContain('host')
      expect(reply.headers['x-request-id']).toBe('mine')
      expect(Object.keys(reply.headers)).toEqual(Object.keys(headers))
    },
  )

  test('may be written in absolute form', async () => {
    expect(await raw('GET http://localhost/campaigns HTTP/1.1')).toMatchObject({ status: 200 })
  })
})

describe('a query', () => {
  test.each(['owner=%zz', 'owner=%', 'autocampaignId=%ff', 'autocampaignId=%ed%a0%80', '%zz=1', 'page=1&x=%e0%80'])(
    'with a malformed percent-encoding is 400: %s',
    async (query) => {
      expect(expectFailure(await raw(`GET /campaigns?${query} HTTP/1.1`), 400)).toContain('percent-encoding')
    },
  )

  test.each(['autocampaignId=%00', 'autocampaignId=a%00b', 'distributionChannel=web,%00', 'tokens=%00', '%00=1'])(
    'with a NUL byte is 400: %s',
    async (query) => {
      expectFailure(await raw(`GET /campaigns?${query} HTTP/1.1`), 400)
    },
  )

  test.each([
    ['__proto__=1', '__proto__'],
    ['constructor=1', 'constructor'],
    ['owner[]=1', 'owner[]'],
    ['owner=1&owner=2', 'owner'],
    ['%F0%9F%92%A9=1', '\u{1f4a9}'],
    ['=1', 'unknown parameter'],
  ])('with a parameter that is not one is 400 and named: %s', async (query, named) => {
    expect(expectFailure(await raw(`GET /campaigns?${query} HTTP/1.1`), 400)).toContain(named)
  })

  test('has its words repeated whole: a sentence is cut between characters, never inside one', async () => {
    const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'
    const letters = ['\u{1f4a9}', 'e\u0301', family, '\u{1f1e9}\u{1f1ea}', '"', '\u0007', 'a']
    for (const letter of letters) {
      for (let before = 0; before < 12; before += 1) {
        const text = 'x'.repeat(before) + letter.repeat(200)
        for (const query of [`owner=${encodeURIComponent(text)}`, `${encodeURIComponent(text)}=1`]) {
          const sentence = expectFailure(await raw(`GET /campaigns?${query} HTTP/1.1`), 400)
          const quoted = /"(?:[^"\\]|\\.)*"/.exec(sentence)?.[0] ?? 'null'
          const [, repeated = '', cut] = /^(x*.*?)(…?)$/su.exec(JSON.parse(quoted)) ?? []
          expect(cut).toBe('…')
          expect(repeated).toBe('x'.repeat(before) + letter.repeat((repeated.length - before) / letter.length))
        }
      }
    }
  })

  test('is told all its problems at once', async () => {
    const sentence = expectFailure(await raw('GET /campaigns?page=-1&owner=0x1&pagesize=3 HTTP/1.1'), 400)
    for (const part of ['page must', 'owner must', '"pagesize"', 'did you mean pageSize'])
      expect(sentence).toContain(part)
  })

  test('on a detail is refused together with a malformed ID', async () => {
    const sentence = expectFailure(await raw('GET /campaigns/x?page=1 HTTP/1.1'), 400)
    expect(sentence).toContain('id must be')
    expect(sentence).toContain('"page"')
  })
})

describe('a method', () => {
  const paths = [
    '/campaigns',
    '/campaigns/8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1',
    '/campaigns/accesslists',
    '/users/profile',
    '/livez',
    '/openapi.json',
  ]
  const others = METHODS.filter((method) => !['GET', 'HEAD', 'OPTIONS', 'CONNECT'].includes(method))

  test.each(paths)('other than GET, HEAD and OPTIONS is 405 with Allow: %s', async (path) => {
    for (const method of others) {
      const reply = await ask(path, { method })
      expect(reply.headers.allow, method).toBe(ALLOWED)
      expectFailure(reply, 405)
    }
  })

  test.each(['/', '/docs', '/readyz', '/openapi.yaml'])('is 405 with Allow on %s too', async (path) => {
    const reply = await ask(path, { method: 'DELETE' })
    expect(reply.headers.allow).toBe(ALLOWED)
    expectFailure(reply, 405)
  })

  test('is what is wrong whatever the body, the query and the ID are', async () => {
    const body = '{"not json'
    const head = `content-type: application/json\r\ncontent-length: ${body.length}`
    for (const path of ['/campaigns?nothing=1', '/campaigns/malformed']) {
      expectFailure(await raw(`POST ${path} HTTP/1.1`, `${head}`, body), 405)
      expectFailure(
        await raw(`PUT ${path} HTTP/1.1`, `content-type: text/strange\r\ncontent-length: 10000000`, body),
        405,
      )
    }
  })

  test('on an unknown path is 404, not 405', async () => {
    expectFailure(await ask('/nothing', { method: 'POST' }), 404)
    expectFailure(await ask('/users', { method: 'POST' }), 404)
  })

  test('that nobody knows is no valid HTTP', async () => {
    expectFailure(await raw('BREW /campaigns HTTP/1.1'), 400)
  })

  test('HEAD answers as GET does, without the body', async () => {
    const get = await ask('/campaigns')
    const head = await ask('/campaigns', { method: 'HEAD' })
    expect(head).toMatchObject({ status: 200, body: '' })
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control']) {
      expect(head.headers[name], name).toBe(get.headers[name])
    }
    expect(await ask('/nothing', { method: 'HEAD' })).toMatchObject({ status: 404, body: '' })
    expect(await ask('/campaigns?page=x', { method: 'HEAD' })).toMatchObject({ status: 400, body: '' })
  })

  test('OPTIONS says what is allowed', async () => {
    for (const path of ['/campaigns', '/campaigns/anything', '/campaigns/accesslists', '/users/profile', '/livez']) {
      const reply = await ask(path, { method: 'OPTIONS' })
      expect(reply).toMatchObject({ status: 204, body: '', headers: { allow: ALLOWED } })
      expect(reply.headers['x-request-id']).toMatch(UUID)
    }
  })

  test('OPTIONS is answered before a body is read, whatever it holds', async () => {
    for (const path of ['/campaigns', '/users/profile', '/livez', '/docs']) {
      for (const [headers, body] of [
        ['content-type: application/json\r\ncontent-length: 9', '{"not jso'],
        ['content-type: ;;;\r\ncontent-length: 1', 'x'],
        ['content-type: text/strange\r\ncontent-length: 10000000', ''],
        ['content-type: application/json\r\ntransfer-encoding: chunked', ''],
      ]) {
        const reply = await raw(`OPTIONS ${path} HTTP/1.1`, headers, body)
        expect(reply, `${path} ${headers}`).toMatchObject({ status: 204, body: '', headers: { allow: ALLOWED } })
      }
    }
  })

  test('OPTIONS of an unknown path is 404', async () => {
    for (const path of ['/nothing', '/users', '*']) {
      expectFailure(await raw(`OPTIONS ${path} HTTP/1.1`), 404)
      expectFailure(
        await raw(`OPTIONS ${path} HTTP/1.1`, 'origin: https://a.example\r\naccess-control-request-method: GET'),
        404,
      )
    }
  })
})

describe('a page of another origin', () => {
  const preflight = { origin: 'https://a.example', 'access-control-request-method': 'GET' }

  test('may read answers and failures, with the headers that matter', async () => {
    for (const path of ['/campaigns', '/campaigns?page=x', '/users/profile', '/nothing', '/campaigns/%zz']) {
      const { headers } = await ask(path, { headers: { origin: 'https://a.example' } })
      expect(headers['access-control-allow-origin'], path).toBe('*')
      expect(headers['access-control-expose-headers'], path).toContain('x-request-id')
    }
  })

  test('gets its preflight answered', async () => {
    const reply = await ask('/campaigns', { method: 'OPTIONS', headers: preflight })
    expect(reply).toMatchObject({ status: 204, body: '' })
    expect(reply.headers['access-control-allow-origin']).toBe('*')
    expect(String(reply.headers['access-control-allow-methods'])).toContain('GET')
  })

  test('may not read where only others may', async () => {
    await using strict = await startTestApp({ CORS_ORIGINS: 'https://a.example,https://b.example' })
    const allowed = await strict.get('/campaigns', { origin: 'https://b.example' })
    expect(allowed.headers['access-control-allow-origin']).toBe('https://b.example')
    expect(String(allowed.headers.vary)).toMatch(/origin/i)
    const refused = await strict.get('/campaigns', { origin: 'https://c.example' })
    expect(refused.headers['access-control-allow-origin']).toBeUndefined()
    expect(String(refused.headers.vary)).toMatch(/origin/i)
  })
})

describe('a request that is too big or no HTTP', () => {
  test('is 414 when its URL is too long', async () => {
    expectFailure(await raw(`GET /campaigns?autocampaignId=${'a'.repeat(16_500)} HTTP/1.1`), 414)
    expectFailure(await raw(`GET /campaigns/${'1'.repeat(20_000)} HTTP/1.1`), 414)
    expectFailure(await raw(`GET /${'a'.repeat(20_000)} HTTP/1.1`), 414)
  })

  test('is judged by its rules up to there', async () => {
    expectFailure(await raw(`GET /campaigns/${'1'.repeat(16_000)} HTTP/1.1`), 400)
    expectFailure(await raw(`GET /campaigns?autocampaignId=${'a'.repeat(16_000)} HTTP/1.1`), 400)
  })

  test('is 431 when its headers are too long', async () => {
    expectFailure(await raw('GET /campaigns HTTP/1.1', `x-long: ${'a'.repeat(40_000)}`), 431)
    expectFailure(await raw('GET /campaigns HTTP/1.1', `x-request-id: mine\r\nx-long: ${'a'.repeat(40_000)}`), 431)
  })

  test.each([
    'NONSENSE',
    'GET /campaigns HTTP/9.9',
    'GET /campaigns?a=b c HTTP/1.1',
    'GET /\u0000 HTTP/1.1',
    '\u0016\u0003\u0001\u0002\u0000',
  ])('is 400 when it is no HTTP: %j', async (line) => {
    expectFailure(await raw(line), 400)
  })

  test('is 400 when a header is malformed', async () => {
    expectFailure(await raw('GET /campaigns HTTP/1.1', 'no colon'), 400)
    expectFailure(await raw('GET /campaigns HTTP/1.1', 'content-length: 1\r\ncontent-length: 2'), 400)
    expectFailure(await raw('POST /campaigns HTTP/1.1', 'content-length: 3\r\ntransfer-encoding: chunked', 'abc'), 400)
  })

  test('is 400 without a Host header, or with two, as RFC 9112 has it', async () => {
    for (const hosts of ['', 'host: a\r\nhost: b\r\n', 'Host: a\r\nhost: a\r\n']) {
      for (const path of ['/campaigns', '/nothing', '/livez', 'http://a/campaigns']) {
        const reply = await exchange(port, `GET ${path} HTTP/1.1\r\n${hosts}connection: close\r\n\r\n`)
        expect(expectFailure(reply, 400)).toMatch(/Host/)
      }
    }
    expect((await exchange(port, 'GET /campaigns HTTP/1.0\r\n\r\n')).status).toBe(200)
  })

  test.each([
    ['HTTP/1.1', 'transfer-encoding: gzip, chunked'],
    ['HTTP/1.1', 'transfer-encoding: chunked, chunked'],
    ['HTTP/1.1', 'transfer-encoding: chunked\r\ntransfer-encoding: chunked'],
    ['HTTP/1.1', 'transfer-encoding: x;chunked, chunked'],
    ['HTTP/1.1', 'transfer-encoding: gzip'],
    ['HTTP/1.1', 'transfer-encoding: identity'],
    ['HTTP/1.0', 'transfer-encoding: chunked'],
  ])(
    'is 400 and its connection closed when it is framed in a way that others may read otherwise: %s, %s',
    async (version, header) => {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const head = `${method} /campaigns ${version}\r\nhost: x\r\nconnection: keep-alive\r\n${header}\r\n\r\n`
        const reply = await exchange(port, `${head}0\r\n\r\n`)
        expectFailure(reply, 400)
        expect(reply.headers.connection).toBe('close')
      }
    },
  )

  test('may come in chunks', async () => {
    expect((await raw('GET /campaigns HTTP/1.1', 'transfer-encoding: Chunked', '0\r\n\r\n')).status).toBe(200)
  })

  test('fails in our words also with an expectation nobody can meet', async () => {
    const reply = await raw('GET /campaigns HTTP/1.1', 'expect: wonders')
    if (reply.status !== 200) expectFailure(reply, 417)
  })
})

describe('a request ID', () => {
  const responses: [string, string][] = [
    ['a success', '/campaigns'],
    ['a malformed parameter', '/campaigns?page=x'],
    ['a missing token', '/users/profile'],
    ['an unknown path', '/nothing'],
    ['a malformed path', '/%zz'],
    ['a URL that is too long', `/${'a'.repeat(17_000)}`],
    ['the docs', '/docs'],
    ['an asset', '/docs/docs.css'],
    ['a redirect', '/'],
    ['health', '/livez'],
  ]

  test.each(responses)('of the caller comes back with %s', async (_name, path) => {
    for (const id of ['a', 'A-b_c.9', '7'.repeat(128)]) {
      expect((await raw(`GET ${path} HTTP/1.1`, `x-request-id: ${id}`)).headers['x-request-id']).toBe(id)
    }
  })

  test.each(responses)('that is not harmless is replaced with %s', async (_name, path) => {
    for (const id of ['', '7'.repeat(129), 'a b', 'ü', '<script>', 'a, b', 'a\r\nx-request-id: b']) {
      expect((await raw(`GET ${path} HTTP/1.1`, `x-request-id: ${id}`)).headers['x-request-id']).toMatch(UUID)
    }
  })

  test('comes back with every method', async () => {
    for (const method of ['HEAD', 'OPTIONS', 'POST', 'TRACE']) {
      const reply = await ask('/campaigns', { method, headers: { 'x-request-id': 'mine' } })
      expect(reply.headers['x-request-id'], method).toBe('mine')
    }
  })

  test('is a new one for each request', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await ask('/livez')).headers['x-request-id']))
    expect(new Set(ids).size).toBe(20)
  })
})

describe('a database', () => {
  test('that is away makes every operation 503 with Retry-After, and the rest goes on', async () => {
    const opened = openPool({
      url: `postgres://somebody:secret@127.0.0.1:${await closedPort()}/somewhere`,
      poolSize: 1,
      connectionTimeoutMs: 2000,
      statementTimeoutMs: 1000,
      onIdleError: () => undefined,
    })
    const app = await buildApp({
      database: opened.database,
      docsFolder: join(BUILD, 'docs'),
      settings: readSettings({ LOG_LEVEL: 'silent', MAX_EVENT_LOOP_DELAY_MS: '0' }),
      isReady: async () => (await opened.database.execute('select 1')).rows.length === 1,
    })
    try {
      for (const path of ['/campaigns', '/campaigns/8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1', '/readyz']) {
        const reply = toRawResponse(await app.inject(path))
        expect(reply.headers['retry-after'], path).toMatch(/^[1-9][0-9]*$/)
        const sentence = expectFailure(reply, 503)
        expect(sentence).not.toMatch(/127\.0\.0\.1|ECONN|secret|somebody|somewhere|select/)
      }
      expectFailure(toRawResponse(await app.inject('/campaigns?page=x')), 400)
      expectFailure(toRawResponse(await app.inject('/nothing')), 404)
      for (const path of ['/livez', '/openapi.json', '/docs']) expect((await app.inject(path)).statusCode).toBe(200)
    } finally {
      await app.close()
      await opened.close()
    }
  })

  test('that is too slow is 503, and serves again afterwards', async () => {
    await using slow = await startAppWith({ statementTimeoutMs: 200, poolSize: 2, connectionTimeoutMs: 5000 })
    await using lock = await lockCampaigns(slow.url, 'tokens')
    const reply = toRawResponse(await slow.app.inject('/campaigns?search=x'))
    expect(reply.headers['retry-after']).toMatch(/^[1-9][0-9]*$/)
    expectFailure(reply, 503)
    await lock.release()
    expect((await slow.app.inject('/campaigns')).statusCode).toBe(200)
  })

  test('without a free connection is 503', async () => {
    await using busy = await startAppWith({ statementTimeoutMs: 30_000, poolSize: 1, connectionTimeoutMs: 150 })
    await using lock = await lockCampaigns(busy.url, 'tokens')
    const first = busy.app.inject('/campaigns?search=x')
    // A while is not enough on a busy machine: the second would take the connection.
    const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    await waitFor(async () => (await busy.query(waiting)).length > 0 || undefined)
    const second = toRawResponse(await busy.app.inject('/campaigns?search=y'))
    expect(second.headers['retry-after']).toMatch(/^[1-9][0-9]*$/)
    expectFailure(second, 503)
    await lock.release()
    expect((await first).statusCode).toBe(200)
  })

  test('that drops its connections is asked again over new ones', async () => {
    await using dropped = await startAppWith({ statementTimeoutMs: 3000, poolSize: 2, connectionTimeoutMs: 5000 })
    expect((await dropped.app.inject('/campaigns')).statusCode).toBe(200)
    await dropped.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect((await dropped.app.inject('/campaigns')).statusCode).toBe(200)
  })
})

test('a defect is 500 with the same sentence always, and tells nothing of the inside', async () => {
  await using broken = await startTestApp()
  await broken.save(aCampaign())
  await broken.database.query('alter table campaigns rename to elsewhere')
  for (const path of ['/campaigns', '/campaigns/8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1']) {
    const reply = toRawResponse(await broken.get(path, { 'x-request-id': 'mine' }))
    expectFailure(reply, 500)
    expect(reply.body).toBe('{"error":"internal server error"}')
    expect(reply.headers['x-request-id']).toBe('mine')
    expect(JSON.stringify(reply.headers)).not.toContain('elsewhere')
  }
})

test('a service that is closing answers what is on its way, once for each connection', async () => {
  await using closing = await startTestApp()
  const closingPort = await listen(closing.app)
  const lock = await lockCampaigns(closing.database.url)
  const underWay = ask('/campaigns', { port: closingPort, headers: { connection: 'close' } })
  await new Promise((resolve) => setTimeout(resolve, 100))

  const socket = connect(closingPort, '127.0.0.1')
  const received = collect(socket)
  socket.write('GET /livez HTTP/1.1\r\nhost: localhost\r\n')
  await new Promise((resolve) => setTimeout(resolve, 100))
  const closed = closing.app.close()
  await new Promise((resolve) => setTimeout(resolve, 100))
  socket.write('x-late: 1\r\n\r\nGET /campaigns HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
  await new Promise((resolve) => setTimeout(resolve, 100))
  await lock.release()

  expect((await underWay).status, 'what was under way is answered').toBe(200)
  await closed
  const text = await received
  expect(text).toMatch(/^HTTP\/1\.1 200 /)
  expect(text.match(/^connection: close\r$/gim)).toHaveLength(1)
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1)
})

describe('a surface', () => {
  test('that is not served is 404 as any unknown path', async () => {
    await using staging = await startTestApp({ SURFACES: 'staging' })
    for (const path of ['/campaigns', '/campaigns/', '/campaigns/8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1']) {
      expectFailure(toRawResponse(await staging.get(path)), 404)
      expectFailure(toRawResponse(await staging.app.inject({ method: 'POST', url: path })), 404)
      expectFailure(toRawResponse(await staging.app.inject({ method: 'OPTIONS', url: path })), 404)
    }
    expect((await staging.get('/livez')).statusCode).toBe(200)
    expect(Object.keys((await staging.get('/openapi.json')).json().paths)).not.toContain('/campaigns')
  })

  test('that is not served lends its paths to nobody', async () => {
    await using publicOnly = await startTestApp({ SURFACES: 'public' })
    for (const method of ['GET', 'POST', 'OPTIONS'] as const) {
      for (const url of ['/campaigns/accesslists', '/campaigns/accesslists/', '/users/profile']) {
        const reply = toRawResponse(await publicOnly.app.inject({ method, url }))
        expect(expectFailure(reply, 404)).not.toMatch(/id must|campaign id/i)
      }
    }
    expect((await publicOnly.get('/campaigns')).statusCode).toBe(200)
  })
})

/** Checks that a response is a failure as all are, and returns its sentence. */
function expectFailure(reply: RawResponse, status: number): string {
  expect(reply.status, reply.body).toBe(status)
  expect(reply.headers['content-type']).toBe(JSON_TYPE)
  expect(reply.headers['content-length']).toBe(String(Buffer.byteLength(reply.body)))
  expect(reply.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,128}$/)
  expect(reply.headers['x-error-code']).toMatch(/^[a-z_]+$/)
  expect(reply.headers.etag).toBeUndefined()
  expect(String(reply.headers['cache-control'] ?? 'no-store')).toMatch(/^(private, )?no-store$/)
  const body: Record<string, unknown> = JSON.parse(reply.body)
  expect(Object.keys(body)).toEqual(['error'])
  const sentence = String(body.error)
  expect(typeof body.error).toBe('string')
  expect(sentence).toMatch(/^\S[^\n]*\S$/)
  expect(sentence).not.toMatch(/\bselect |SQLSTATE|postgres|node_modules|\.ts:|FST_|HPE_|at Object\./i)
  return sentence
}

/** Sends a request as it is written, with a Host header, and reads the response until the server ends the connection. */
const raw = (line: string, headers = '', body = '') =>
  exchange(
    port,
    `${line}\r\nhost: localhost\r\nconnection: close\r\n${headers === '' ? '' : `${headers}\r\n`}\r\n${body}`,
  )

/** A request through Node's own client. */
function ask(
  path: string,
  options: { method?: string; headers?: Record<string, string>; port?: number } = {},
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const request = openRequest({ host: '127.0.0.1', port, path, agent: false, ...options }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8')
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
      })
    })
    request.on('error', reject)
    request.end()
  })
}

const toRawResponse = (response: { statusCode: number; headers: object; body: string }): RawResponse => {
  const headers = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)])
  return { status: response.statusCode, headers: Object.fromEntries(headers), body: response.body }
}

/** The app on a database of its own, with limits of its own. */
async function startAppWith(limits: { statementTimeoutMs: number; poolSize: number; connectionTimeoutMs: number }) {
  const database = await createTestDatabase()
  const opened = openPool({ url: database.url, ...limits, onIdleError: () => undefined })
  const app = await buildApp({
    database: opened.database,
    openSnapshot: openSnapshotsOf(opened.pool),
    settings: readSettings({ LOG_LEVEL: 'silent', MAX_EVENT_LOOP_DELAY_MS: '0' }),
    isReady: async () => true,
  })
  return {
    app,
    url: database.url,
    query: database.query,
    async [Symbol.asyncDispose]() {
      await app.close()
      await opened.close()
      await database[Symbol.asyncDispose]()
    },
  }
}
