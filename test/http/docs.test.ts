import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readSettings } from '../../src/config.ts'
import { startTestApp } from '../setup/test-app.ts'

test('the OpenAPI document is served as JSON and as YAML, and both say the same as the committed one', async () => {
  await using api = await startTestApp()
  const [json, yaml] = await Promise.all([api.get('/openapi.json'), api.get('/openapi.yaml')])
  expect(json.statusCode).toBe(200)
  expect(json.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(yaml.statusCode).toBe(200)
  expect(yaml.headers['content-type']).toBe('application/yaml; charset=utf-8')
  expect(parse(yaml.body)).toEqual(json.json())
  const committed = await readFile(join(import.meta.dirname, '../../openapi.json'), 'utf8')
  expect(json.json()).toEqual(JSON.parse(committed))
})

test('the document says where each operation is served', async () => {
  await using api = await startTestApp({ PUBLIC_BASE_URL: 'https://api.example/v2' })
  const { paths } = (await api.get('/openapi.json')).json()
  expect(paths['/campaigns'].get.servers).toEqual([{ url: 'https://api.example/v2' }])
})

test('the docs and everything they load come from us', async () => {
  await using api = await startTestApp()
  for (const page of ['/docs', '/docs/']) {
    const { statusCode, headers, body } = await api.get(page)
    expect(statusCode, page).toBe(200)
    expect(headers['content-type'], page).toMatch(/^text\/html/)
    expect(body, page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
    expect(body, 'nothing inline, which the policy would block').not.toMatch(
      /<script(?![^>]*\ssrc=)[^>]*>|\son\w+=|\sstyle=/,
    )
    const assets = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => String(url))
    expect(assets.length, page).toBeGreaterThanOrEqual(5)
    for (const asset of assets) {
      const url = new URL(asset, `http://localhost${page}`)
      const answer = await api.get(url.pathname)
      expect(answer.statusCode, asset).toBe(200)
      expect(answer.rawPayload.length, asset).toBeGreaterThan(0)
      if (asset.endsWith('.css')) {
        expect(answer.body, `${asset} loads nothing`).not.toMatch(/@import|url\(["']?(?:https?:)?\/\//)
      }
    }
  }
})

test('the docs show our document', async () => {
  await using api = await startTestApp()
  const script = (await api.get('/docs/static/swagger-initializer.js')).body
  expect(script, 'no third party looks at it').toContain('validatorUrl: null')
  const [shown, document] = [(await api.get('/docs/json')).json(), (await api.get('/openapi.json')).json()]
  // The page has the examples of parameters in its own way.
  for (const { paths } of [shown, document]) {
    for (const { get } of Object.values<{ get: { parameters?: unknown } }>(paths)) delete get.parameters
  }
  expect(shown).toEqual(document)
})

test('a strict policy lets the docs run our scripts and nothing else', async () => {
  await using api = await startTestApp()
  for (const path of ['/docs', '/docs/static/swagger-ui-bundle.js', '/campaigns']) {
    const policy = String((await api.get(path)).headers['content-security-policy'])
    const directives = new Map(
      policy.split(';').map((directive): [string, string] => {
        const [name = '', ...values] = directive.trim().split(/\s+/)
        return [name, values.join(' ')]
      }),
    )
    expect(directives.get('default-src'), path).toMatch(/^'(self|none)'$/)
    // What is data needs no scripts at all.
    const scripts = path === '/campaigns' ? "'none'" : "'self'"
    expect(directives.get('script-src') ?? directives.get('default-src'), path).toBe(scripts)
    expect(directives.get('object-src') ?? directives.get('default-src'), path).toBe("'none'")
    // Behind plain HTTP, the page's own scripts would otherwise be asked for over HTTPS, and nobody would answer.
    expect([...directives.keys()], path).not.toContain('upgrade-insecure-requests')
    expect(policy, `${path} names no other host`).not.toMatch(/[a-z0-9]\.[a-z]{2,}/i)
  }
})

test('the docs may ask where the operations are served, on any origin, and no one else', async () => {
  const connectable = async (settings: Record<string, string>) => {
    await using api = await startTestApp(settings)
    const answer = await api.get('/docs')
    return /connect-src ([^;]+);/.exec(String(answer.headers['content-security-policy']))?.[1]
  }
  expect(await connectable({})).toBe("'self'")
  expect(await connectable({ PUBLIC_BASE_URL: '/api', STAGING_BASE_URL: '/staging' })).toBe("'self'")
  expect(
    await connectable({ PUBLIC_BASE_URL: 'https://api.example/v2', STAGING_BASE_URL: 'http://[::1]:8080/staging/' }),
  ).toBe("'self' https://api.example http://[::1]:8080")
  expect(
    await connectable({
      PUBLIC_BASE_URL: 'https://api.example/v2',
      STAGING_BASE_URL: 'https://API.example:443/staging',
    }),
  ).toBe("'self' https://api.example")
})

test.each([
  '//api.example',
  'https://',
  'api.example',
  'https://user:secret@api.example',
  'https://a;script-src *',
  '/a?b',
])('what is no base address is refused: %s', (url) => {
  expect(() => readSettings({ PUBLIC_BASE_URL: url })).toThrow(/^PUBLIC_BASE_URL must be a path, or a URL such as/)
  expect(() => readSettings({ STAGING_BASE_URL: url })).toThrow(/^STAGING_BASE_URL must be a path, or a URL such as/)
})
