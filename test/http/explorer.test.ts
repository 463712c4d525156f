import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readSettings } from '../../src/config.ts'
import { serveExplorer } from '../../src/features/explorer/explorer-routes.ts'
import { aCampaign, anActionTemplate, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

const CAMPAIGN = '8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1657'

/** As a browser asks for a page. */
const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

let api: TestApp
beforeAll(async () => {
  api = await startTestApp()
  await api.save(aCampaign({ id: CAMPAIGN }))
})
afterAll(() => api[Symbol.asyncDispose]())

test.each([
  '/',
  '/explorer/campaigns',
  `/explorer/campaigns/${CAMPAIGN}`,
  '/explorer/contracts',
  '/explorer/users',
  `/explorer/users/${anAddress('somebody')}`,
  '/explorer/chains',
])('%s is the page, under a policy that lets it load and ask nothing but this service', async (path) => {
  const { statusCode, headers, body } = await api.get(path, { accept })
  expect(statusCode).toBe(200)
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(headers['cache-control']).toBe('public, no-cache')
  const sources = String(headers['content-security-policy'])
    .split('; ')
    .flatMap((directive) => directive.split(' ').slice(1))
  expect([...new Set(sources)].sort()).toEqual(["'none'", "'self'", 'data:'])
  expect(body, 'nothing inline, which the policy would block').not.toMatch(/<script(?![^>]*src=)|<style|\son[a-z]+=/)
  expect(await api.get(path, { accept, 'if-none-match': String(headers.etag) })).toMatchObject({
    statusCode: 304,
    body: '',
  })
})

/** What a browser, a search engine or anyone who shows a link reads in the head of a page. */
async function headOf(path: string) {
  const { body } = await api.get(path, { accept })
  const named = [...body.matchAll(/<meta (?:name|property)="([^"]+)" content="([^"]*)">/g)].map(([, name, text]) => [
    name,
    text,
  ])
  return { title: /<title>(.*)<\/title>/.exec(body)?.[1], ...Object.fromEntries(named) }
}

test('every page has a title, and a sentence or two of what it is about, which search engines show whole', async () => {
  const described = new Map<string, string>()
  for (const path of ['/', ...['campaigns', 'contracts', 'users', 'chains'].map((name) => `/explorer/${name}`)]) {
    const { title, description } = (await headOf(path)) as Record<string, string>
    expect(title, path).toMatch(/^\S.* · Reward Campaigns$/)
    expect(description?.length, path).toBeGreaterThan(30)
    expect(description?.length, path).toBeLessThanOrEqual(160)
    expect((await api.get(path, { accept })).body, path).toMatch(/<html [^>]*lang="en">[\s\S]*<meta name="viewport"/)
    described.set(String(description), path)
  }
  expect(described.size).toBe(5)
})

test('a link to a campaign shows its name, what it pays and its image', async () => {
  const [asset, other] = [anAddress('first reward'), anAddress('second reward')]
  await api.save(
    aToken({ address: asset, symbol: 'USDC' }),
    aToken({ address: other, symbol: 'AERO' }),
    aCampaign({
      id: '8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:77',
      campaignName: 'Swap on Base',
      incentives: [anErc20Incentive(asset), anErc20Incentive(other)],
      projectImageUri: 'ipfs://image',
      tokenImageUri: 'https://images.example/token.png',
    }),
  )
  const description =
    'Reward campaign 77 on chain 8453. 2 rewards, in AERO, USDC: what is left, who may claim and what has to be done.'
  expect(await headOf('/explorer/campaigns/8453:0xEA11a7937809b8585e63b12cc86bf91a72a5b08a:77')).toMatchObject({
    title: 'Swap on Base · Reward Campaigns',
    description,
    'og:title': 'Swap on Base',
    'og:description': description,
    'og:type': 'website',
    'og:site_name': 'Reward Campaigns',
    'og:image': 'https://images.example/token.png',
  })
})

test('a campaign without a name is called by its template, else by its number', async () => {
  const template = anActionTemplate({ description: 'Mint a picture' })
  const [templated, nameless] = ['78', '79'].map((number) => `10:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:${number}`)
  await api.save(
    template,
    aCampaign({ id: String(templated), actionTemplateId: template.id, campaignName: ' ' }),
    aCampaign({ id: String(nameless) }),
  )
  expect(await headOf(`/explorer/campaigns/${templated}`)).toMatchObject({ 'og:title': 'Mint a picture' })
  expect(await headOf(`/explorer/campaigns/${nameless}`)).toMatchObject({
    title: 'Campaign 79 on chain 10 · Reward Campaigns',
    description: 'Reward campaign 79 on chain 10. 0 rewards: what is left, who may claim and what has to be done.',
  })
})

test('a name is text in the head of a page, whatever is in it, and is cut between characters', async () => {
  const id = '8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:80'
  const family = '👨‍👩‍👧‍👦'
  await api.save(
    aCampaign({
      id,
      campaignName: `\u202e</title><script src=x>"$& ${family.repeat(200)}`,
      tokenImageUri: 'https://images.example/"><script>',
    }),
  )
  const {
    title,
    'og:title': name,
    'og:image': image,
  } = (await headOf(`/explorer/campaigns/${id}`)) as Record<string, string>
  expect(name).toBe(`&lt;/title&gt;&lt;script src=x&gt;&quot;$&amp; ${family.repeat(63)}…`)
  expect(title).toBe(`${name} · Reward Campaigns`)
  expect(image).toBe('https://images.example/&quot;&gt;&lt;script&gt;')
  expect((await api.get(`/explorer/campaigns/${id}`, { accept })).body).not.toContain('<script src=x>')
})

test.each(['8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:404', '1657', '%00', `${'9'.repeat(400)}:0x:1`])(
  'the page of a campaign that does not exist is 404: %s',
  async (id) => {
    const response = await api.get(`/explorer/campaigns/${id}`, { accept })
    expect(response).toMatchObject({
      statusCode: 404,
      headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    })
    expect(response.body).toContain('<title>Campaign · Reward Campaigns</title>')
  },
)

test('a campaign has its page while the database is too slow for its name', async () => {
  await using hasty = await startTestApp({ STATEMENT_TIMEOUT_MS: '200' }, api.database)
  const client = new pg.Client({ connectionString: api.database.url })
  await client.connect()
  await client.query('begin; lock table campaigns in access exclusive mode')
  const response = await hasty.get(`/explorer/campaigns/${CAMPAIGN}`, { accept })
  await client.end()
  expect(response.statusCode).toBe(200)
  expect(response.body).toContain('<title>Campaign · Reward Campaigns</title>')
})

test.each(['/nothing', '/explorer/nothing', '/docs/nothing', '/campaigns/a/b'])(
  'a browser gets a page that says that there is nothing at %s, a program the error',
  async (path) => {
    const page = await api.get(path, { accept })
    expect(page).toMatchObject({
      statusCode: 404,
      headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    })
    expect(page.body).toContain(`There is nothing at &quot;${path}&quot;.`)
    const [, link = ''] = /<a href="([^"]*)">reference/.exec(page.body) ?? []
    expect(new URL(link, `http://service.test${path}`).pathname).toBe('/docs')
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }] as Record<string, string>[]) {
      expect((await api.get(path, headers)).json()).toEqual({ error: `there is nothing at "${path}"` })
    }
  },
)

