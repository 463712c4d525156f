import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillWithSample } from '../../../src/commands/sample.ts'
import { openPool } from '../../../src/database/connection/pool.ts'
import { toCheckedText } from '../../../src/schemas/cursor-checks.ts'
import { setFollowed } from '../../setup/data/followed-chains.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { type Contract, contractOf, type OpenApiParameter } from '../../setup/documents/openapi.ts'
import { aToken } from '../../setup/records.ts'
import { openDatabaseProxy } from '../../setup/servers/database-proxy.ts'
import { closedPort, exchange, listen } from '../../setup/servers/sockets.ts'
import { startTestApp, type TestApp } from '../../setup/test-app.ts'
import { bearing, issueToken } from '../../setup/tokens.ts'

/*
 * The examples of the document are tried: those of parameters on the sample data that an empty embedded database is
 * filled with, those of failures by failing.
 */

/** Whose token the protected operations are asked with. */
const TOKEN = { userId: 'user-1', address: '0x5702a4b167abe267ea5ef7278e930d252140fe4b' }

/** Cursors come with a response; some are not accepted together with the parameters of a series. */
const isWithoutExample = ({ name, description }: OpenApiParameter) =>
  ['cursor', 'after'].includes(name) || description?.includes('Not with `interval`.') === true

/** Without a cursor there is nothing new. */
const CHANGES = /^\/changes\b/

let database: TestDatabase
let api: TestApp
let contract: Contract
let authorization: Record<string, string>

beforeAll(async () => {
  database = await createTestDatabase()
  api = await startTestApp({}, database)
  const opened = openPool({
    url: database.url,
    poolSize: 1,
    connectionTimeoutMs: 10_000,
    statementTimeoutMs: 30_000,
    onIdleError: () => undefined,
  })
  await fillWithSample(database.url, opened.database, () => undefined)
  await opened.close()
  await setFollowed(database, 8453, 38_401_005)
  contract = await contractOf(api)
  authorization = bearing(await issueToken(api, TOKEN))
}, 120_000)

afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

describe('the example of a parameter', () => {
  test('is there for each, and is what its schema accepts', () => {
    const parameters = contract.operations.flatMap(({ operation }) => operation.parameters ?? [])
    expect(parameters.length).toBeGreaterThan(40)
    for (const { name, schema, example } of parameters.filter((one) => !isWithoutExample(one))) {
      const validate = contract.validatorOf(schema)
      expect(example, name).toBeDefined()
      validate(example)
      expect(validate.errors ?? [], name).toEqual([])
    }
  })

  test('finds something in the sample data, alone and with all others of its operation', async () => {
    for (const { path, operation } of contract.operations) {
      const parameters = operation.parameters ?? []
      // Those of a series belong together.
      const isSeries = parameters.some(({ name }) => name === 'interval')
      const series = parameters.filter(({ name }) => isSeries && ['since', 'until', 'interval'].includes(name))
      const optional = parameters.filter((one) => !isNeeded(one) && !isWithoutExample(one) && !series.includes(one))
      // What a parameter cannot be without.
      const withOne: Record<string, OpenApiParameter[]> = {
        targetContract: optional.filter(({ name }) => name === 'chainId'),
        facetSize: optional.filter(({ name }) => name === 'facets'),
      }
      const queries = [
        [],
        [...optional, ...series],
        [...optional.filter(({ name }) => name !== 'fields'), ...series],
        ...optional.map((one) => [one, ...(withOne[one.name] ?? [])]),
      ]
      for (const search of queries) {
        const { url, headers } = toRequest(path, [...parameters.filter(isNeeded), ...search])
        const reply = await api.get(url, { ...authorization, ...headers })
        expect(reply.statusCode, `${url}: ${reply.body}`).toBe(200)
        expect(isEmpty(bodyOf(reply)), url).toBe(CHANGES.test(url))
        if (isExport(path)) continue
        // A response with chosen fields has only those; see chosen-fields.test.
        if (search.some(({ name }) => name === 'fields')) continue
        expect(contract.faultsOf(path, reply.json()), url).toEqual([])
      }
    }
  })
})

