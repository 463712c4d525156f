import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'
import { type PrefixProxy, startPrefixProxy } from '../setup/servers/prefix-proxy.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

/*
 * A service below a path of its host, behind a proxy that takes the prefix off. Whatever a program or a browser may follow
 * leads to the service again.
 */

const PREFIX = '/rewards/v2'
const PROBLEM = 'application/problem+json'

let database: TestDatabase
let proxy: PrefixProxy
let api: TestApp
let service: string
let campaignId: string

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startPrefixProxy(PREFIX)
  const settings = { PUBLIC_BASE_URL: proxy.base, STAGING_BASE_URL: proxy.base, MAX_EXPORTS: '8' }
  api = await startTestApp({ ...settings, REQUESTS_PER_MINUTE: '0' }, database)
  service = await api.app.listen({ host: '127.0.0.1', port: 0 })
  proxy.serve(service)
  const campaigns = Array.from({ length: 3 }, () => aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] }))
  campaignId = campaigns[0]?.id ?? ''
  await api.save(
    aToken({ address: anAddress('asset') }),
    aToken(),
    ...campaigns,
    ...campaigns.map((one) => aClaim(one)),
  )
})
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found)

/** The URLs of a linkset (RFC 9264). */
const hrefsOf = (linkset: Record<string, string | { href: string }[]>[]) =>
  linkset.flatMap((entry) =>
    Object.values(entry).flatMap((targets) =>
      typeof targets === 'string' ? [targets] : targets.map(({ href }) => href),
    ),
  )

/** Everything in a response that can be followed. */
async function linksIn(response: Response) {
  const text = await response.text()
  const type = response.headers.get('content-type')?.split(';')[0]
  const location = response.headers.get('location')
  return [
    ...(location === null ? [] : [location]),
    ...all(response.headers.get('link') ?? '', /<([^>]*)>/g),
    ...(type === 'text/html' ? all(text, / (?:href|src|action)="([^"]*)"/g) : []),
    ...(type === 'text/markdown' ? all(text, /\]\(([^)\s]+)\)/g) : []),
    ...(type === 'application/linkset+json' ? hrefsOf(JSON.parse(text).linkset) : []),
    ...(type === PROBLEM ? [JSON.parse(text).type] : []),
  ].map((link) => link.replaceAll('&amp;', '&'))
}

/** Of sources and of other services, and of examples with the address that a service has by itself. */
const isElsewhere = ({ protocol, host }: URL) =>
  protocol === 'data:' || protocol === 'https:' || /^(localhost|127\.0\.0\.1):(3000|8000)$/.test(host)

/** Follows all links from some paths on. @returns what was found, by the path with the link to it. */
async function follow(paths: string[], accept: string) {
  const from = new Map(paths.map((path) => [`${proxy.base}${path}`, 'the start']))
  const faults: string[] = []
  const relations = new Set<string>()
  for (const [url, source] of from) {
    const response = await fetch(url, { headers: { accept }, redirect: 'manual' })
    const { status, headers } = response
    // An example may be of data that is not here; its path is one of the service.
    const isFound =
      source === 'the start' ||
      ([200, 301, 302, 400, 401, 404].includes(status) && headers.get('x-error-code') !== 'path_not_found')
    if (!isFound) faults.push(`${url} (from ${source}): ${status}`)
    for (const link of await linksIn(response)) {
      const target = new URL(link, url)
      if (isElsewhere(target)) continue
      target.hash = ''
      relations.add(new URL(url).pathname)
      if (!target.href.startsWith(`${proxy.base}/`) && target.href !== proxy.base) {
        faults.push(`${url}: ${link} leads outside`)
      } else if (!from.has(target.href)) from.set(target.href, url)
    }
  }
  return { faults, visited: [...from.keys()].map((url) => url.slice(proxy.base.length)), linking: relations.size }
}

describe('below a path prefix', () => {
  test('whatever a program may follow leads back', async () => {
    const { faults, visited, linking } = await follow(
      [
        ...['/', '/.well-known/api-catalog', '/llms.txt', '/llms-full.txt', '/openapi.json'],
        ...['/campaigns?tokenWhitelist=false&pageSize=1', '/campaigns?tokenWhitelist=false&pageSize=1&cursor=start'],
        ...['/explore/contracts?pageSize=1', '/tokens?pageSize=1', '/claims?chainId=8453&pageSize=1'],
        ...['/export/campaigns?limit=1', '/export/claims?limit=1', '/export/tokens?limit=1', '/export/prices?limit=1'],
        ...['/changes?pageSize=1', '/campaigns?page=x', '/nothing', '/no/such/path/', '/campaigns/x'],
      ],
      `${PROBLEM}, */*;q=0.5`,
    )
    expect(faults).toEqual([])
    expect(linking).toBeGreaterThan(40)
    for (const path of ['/docs', '/llms.txt', '/docs/guides/paging.md', '/docs/guides/errors']) {
      expect(visited).toContain(path)
    }
    expect(visited.filter((path) => /^\/export\/claims\?.*cursor=/.test(path))).toHaveLength(2)
  })

  test('whatever a browser may follow leads back, with a slash at the end of a path and without', async () => {
    const pages = ['/explorer/campaigns', `/explorer/campaigns/${campaignId}`, '/explorer/users/nobody', '/docs']
    const { faults, visited } = await follow(
      [
        ...['/', '/docs/guides/', '/docs/guides/paging/', '/nothing', '/no/such/path/', '/explorer/campaigns/8453:0:0'],
        ...pages.flatMap((path) => [path, `${path}/`]),
      ],
      'text/html',
    )
    expect(faults).toEqual([])
    for (const asset of [/^\/explorer\/assets\/.*\.js$/, /^\/explorer\/assets\/.*\.css$/, /^\/docs\/docs\.js$/]) {
      expect(visited.filter((path) => asset.test(path))).toHaveLength(1)
    }
    expect(visited.filter((path) => path.startsWith('/docs/guides/')).length).toBeGreaterThan(30)
  })

  test('the prefix without its slash leads to / of the service, and from there to the documentation', async () => {
    const { url, status } = await fetch(proxy.base)
    expect([status, url]).toEqual([200, `${proxy.base}/docs`])
  })

  test('the type of problem details is the section of the guide below the base URL, also where no route has the request', async () => {
    for (const path of ['/campaigns?page=x', '/nothing', '/campaigns/x']) {
      const response = await fetch(proxy.base + path, { headers: { accept: PROBLEM } })
      expect((await response.json()) as object).toMatchObject({
        type: `${proxy.base}/docs/guides/errors#${response.headers.get('x-error-code')}`,
      })
    }
    const { hostname, port } = new URL(service)
    const raw = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname)
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('close', () => resolve(text))
      socket.write(`CONNECT example:443 HTTP/1.1\r\nHost: example\r\nAccept: ${PROBLEM}\r\n\r\n`)
    })
    expect(raw).toMatch(/^HTTP\/1\.1 405 /)
    expect(raw).toContain(`"type":"${proxy.base}/docs/guides/errors#method_not_allowed"`)
  })

  test('links need no setting: pages and responses are the same without one', async () => {
    await using plain = await startTestApp({}, database)
    for (const path of ['/docs/guides/paging.md', '/docs/guides', '/explorer/campaigns', '/']) {
      const headers = { accept: 'text/html' }
      const [one, other] = [await plain.get(path, headers), await api.get(path, headers)]
      expect([one.body, one.headers.link], path).toEqual([other.body, other.headers.link])
    }
  })
})