test('a path is text on the page that says that there is nothing', async () => {
  const { body } = await api.get('/<script>alert(1)</script>', { accept })
  expect(body).not.toContain('<script')
})

test('programs, which do not ask for a page, are led from / to the documentation', async () => {
  for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }] as Record<string, string>[]) {
    const response = await api.get('/', headers)
    expect(response).toMatchObject({ statusCode: 302, headers: { location: './docs', vary: 'accept' } })
  }
  await using narrow = await startTestApp({ CORS_ORIGINS: 'https://app.example' }, api.database)
  expect((await narrow.get('/', { accept })).headers.vary).toBe('Origin, accept, accept-encoding')
})

test('what the page loads is there compressed, may be kept for ever, and is 60 kB in all at most', async () => {
  const page = await api.get('/', { accept, 'accept-encoding': 'br' })
  const loaded = [...(await api.get('/', { accept })).body.matchAll(/(?:src|href)="\.(\/[^"]+\.(?:js|css))"/g)].map(
    ([, path]) => path,
  )
  expect(loaded).toHaveLength(2)
  let bytes = page.rawPayload.length
  for (const path of loaded) {
    const { statusCode, headers, rawPayload } = await api.get(path ?? '', { 'accept-encoding': 'gzip, br' })
    expect(statusCode, path).toBe(200)
    expect(headers, path).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'br',
    })
    bytes += rawPayload.length
  }
  expect(bytes).toBeLessThanOrEqual(60_000)
})