test('every other example of a response is one over the sample data, or of what it says', async () => {
  const timeless = (value: unknown) =>
    JSON.parse(
      JSON.stringify(value)
        .replace(/"[\d-]{10}T[\d:.]+Z"/g, '"(time)"')
        .replace(/"blockTimestamp":"\d{10}"/g, '"blockTimestamp":"(time)"')
        // The number of its block follows from its time.
        .replace(/("createdAtBlockchainNumbers":{"\d+"):"\d+"/g, '$1:"(time)"')
        .replace(/"AAAA[\w-]+"/g, '"(cursor)"'),
    )
  await using without = await startTestApp()
  await using limited = await startTestApp({ REQUESTS_PER_MINUTE: '600', STALE_IF_ERROR_SECONDS: '0' }, database)
  const apps: Record<string, TestApp> = {
    ' without indexed chains': without,
    ' with limited rates, nothing stale': limited,
  }
  for (const { operation, path } of contract.operations) {
    if (isExport(path)) continue
    const { plain, ...others } = operation.responses[200]?.content?.['application/json']?.examples ?? {}
    expect(plain, operation.operationId).toBeDefined()
    for (const { summary = '', value } of Object.values(others)) {
      const [, request = '', of = ''] = /^`GET (.+)`(.*)$/.exec(summary) ?? []
      const reply = await (apps[of] ?? api).get(request, authorization)
      const body = reply.json()
      // Of all operations it shows one.
      if (path === '/limits') body.operations = body.operations.filter(isShown)
      expect(timeless(body), summary).toEqual(timeless(value))
    }
  }
})

test('every operation shows several responses, by name', () => {
  for (const { operation } of contract.operations) {
    const content = operation.responses[200]?.content ?? {}
    const names = Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples))
    expect(names.length, operation.operationId).toBeGreaterThan(1)
    for (const name of names) expect(name, operation.operationId).toMatch(/^[a-z][A-Za-z]+$/)
  }
})

describe('the committed requests', () => {
  test('for editors are each answered, and each operation is among them', async () => {
    const requests = requestsOfHttpFile(await readCollection('reward-campaigns.http'))
    for (const { name, url, headers } of requests) {
      const reply = await api.get(url, headers)
      expect(reply.statusCode, `${name}: ${reply.body}`).toBe(200)
      expect(isEmpty(bodyOf(reply)), name).toBe(CHANGES.test(url))
    }
    const tried = requests.map(({ name }) => name).filter((name) => !name.endsWith('WithParameters'))
    expect(tried).toEqual(contract.operations.map(({ operation }) => operation.operationId))
    expect(requests.length).toBeGreaterThan(tried.length)
  })

  test('of the collection are each answered, with everything that can be switched on, and each operation is among them', async () => {
    const collection: Collection = JSON.parse(await readCollection('reward-campaigns.postman_collection.json'))
    const values = new Map([
      ...collection.variable.map(({ key, value }): [string, string] => [key, value]),
      ['baseUrl', ''],
      ['stagingUrl', ''],
    ])
    const requests = collection.item.flatMap(({ item }) => item)
    for (const { name, request } of requests) {
      const path = request.url.raw.replace(/\{\{(\w+)\}\}/g, (_match, key) => values.get(key) ?? 'unknown')
      expect(request.url.raw, name).toBe(`${request.url.host.join('')}/${request.url.path.join('/')}`)
      const query = new URLSearchParams(request.url.query.map(({ key, value }): [string, string] => [key, value]))
      const headers = {
        ...Object.fromEntries(request.header.map(({ key, value }) => [key, value])),
        ...(request.auth.type === 'bearer' ? authorization : {}),
      }
      const needed = request.url.query.filter(({ disabled }) => !disabled)
      const least = new URLSearchParams(needed.map(({ key, value }): [string, string] => [key, value]))
      for (const url of [`${path}?${least}`, `${path}?${query}`]) {
        const reply = await api.get(url, headers)
        expect(reply.statusCode, `${name}: ${reply.body}`).toBe(200)
      }
    }
    expect(requests.length).toBe(contract.operations.length)
  })
})

