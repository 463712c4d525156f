import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

/*
 * A service below a path of its host, behind a proxy that takes the prefix off. Whatever a program may follow leads to the service
 * again.
 */

const PREFIX = '/rewards/v2'

let database: TestDatabase
let api: TestApp
let proxy: ReturnType<typeof createServer>
let base: string

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = createServer((request, response) => {
    const { url = '', method = 'GET', headers } = request
    if (!url.startsWith(`${PREFIX}/`) && url !== PREFIX) return void response.writeHead(421).end('outside')
    const { host: _, ...passed } = headers
    const path = url.slice(PREFIX.length) || '/'
    void api.app.inject({ method: method as 'GET', url: path, headers: passed }).then((reply) => {
      response.writeHead(reply.statusCode, reply.headers as Record<string, string>)
      response.end(reply.rawPayload)
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}${PREFIX}`
  api = await startTestApp({ PUBLIC_BASE_URL: base, STAGING_BASE_URL: base, MAX_EXPORTS: '8' }, database)
  const campaigns = Array.from({ length: 3 }, () => aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] }))
  await api.save(
    aToken({ address: anAddress('asset') }),
    aToken(),
    ...campaigns,
    ...campaigns.map((one) => aClaim(one)),
  )
})
afterAll(async () => {
  await new Promise((resolve) => proxy.close(resolve))
  await api[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const get = (url: string | URL, headers: Record<string, string> = {}) => fetch(url, { headers, redirect: 'manual' })

/** Targets of a header `Link`, as URLs. */
const targetsOf = (link: string | null, from: string) =>
  [...(link ?? '').matchAll(/<([^>]*)>/g)].map(([, target = '']) => new URL(target, from))

/** Each is a path of the service, which answers it. */
async function expectToLeadBack(urls: URL[], from: string) {
  expect(urls.length, from).toBeGreaterThan(0)
  for (const url of urls) {
    expect(url.href, from).toMatch(new RegExp(`^${base}(/|$)`))
    // An example may be of data that is not here; its path is one of the service.
    const { status, headers } = await get(url)
    expect([200, 302, 400, 401, 404], url.href).toContain(status)
    expect(headers.get('x-error-code'), url.href).not.toBe('path_not_found')
  }
}

test.each([
  '/campaigns?tokenWhitelist=false&pageSize=1',
  '/campaigns?tokenWhitelist=false&pageSize=1&cursor=start',
  '/explore/contracts?pageSize=1',
  '/tokens?pageSize=1',
  '/claims?pageSize=1',
  '/export/campaigns?limit=1',
  '/export/claims?limit=1',
  '/export/tokens?limit=1',
  '/',
  '/.well-known/api-catalog',
])('the links of %s lead back', async (path) => {
  const from = `${base}${path}`
  const { headers } = await get(from)
  // Where there is one page only, nothing has to be followed.
  if (path.startsWith('/explore') && headers.get('link') === null) return
  await expectToLeadBack(targetsOf(headers.get('link'), from), from)
})

test('the catalog of APIs leads to what describes them', async () => {
  const from = `${base}/.well-known/api-catalog`
  const { linkset } = (await (await get(from)).json()) as { linkset: Record<string, unknown>[] }
  const targets = linkset.flatMap((entry) =>
    Object.entries(entry).flatMap(([relation, value]) =>
      relation === 'anchor' || relation === 'item'
        ? []
        : (value as { href: string }[]).map(({ href }) => new URL(href, from)),
    ),
  )
  expect(targets.length).toBeGreaterThan(4)
  await expectToLeadBack(targets, from)
})

test('the type of problem details is the section of the guide', async () => {
  for (const path of ['/campaigns?page=x', '/nothing', '/campaigns/x']) {
    const from = `${base}${path}`
    const response = await get(from, { accept: 'application/problem+json' })
    const { type } = (await response.json()) as { type: string }
    const url = new URL(type, from)
    expect(url.href).toMatch(new RegExp(`^${base}/docs/guides/errors#\\w+$`))
    await expectToLeadBack([url], from)
  }
})

test.each(['/llms.txt', '/llms-full.txt', '/docs/guides/paging.md', '/docs/guides/errors.md'])(
  'the links of the text %s lead back',
  async (path) => {
    const from = `${base}${path}`
    const text = await (await get(from)).text()
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      // Of sources, and of examples of this machine.
      .filter((target) => !/^(#|https:|http:\/\/(localhost|127\.0\.0\.1:(3000|8000)))/.test(target))
      .map((target) => new URL(target, from))
    await expectToLeadBack(
      [...new Map(targets.map((url) => [url.href.split('#')[0], url])).values()].slice(0, 60),
      from,
    )
  },
)

test('a browser that is sent on from / comes to the documentation', async () => {
  await using plain = await startTestApp({ PUBLIC_BASE_URL: base, EXPLORER: 'false' }, database)
  const { statusCode, headers } = await plain.get('/')
  expect([statusCode, headers.location]).toEqual([302, `${base}/docs`])
})
