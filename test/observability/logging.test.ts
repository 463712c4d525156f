import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSecret } from '../../src/database/lookups/bearer-tokens.ts'
import { createLogging } from '../../src/observability/logging.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { CLI } from '../setup/servers/processes.ts'

/*
 * The log as an operator sees it: of the service as a process of its own, on its standard output.
 */

type Entry = Record<string, unknown> & { reqId?: string; msg?: string; level: number }

const root = join(import.meta.dirname, '../..')
let database: TestDatabase
let service: Service

beforeAll(async () => {
  database = await createTestDatabase()
  service = await startService({ LOG_LEVEL: 'info' })
})
afterAll(async () => {
  await service.stop()
  await database[Symbol.asyncDispose]()
})

test('each request is logged in one line with its ID, method, URL, route, client, status, size and time', async () => {
  const list = '/campaigns?pageSize=1'
  const detail = '/campaigns/8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1'
  const ask = async (id: string, path: string, method: string, headers: Record<string, string> = {}) => {
    await service.get(path, { ...headers, 'x-request-id': id }, method)
    return service.entriesOf(id)
  }
  const response = await service.get(list)
  const tag = response.headers.get('etag') ?? ''
  const body = Buffer.from(await response.arrayBuffer())
  const notFound = Buffer.from(await (await service.get(detail)).arrayBuffer())
  const cases = [
    { id: 'list', url: list, route: '/campaigns', method: 'GET', status: 200, bytes: body.length, cache: 'hit' },
    {
      id: 'detail',
      url: detail,
      route: '/campaigns/:id',
      method: 'GET',
      status: 404,
      bytes: notFound.length,
      cache: 'miss',
    },
    { id: 'head', url: list, route: '/campaigns', method: 'HEAD', status: 200, bytes: 0, cache: 'hit' },
    { id: 'known', url: list, route: '/campaigns', method: 'GET', status: 304, bytes: 0, cache: 'hit' },
  ]
  for (const { id, url, route, method, status, bytes, cache } of cases) {
    const entries = await ask(
      id,
      url,
      method,
      id === 'known' ? { 'if-none-match': tag, 'cache-control': 'max-age=0' } : {},
    )
    expect(entries, id).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        pid: expect.any(Number),
        hostname: expect.any(String),
        reqId: id,
        req: { method, url, route, remoteAddress: '127.0.0.1' },
        res: { statusCode: status, bytes },
        cache,
        server: new URL(database.url).host,
        responseTime: expect.any(Number),
        msg: 'request completed',
      },
    ])
  }
})

test('a line is looked through for tokens in a time that grows with its length only', async () => {
  const stream = { write: () => undefined }
  const log = pino((await createLogging('info', stream)).logger, stream)
  const timeFor = (length: number) => {
    const start = performance.now()
    for (let round = 0; round < 20; round += 1) log.info({ url: `/campaigns?owner=%20&${'x'.repeat(length)}` })
    return performance.now() - start
  }
  timeFor(1000)
  expect(timeFor(64_000)).toBeLessThan(1000)
})

test('credentials are never logged', async () => {
  const secrets = { authorization: 'Bearer rcs_secret-of-the-header', cookie: 'session=secret-of-the-cookie' }
  for (const path of ['/campaigns', '/campaigns?page=x', '/nothing', '/%zz']) {
    await service.get(path, { ...secrets, 'x-request-id': 'with-secrets' })
  }
  await service.get('/campaigns', { ...secrets, 'x-request-id': 'the-last' })
  await service.entriesOf('the-last')
  expect(service.output()).not.toMatch(/secret-of-the-/)
})

test('a token in a URL is never logged, however often it is percent-encoded', async () => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const log = pino((await createLogging('info', stream)).logger, stream)
  const secret = createSecret()
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[\w-]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
  let [written, withPercent] = [secret, secret.replace('_', '%5f')]
  for (let depth = 0; depth < 6; depth += 1) {
    log.info({ url: `/campaigns?owner=${written}&page=1` })
    log.info({ url: `/campaigns?owner=%ff${withPercent}%22`, reason: `params: "${withPercent}"` })
    written = depth === 0 ? encode(written) : encodeURIComponent(written)
    withPercent = encodeURIComponent(withPercent)
  }
  for (let depth = 0; depth < 30; depth += 1) written = encodeURIComponent(written)
  log.info({ url: `/campaigns?owner=${written}` })
  expect(lines).toHaveLength(13)
  for (const line of lines) {
    let text = line
    for (let round = 0; round < 50; round += 1) {
      expect(text).not.toContain(secret.slice(4))
      text = text.replace(/%([0-9a-f]{2})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)))
    }
  }
  log.info({ url: '/campaigns?tokens=8453%3A0xea11a7937809b8585e63b12cc86bf91a72a5b08a%252C1' })
  expect(lines.at(-1)).toContain('8453%3A0xea11a7937809b8585e63b12cc86bf91a72a5b08a%252C1')
})

test('a defect is logged with its cause under the ID that the caller got', async () => {
  await database.query('alter table tokens rename to elsewhere')
  try {
    const response = await service.get('/tokens?page=7', { 'x-request-id': 'the-defect' })
    expect(response.status).toBe(500)
    const failed = (await service.entriesOf('the-defect')).find(({ level }) => level >= 50)
    expect(JSON.stringify(failed)).toContain('does not exist')
  } finally {
    await database.query('alter table elsewhere rename to tokens')
  }
})