test('a list is declared as the shorter of its two spellings', () => {
  const lists = contract.operations.flatMap(({ operation }) =>
    (operation.parameters ?? []).filter(({ schema }) => schema.type === 'array'),
  )
  expect(lists.length).toBe(45)
  // Its style is the one that OpenAPI takes for granted.
  for (const { name, explode } of lists) expect(explode, name).toBe(false)
  expect(contract.document.info.description).toContain('comma-separated values, and may be repeated')
})

/** Requests that fail, by operation and status; of what fails everywhere, see `failures`. */
const own: Record<string, Record<number, string>> = {
  '/campaigns': { 400: '/campaigns?pageSize=101' },
  '/campaigns/{id}': {
    400: '/campaigns/1657',
    404: '/campaigns/8453:0x378632819f39c74c4f56b1429e760739c5fb51b7:12',
  },
  '/activity': { 400: '/activity?timeRange=6h' },
  '/outlook': { 400: '/outlook' },
  '/prices': { 400: '/prices', 404: '/prices?token=8453:0x0000000000000000000000000000000000000001' },
  '/tokens': { 400: '/tokens?pageSize=101' },
  '/claims': { 400: '/claims?cursor=abc' },
  '/changes': { 400: '/changes?after=abc', 410: `/changes?after=${toCheckedText(Buffer.alloc(32))}` },
  ...Object.fromEntries(
    ['campaigns', 'claims', 'tokens', 'prices'].map((kind) => [`/export/${kind}`, { 400: `/export/${kind}?limit=0` }]),
  ),
  '/eligibility': { 400: '/eligibility' },
  '/users/{address}/rewards': { 400: '/users/0x0000000000000000000000000000000000000001/rewards?state=open' },
  '/limits': { 400: '/limits?chainId=1' },
  '/status': { 400: '/status?chainId=1' },
  '/reward-kit/trending': { 400: '/reward-kit/trending?period=7d' },
  '/explore/contracts': { 400: '/explore/contracts?chainId=8453' },
  '/campaigns/accesslists': {
    400: '/campaigns/accesslists?orderBy=newest',
    403: '/campaigns/accesslists?userId=user-2',
  },
  '/users/profile': {
    400: '/users/profile',
    403: '/users/profile?user=0x0000000000000000000000000000000000000001',
    404: '/users/profile?user=0x0000000000000000000000000000000000000001',
  },
}

/** The headers that are part of the contract; the others are how HTTP works, or how a browser is kept in check. */
const contractual = new Set([
  ...['x-request-id', 'x-total-count', 'etag', 'allow', 'www-authenticate', 'retry-after'],
  // `ratelimit-policy` is described with it.
  'ratelimit',
])

interface Failed {
  statusCode: number
  headers: Record<string, unknown>
  body: string
}