test.each([
  '/explorer',
  '/explorer/nothing',
  '/explorer/assets/',
  '/explorer/explorer.html',
  '/explorer/assets/none.js',
])('there is nothing at %s', async (path) => {
  const { statusCode, body } = await api.get(path)
  expect(statusCode).toBe(404)
  expect(JSON.parse(body)).toEqual({ error: `there is nothing at "${path}"` })
})

test.each(['/explorer/assets/..%5cexplorer.html', '/explorer/assets//explorer.html', '/explorer/assets/%00'])(
  'what is no file of the page is not there, however it is written: %s',
  async (path) => {
    const { statusCode, body } = await api.get(path)
    expect(statusCode).toBe(404)
    expect(JSON.parse(body)).toEqual({ error: `there is nothing at "${path}"` })
  },
)

test('another page of the same size and time has another tag', async () => {
  const folders = await Promise.all(
    ['old', 'new'].map(async (content) => {
      const folder = await mkdtemp(join(tmpdir(), 'explorer-'))
      await mkdir(join(folder, 'assets'))
      await writeFile(join(folder, 'explorer.html'), content)
      await utimes(join(folder, 'explorer.html'), 0, 0)
      return folder
    }),
  )
  const tags = await Promise.all(
    folders.map(async (folder) => {
      const app = fastify()
      await serveExplorer(app, folder, {
        campaigns: { findHead: async () => undefined },
        hasAddressLookups: true,
        imageHosts: [],
        surfaces: ['public'],
      })
      const { headers } = await app.inject({ url: '/explorer/chains' })
      await app.close()
      await rm(folder, { recursive: true })
      return headers.etag
    }),
  )
  expect(tags).toEqual([expect.any(String), expect.any(String)])
  expect(tags[0]).not.toBe(tags[1])
})

test('with ADDRESS_LOOKUPS=false there is no page of an account, and the others are told', async () => {
  await using other = await startTestApp({ ADDRESS_LOOKUPS: 'false' }, api.database)
  for (const path of ['/explorer/users', `/explorer/users/${anAddress('somebody')}`]) {
    expect(await other.get(path, { accept })).toMatchObject({ statusCode: 404 })
  }
  const { body } = await other.get('/', { accept })
  expect(body).toContain('<html data-address-lookups="off" lang="en">')
  expect((await api.get('/', { accept })).body).toContain('<html lang="en">')
})

test('with IMAGE_HOSTS, pages may load pictures of these hosts too, and nothing else of them', async () => {
  await using other = await startTestApp({ IMAGE_HOSTS: 'images.test,*.cdn.test:8443' }, api.database)
  for (const path of ['/', `/explorer/campaigns/${CAMPAIGN}`, '/explorer/campaigns/nonsense']) {
    const { headers, body } = await other.get(path, { accept })
    const before = String((await api.get(path, { accept })).headers['content-security-policy'])
    expect(before).toContain("img-src 'self' data:;")
    expect(headers['content-security-policy']).toBe(
      before.replace("img-src 'self' data:;", "img-src 'self' data: https://images.test https://*.cdn.test:8443;"),
    )
    expect(body).toContain('<html data-image-hosts="images.test *.cdn.test:8443" lang="en">')
  }
})

test.each(['https://images.test', 'images.test/a', '*', 'x; script-src *', 'Images.test', 'a..b', '-a.test', '"'])(
  'IMAGE_HOSTS=%s is refused at the start',
  (hosts) => {
    expect(() => readSettings({ IMAGE_HOSTS: hosts })).toThrow(
      /^IMAGE_HOSTS must be a host such as images\.example or \*\.images\.example, in lower case, got /,
    )
  },
)

test.each([{ EXPLORER: 'false' }, { SURFACES: 'staging' }])(
  'with %o, / leads to the documentation',
  async (settings) => {
    await using other = await startTestApp(settings, api.database)
    expect(await other.get('/', { accept })).toMatchObject({ statusCode: 302, headers: { location: './docs' } })
    expect((await other.get('/explorer/campaigns')).statusCode).toBe(404)
  },
)