test('what a caller does wrong is no error of ours', async () => {
  await service.get('/campaigns?page=x', { 'x-request-id': 'the-mistake' })
  const entries = await service.entriesOf('the-mistake')
  expect(entries.every(({ level }) => level < 50)).toBe(true)
})

test('checks of health do not fill the log', async () => {
  await service.get('/livez', { 'x-request-id': 'the-health' })
  await service.get('/readyz', { 'x-request-id': 'the-health' })
  await service.get('/campaigns', { 'x-request-id': 'after-health' })
  await service.entriesOf('after-health')
  expect(service.entries().filter(({ reqId }) => reqId === 'the-health')).toEqual([])
})

test('probes while it starts and ends are no warnings, and requests refused for the same reason are counted', async () => {
  const away = `postgres://nobody@127.0.0.1:${await findFreePort()}/nothing`
  const refusing = await startService(
    { LOG_LEVEL: 'info', DATABASE_URL: away, DATABASE_ACQUIRE_TIMEOUT_MS: '50', DRAIN_SECONDS: '1' },
    await findFreePort(),
  )
  for (let times = 0; times < 30; times += 1) {
    expect((await refusing.get('/readyz')).status).toBe(503)
    expect((await refusing.get(`/campaigns?page=${times}`)).status).toBe(503)
  }
  await refusing.stop()
  const entries = refusing.entries()
  const refused = entries.filter(({ msg }) => msg === 'request rejected with 503')
  expect(refused).toMatchObject([
    { level: 40, reqId: expect.any(String), reason: expect.stringMatching(/not ready/) },
    { level: 40, repeated: 29, reason: expect.stringMatching(/not ready/) },
  ])
  expect(entries.filter(({ msg }) => msg === 'request completed')).toHaveLength(1)
})

test('of requests that go well, some are logged where a share is set', async () => {
  const sampled = await startService({ LOG_LEVEL: 'info', LOG_REQUESTS_PERCENT: '20' })
  for (let times = 0; times < 300; times += 1) await sampled.get('/limits')
  await sampled.stop()
  const { length } = sampled.entries().filter(({ msg }) => msg === 'request completed')
  // Beyond these with a probability of less than one in a million.
  expect(length).toBeGreaterThan(22)
  expect(length).toBeLessThan(105)
})

test('every line is an entry of JSON, and none holds the connection string', () => {
  expect(service.entries().length).toBeGreaterThan(5)
  const { password } = new URL(database.url)
  if (password !== '') expect(service.output()).not.toContain(password)
})

test('a silent service says nothing, whatever happens', async () => {
  // Nobody listens there: each response that needs the database fails.
  const away = `postgres://nobody@127.0.0.1:${await findFreePort()}/nothing`
  const silent = await startService({ LOG_LEVEL: 'silent', DATABASE_URL: away }, await findFreePort())
  try {
    for (const path of ['/campaigns', '/readyz', '/livez', '/nothing']) await silent.get(path)
  } finally {
    await silent.stop()
  }
  expect(silent.output()).toBe('')
})

test('SIGTERM ends the service with exit code 0', async () => {
  const short = await startService({ LOG_LEVEL: 'info' })
  expect(await short.stop()).toBe(0)
})

interface Service {
  get: (path: string, headers?: Record<string, string>, method?: string) => Promise<Response>
  output: () => string
  entries: () => Entry[]
  /** The entries of a request, once it has been answered. */
  entriesOf: (id: string) => Promise<Entry[]>
  stop: () => Promise<number | null>
}

/** Serves on a free port that the log names, or on the one given where the log says nothing. */
async function startService(settings: Record<string, string>, silentPort?: number): Promise<Service> {
  const child: ChildProcess = spawn(process.execPath, [CLI, 'serve'], {
    cwd: root,
    env: {
      ENV_FILE: devNull,
      DATABASE_URL: database.url,
      PORT: String(silentPort ?? 0),
      HOST: '127.0.0.1',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface(stream).on('line', (line) => lines.push(line))
  }
  const exited = once(child, 'exit')
  const entries = () => lines.map((line): Entry => JSON.parse(line))
  const until = async <T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> => {
    for (let attempt = 0; attempt < 400; attempt += 1) {
      const found = await look()
      if (found !== undefined) return found
      if (child.exitCode !== null) break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`the service did not say it: ${lines.join('\n')}`)
  }
  const port =
    silentPort === undefined
      ? await until(() => /listening at http:\/\/127\.0\.0\.1:([0-9]+)/.exec(lines.join('\n'))?.[1])
      : await until(() =>
          fetch(`http://127.0.0.1:${silentPort}/livez`).then(
            () => String(silentPort),
            () => undefined,
          ),
        )
  const isReady = () => fetch(`http://127.0.0.1:${port}/readyz`).then(({ ok }) => (ok ? true : undefined))
  if (silentPort === undefined) await until(isReady)
  return {
    get: (path, headers = {}, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method, headers }),
    output: () => lines.join('\n'),
    entries,
    entriesOf: (id) =>
      until(() => {
        const found = entries().filter(({ reqId }) => reqId === id)
        return found.some(({ responseTime }) => responseTime !== undefined) ? found : undefined
      }),
    async stop() {
      child.kill('SIGTERM')
      const [code] = await exited
      return code
    },
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