test('each failure and each of its headers is declared, with sentences that the service says', async () => {
  await using limited = await startTestApp({ REQUESTS_PER_MINUTE: '1000' }, database)
  await using broken = await startTestApp({ REQUESTS_PER_MINUTE: '1000' })
  const secret = bearing(await issueToken(broken, TOKEN))
  for (const table of [
    'campaigns',
    'followed_chains',
    'access_lists',
    'profiles',
    'claim_windows',
    'contract_claim_totals',
    'changes',
  ]) {
    await broken.database.query(`drop table ${table} cascade`)
  }
  const away = { ...database, url: `postgres://127.0.0.1:${await closedPort()}/away` }
  await using unreachable = await startTestApp({ REQUESTS_PER_MINUTE: '1000' }, away)
  await using impatient = await startTestApp({ FAILED_AUTH_PER_MINUTE: '0', REQUESTS_PER_MINUTE: '1000' }, database)
  await using exhausted = await startTestApp({ REQUESTS_PER_MINUTE: '1' }, database)
  await exhausted.get('/limits')
  await using withoutExports = await startTestApp({ REQUESTS_PER_MINUTE: '1000', MAX_EXPORTS: '0' }, database)
  await using proxy = await openDatabaseProxy(database.url)
  await using cutOff = await startTestApp({ REQUESTS_PER_MINUTE: '1000' }, { ...database, url: proxy.url })
  for (const { path, operation } of contract.operations) await cutOff.get(toExampleRequest(path, operation).url)
  proxy.interrupt('cut')
  await using listening = await startTestApp({}, database)
  const port = await listen(listening.app)
  const withoutAddress = bearing(await issueToken(api, { userId: 'user-2' }))
  const asAdmin = bearing(await issueToken(api, { isAdmin: true }))

  const beforeTokens = (await limited.get('/changes')).json().nextCursor
  await api.save(aToken(), aToken({ chainId: 10 }))

  const getWithLongHeaders = async (url: string): Promise<Failed> => {
    const reply = await exchange(port, `GET ${url} HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(60_000)}\r\n\r\n`)
    return { statusCode: reply.status, headers: reply.headers, body: reply.body }
  }
  /** Once more where a second has passed between the two, with which the response has changed. */
  const revalidate = async (app: TestApp, url: string, times = 5): Promise<Failed> => {
    const { etag } = (await app.get(url)).headers
    const reply = await app.get(url, { 'if-none-match': String(etag) })
    return reply.statusCode === 304 || times === 0 ? reply : revalidate(app, url, times - 1)
  }
  /** By status; `failing` is the request of the table above, `others` what else the operation may answer. */
  const responsesOfUrls = (status: string, url: string, failing: string, others: object): Promise<Failed>[] => {
    const isProtected = '401' in others
    const isKept = '304' in others
    switch (status) {
      case '200':
        // Only where there is another page it is told where.
        if (isExport(url)) return [limited.get(`${url}?limit=1`)]
        if (url === '/changes') return [limited.get(url), limited.get(`${url}?after=${beforeTokens}&pageSize=1`)]
        if (url === '/claims')
          return [
            ...[limited.get(url), limited.get(`${url}?claimant=${TOKEN.address}`), limited.get(`${url}?format=csv`)],
            cutOff.get(url),
          ]
        if (url.endsWith('/rewards')) return [limited.get(url), limited.get(`${url}?format=csv`), cutOff.get(url)]
        if (url === '/campaigns') return [limited.get(url), limited.get(`${url}?cursor=start`), cutOff.get(url)]
        return isKept ? [limited.get(url), cutOff.get(url)] : [limited.get(url, authorization)]
      case '304':
        return [limited, cutOff].map((app) => revalidate(app, url))
      case '400':
        return [limited.get(failing, withoutAddress)]
      case '401':
        return [limited.get(url), limited.get(url, bearing('rcs_unknown'))]
      case '403':
        return [limited.get(failing, authorization)]
      case '404':
      case '410':
        return [limited.get(failing, asAdmin)]
      case '405':
        return [api.app.inject({ method: 'POST', url, headers: authorization })]
      case '414':
        return [api.get(`${url}?x=${'x'.repeat(20_000)}`, authorization)]
      case '429':
        return [exhausted.get(url), ...(isProtected ? [impatient.get(url, bearing('rcs_unknown'))] : [])]
      case '431':
        return [getWithLongHeaders(url)]
      case '500':
        return [broken.get(url, secret)]
      case '503':
        return [unreachable.get(url, authorization), ...(isExport(url) ? [withoutExports.get(url)] : [])]
    }
    throw new Error(`nothing fails with ${status}`)
  }

  for (const { path, operation } of contract.operations) {
    const { url } = toExampleRequest(path, operation)
    for (const [status, response] of Object.entries(operation.responses)) {
      const about = `${path} ${status}`
      // Nothing is asked for it that could be away or broken.
      if (path === '/limits' && (status === '500' || status === '503')) continue
      const responses = await Promise.all(
        responsesOfUrls(status, url, own[path]?.[Number(status)] ?? '', operation.responses),
      )
      const declared = Object.keys(response.headers ?? {})
      const carried = new Set<string>()
      for (const reply of responses) {
        expect(reply.statusCode, `${about}: ${reply.body}`).toBe(Number(status))
        for (const name of Object.keys(reply.headers)) carried.add(name)
      }
      expect(
        declared.filter((name) => !carried.has(name)),
        about,
      ).toEqual([])
      expect(
        // A 304 has the headers of a 200.
        [...carried].filter((name) => status !== '304' && contractual.has(name) && !declared.includes(name)),
        about,
      ).toEqual([])
      if (Number(status) < 400) continue
      const examples = Object.values(response.content?.['application/json']?.examples ?? {}).map(({ value }) => value)
      // How long one still has to wait differs by the second.
      const said = responses.map(({ body }): unknown => JSON.parse(body.replace(/in \d+ seconds/, 'in 60 seconds')))
      expect(examples, about).toEqual(said)
    }
  }
})

