import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveExplorer } from '../../src/http/explorer.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

const CAMPAIGN = '8453:0xea11a7937809b8585e63b12cc86bf91a72a5b08a:1657'

/** As a browser asks for a page. */
const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

let api: TestApp
beforeAll(async () => {
  api = await startTestApp()
})
afterAll(() => api[Symbol.asyncDispose]())

test.each(['/', '/explorer/campaigns', `/explorer/campaigns/${CAMPAIGN}`, '/explorer/contracts', '/explorer/chains'])(
  '%s is the page, under a policy that lets it load and ask nothing but this service',
  async (path) => {
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
  },
)

test('programs, which do not ask for a page, are led from / to the documentation', async () => {
  for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }] as Record<string, string>[]) {
    const answer = await api.get('/', headers)
    expect(answer).toMatchObject({ statusCode: 302, headers: { location: '/docs', vary: 'accept' } })
  }
  await using narrow = await startTestApp({ CORS_ORIGINS: 'https://app.example' }, api.database)
  expect((await narrow.get('/', { accept })).headers.vary).toBe('Origin, accept, accept-encoding')
})

test('what the page loads is there compressed, may be kept for ever, and is 60 kB in all at most', async () => {
  const page = await api.get('/', { accept, 'accept-encoding': 'br' })
  const loaded = [...(await api.get('/', { accept })).body.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(
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
      await serveExplorer(app, folder)
      const { headers } = await app.inject({ url: '/explorer/chains' })
      await app.close()
      await rm(folder, { recursive: true })
      return headers.etag
    }),
  )
  expect(tags).toEqual([expect.any(String), expect.any(String)])
  expect(tags[0]).not.toBe(tags[1])
})

test.each([{ EXPLORER: 'false' }, { SURFACES: 'staging' }])(
  'with %o, / leads to the documentation',
  async (settings) => {
    await using other = await startTestApp(settings, api.database)
    expect(await other.get('/', { accept })).toMatchObject({ statusCode: 302, headers: { location: '/docs' } })
    expect((await other.get('/explorer/campaigns')).statusCode).toBe(404)
  },
)