/** The only one in the example of limits. */
const isShown = ({ operationId }: { operationId: string }) => operationId === 'getStatus'

/** A request without what need not be given. */
const toExampleRequest = (path: string, { parameters = [] }: { parameters?: OpenApiParameter[] }) =>
  toRequest(path, parameters.filter(isNeeded))

const isNeeded = ({ in: place, required }: OpenApiParameter) => place === 'path' || required === true

/** A request with the examples of these parameters. */
function toRequest(path: string, parameters: OpenApiParameter[]) {
  const ofPlace = (wanted: OpenApiParameter['in']) =>
    parameters
      .filter(({ in: place }) => place === wanted)
      .map(({ name, example }): [string, string] => [name, String(example)])
  const query = new URLSearchParams(ofPlace('query'))
  const filled = ofPlace('path').reduce((url, [name, value]) => url.replace(`{${name}}`, value), path)
  return { url: query.size === 0 ? filled : `${filled}?${query}`, headers: Object.fromEntries(ofPlace('header')) }
}

/** Whether a response is a list, or holds one, with nothing in it. */
function isEmpty(body: unknown): boolean {
  if (Array.isArray(body)) return body.length === 0
  const [first] = typeof body === 'object' && body !== null ? Object.values(body) : []
  return first === undefined || (Array.isArray(first) && first.length === 0)
}

const isExport = (path: string) => path.startsWith('/export/')

/** What is sent as lines, as an array of them. */
const bodyOf = ({ body, headers }: { body: string; headers: Record<string, unknown> }): unknown =>
  headers['content-type'] === 'application/x-ndjson' ? body.trimEnd().split('\n') : JSON.parse(body)

const readCollection = (name: string) => readFile(join(import.meta.dirname, '../../../docs/collections', name), 'utf8')

/** What is looked at of a collection of Postman's format. */
interface Collection {
  variable: { key: string; value: string }[]
  item: { item: { name: string; request: CollectedRequest }[] }[]
}
interface CollectedRequest {
  auth: { type: string }
  header: { key: string; value: string }[]
  url: { raw: string; host: string[]; path: string[]; query: { key: string; value: string; disabled: boolean }[] }
}

/** The requests as editors read them, sent to here and with a token. */
function requestsOfHttpFile(text: string) {
  const [head = '', ...blocks] = text.split(/^###.*$/m)
  const variables = new Map([...head.matchAll(/^@(\w+) = (.+)$/gm)].map(([, name = '', value = '']) => [name, value]))
  expect([...variables.keys()]).toEqual(['baseUrl', 'stagingUrl', 'token'])
  for (const name of ['baseUrl', 'stagingUrl']) variables.set(name, '')
  return blocks.map((block) => {
    const name = /^# @name (\w+)$/m.exec(block)?.[1] ?? ''
    const lines = block
      .replace(/\n {4}(?=[?&])/g, '')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    const [request = '', ...headers] = lines.map((line) =>
      line.replace(/\{\{(\w+)\}\}/g, (_match, key) => variables.get(key) ?? 'unknown'),
    )
    expect(request, name).toMatch(/^GET \/\S*$/)
    const wantsToken = headers.includes(`Authorization: Bearer ${variables.get('token')}`)
    expect(headers.length, name).toBe(wantsToken ? 1 : 0)
    return { name, url: request.slice(4), headers: wantsToken ? authorization : {} }
  })
}
