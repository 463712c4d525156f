import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from 'reward-campaigns-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleSearch } from '../../packages/docs/build.mjs'
import { openProject } from '../../packages/docs/src/content/project.ts'
import { makeFolders, makePages, readSources } from '../../packages/docs/src/pages.ts'
import { resolveReferences } from '../../packages/example-requests/src/resolve-references.ts'
import { readDocument } from '../setup/documents/documents.ts'
import { contractOf } from '../setup/documents/openapi.ts'
import { aCampaign } from '../setup/records.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

const root = join(import.meta.dirname, '../..')

let api: TestApp
let guides: string[]
let operations: string[]

beforeAll(async () => {
  api = await startTestApp()
  const names = await readdir(join(root, 'docs/guides'))
  guides = names.map((name) => `/docs/guides/${name.replace(/\.md$/, '')}`)
  operations = (await contractOf(api)).operations.map(({ operation }) => `/docs/operations/${operation.operationId}`)
})
afterAll(() => api[Symbol.asyncDispose]())

const OTHERS = ['settings', 'commands', 'metrics', 'glossary', 'client', 'readme', 'changelog']
const pages = () => ['/docs', ...operations, '/docs/guides', ...guides, ...OTHERS.map((name) => `/docs/${name}`)]

/** The path that a link of a page leads to. */
const toPath = (link: string, page: string) => {
  const { pathname, hash } = new URL(link, `http://docs.test${page}`)
  return pathname + hash
}

/** What the attribute of some name holds wherever it is. */
const valuesOf = (body: string, attribute: string) =>
  [...body.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, 'g'))].map(([, value]) => String(value))

test('every page and all that it loads come from us, and nothing in it is inline', async () => {
  expect(guides.length).toBeGreaterThan(0)
  const loaded = new Set<string>()
  for (const path of [...pages(), '/docs/']) {
    const { statusCode, headers, body } = await api.get(path)
    expect(statusCode, path).toBe(200)
    expect(headers['content-type'], path).toBe('text/html; charset=utf-8')
    expect(body, 'nothing inline, which the policy would block').not.toMatch(
      /<script(?![^>]*\ssrc=)|<style|<[^>]+\s(?:on\w+|style)=/,
    )
    for (const [tag] of body.matchAll(/<(?:link|script|img|iframe|source|object|embed|video|audio)\b[^>]*>/g)) {
      for (const url of [...valuesOf(tag, 'href'), ...valuesOf(tag, 'src')]) loaded.add(toPath(url, path))
    }
  }
  expect([...loaded].sort()).toEqual(['/docs/docs.css', '/docs/docs.js', '/docs/icon.svg'])
  for (const path of loaded) {
    const { statusCode, headers, body } = await api.get(path)
    expect(statusCode, path).toBe(200)
    expect(headers['content-type'], path).toMatch(/^(?:text\/css|text\/javascript); charset=utf-8$|^image\/svg\+xml/)
    expect(body.replace('xmlns="http://www.w3.org/2000/svg"', ''), path).not.toMatch(/@import|https?:\/\//)
  }
})

test('a strict policy lets the pages run our scripts and nothing else', async () => {
  const ownFiles = ['/docs/docs.css', '/docs/docs.js', '/docs/search.js', '/docs/search.json']
  for (const path of [...pages(), ...ownFiles]) {
    expect((await api.get(path)).headers['content-security-policy'], path).toBe(
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'; " +
        "img-src 'self'; script-src 'self'; style-src 'self'",
    )
  }
})

test('the docs may ask where the operations are served, on any origin, and no one else', async () => {
  const connectable = async (settings: Record<string, string>) => {
    await using other = await startTestApp(settings, api.database)
    const response = await other.get('/docs')
    return /connect-src ([^;]+);/.exec(String(response.headers['content-security-policy']))?.[1]
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

test('every link between the pages leads to a page and to a place that is there', async () => {
  const bodies = new Map<string, string>()
  for (const path of pages()) {
    const { body } = await api.get(path)
    const ids = valuesOf(body, 'id')
    expect(
      ids.filter((id, index) => ids.indexOf(id) < index),
      path,
    ).toEqual([])
    bodies.set(path, body)
  }
  const index: { documentIds: Record<string, string> } = (await api.get('/docs/search.json')).json()
  const links = [...bodies].flatMap(([path, body]) => valuesOf(body, 'href').map((href) => ({ path, href })))
  const searched = Object.values(index.documentIds).map((href) => ({ path: 'search', href }))
  expect(searched.length).toBeGreaterThan(100)
  const dead: string[] = []
  for (const { path, href } of [...links, ...searched]) {
    const { origin, pathname, hash } = new URL(href, `http://docs.test${path}`)
    if (origin !== 'http://docs.test') continue
    if (!bodies.has(pathname)) bodies.set(pathname, (await api.get(pathname)).body)
    const body = bodies.get(pathname) ?? ''
    const isThere =
      !body.startsWith('{"error"') && (hash === '' || body.includes(` id="${decodeURIComponent(hash.slice(1))}"`))
    if (!isThere) dead.push(`${href} in ${path}`)
  }
  expect(dead).toEqual([])
})

test('each guide is listed with its first paragraph, and in the contents of every page', async () => {
  const list = (await api.get('/docs/guides')).body
  const linksOf = new Map<string, string[]>()
  for (const page of pages()) {
    const { body } = await api.get(page)
    linksOf.set(
      page,
      valuesOf(body, 'href').map((link) => toPath(link, page)),
    )
  }
  for (const guide of guides) {
    const [title = '', , summary = ''] = (await readFile(join(root, `${guide.slice(1)}.md`), 'utf8')).split('\n')
    expect(title).toMatch(/^# /)
    expect(summary, guide).not.toBe('')
    for (const page of pages()) expect(linksOf.get(page), page).toContain(guide)
    expect(list).toContain(`<a href="..${guide}">${title.slice(2).replaceAll("'", '&#39;')}</a><p>`)
  }
})

test('the guides begin with what one wants to do, as the README says it', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const wanted = [...readme.matchAll(/^\| ([^|]+) \| \[.*?\]\(docs(\/guides\/[\w-]+)\.md\) \|$/gm)].map(
    ([, task, guide]) => `<a href="../docs${guide}">${task}</a>`,
  )
  expect(wanted.length).toBeGreaterThanOrEqual(10)
  const [, tasks = ''] = /<ul class="tasks">(.*?)<\/ul>/s.exec((await api.get('/docs/guides')).body) ?? []
  expect([...tasks.matchAll(/<a .*?<\/a>/g)].map(String).sort()).toEqual(wanted.sort())
})

test('the overview is a paragraph and a table, whose subjects lead to what says more', async () => {
  const [, overview = ''] = /<h1>.*?<\/h1>(.*?)<p>The same for machines/s.exec((await api.get('/docs')).body) ?? []
  expect(overview.match(/<p>/g)).toHaveLength(1)
  const subjects = [...overview.matchAll(/<tr><td>(.*?)<\/td>/g)].map(([, cell]) => cell)
  expect(subjects).toEqual([
    '<a href="./docs/guides/amounts">Amounts</a>',
    '<a href="./docs/guides/first-request#request-one-campaign-by-its-id">Addresses</a>',
    '<a href="./docs/guides/paging">Lists</a>',
    '<a href="./docs/guides/errors">Errors</a>',
    '<a href="./docs/guides/caching">Freshness</a>',
  ])
})

test('the reference shows each operation with its parameters and their examples, and each schema', async () => {
  const { body } = await api.get('/docs')
  const { operations, document } = await contractOf(api)
  const { schemas }: { schemas: Record<string, { oneOf?: { $ref: string }[] }> } = Object(document).components
  const variants = Object.values(schemas).flatMap(({ oneOf = [] }) => oneOf.map(({ $ref }) => $ref.split('/').at(-1)))
  expect(variants.length).toBeGreaterThanOrEqual(10)
  const wanted = [
    ...operations.flatMap(({ path, operation: { operationId, parameters = [] } }) => [
      `<section id="${operationId}"`,
      `<code>${path}</code>`,
      ...parameters.flatMap(({ name, example }) => [
        `for="${operationId}-${name}"`,
        // What an operation itself gives, as a cursor, has none.
        ...(example === undefined
          ? []
          : [
              `data-fills="${operationId}-${name}" data-example="${[example].flat().join(',').replaceAll('"', '&quot;')}"`,
            ]),
      ]),
    ]),
    ...Object.keys(schemas).map((name) => `id="schema-${name}"><summary>`),
    ...variants.map((name) => `<summary><code>"${name}"</code>`),
  ]
  expect(wanted.filter((piece) => !body.includes(piece))).toEqual([])
  const open = body.match(/<details[^>]*\sopen[^>]*>/g)
  expect(open, 'examples of responses, and nothing else').toEqual(
    operations.map(() => '<details open class="example-response">'),
  )
  expect(body.match(/<input[^>]*\svalue=/g), 'nothing is filled in').toBeNull()
})

test('each operation has a page of its own, to which the others lead, in the order of the reference', async () => {
  const reference = (await api.get('/docs')).body
  const ids = [...reference.matchAll(/<section id="(\w+)" aria-labelledby="\1-title">\s*<h3/g)].map(
    ([, id]) => id ?? '',
  )
  expect(ids.map((id) => `/docs/operations/${id}`).sort()).toEqual([...operations].sort())
  for (const [index, id] of ids.entries()) {
    const { body } = await api.get(`/docs/operations/${id}`)
    const hasToken = body.includes('data-protected="true"')
    const next = ids[index + 1]
    const wanted = [
      `<main id="main" tabindex="-1"><section id="${id}" aria-labelledby="${id}-title">\n<h1 `,
      `<a href="../../docs/operations/${id}" aria-current="page">`,
      // What needs a token can be tried here too.
      ...(hasToken ? ['id="token"'] : []),
      ...(next === undefined ? [] : [`rel="next" href="../../docs/operations/${next}"`]),
    ]
    expect(
      wanted.filter((piece) => !body.includes(piece)),
      id,
    ).toEqual([])
    expect(body.match(/<form class="operation"/g), id).toHaveLength(1)
    expect(reference.includes(`href="./docs/operations/${id}"`), id).toBe(true)
  }
})

test('the parts at the top mark the one that a page belongs to', async () => {
  const markedOn = async (path: string) => {
    const [, top = ''] = /<nav aria-label="Service">(.*?)<\/nav>/.exec((await api.get(path)).body) ?? []
    return [...top.matchAll(/aria-current="(\w+)">(\w+)/g)].map(([, how, name]) => `${name}: ${how}`)
  }
  expect(await markedOn('/docs')).toEqual(['Reference: page'])
  expect(await markedOn('/docs/operations/listClaims')).toEqual(['Reference: true'])
  expect(await markedOn('/docs/guides')).toEqual(['Guides: page'])
  expect(await markedOn('/docs/guides/paging')).toEqual(['Guides: true'])
  expect(await markedOn('/docs/changelog')).toEqual([])
})

test('guides come first in the contents of guides, and the reference in all others', async () => {
  const groupsOf = async (path: string) =>
    [...(await api.get(path)).body.matchAll(/<p class="group">(.*?)<\/p>/g)].map(([, group]) => group)
  const guides = ['Use the API', 'Take data out', 'Bring data in', 'Run the service']
  expect(await groupsOf('/docs/guides/paging')).toEqual([...guides, 'Reference', 'More'])
  expect(await groupsOf('/docs/guides')).toEqual([...guides, 'Reference', 'More'])
  expect(await groupsOf('/docs')).toEqual(['Reference', ...guides, 'More'])
})

test('every page says what it is about, each in its own words', async () => {
  const descriptions = new Map<string, string>()
  for (const path of pages()) {
    const { body } = await api.get(path)
    const [, description = ''] = /<meta name="description" content="([^"]*)">/.exec(body) ?? []
    expect(description.length, path).toBeGreaterThan(30)
    expect(description.length, path).toBeLessThan(200)
    expect(body, path).toContain(`<meta property="og:description" content="${description}">`)
    descriptions.set(path, description)
  }
  expect(new Set(descriptions.values()).size).toBe(descriptions.size)
})

test.each(['fetch', 'client'])('the quickstart with %s is five lines that print active campaigns', async (language) => {
  await using served = await startTestApp()
  await served.save(...['first', 'second'].map((campaignName) => aCampaign({ campaignName })))
  const base = await served.app.listen({ host: '127.0.0.1', port: 0 })
  const { body } = await served.get('/docs')
  const [, block = ''] = new RegExp(`aria-label="Quickstart with ${language}"><code>(.*?)</code>`, 's').exec(body) ?? []
  const code = block
    .replace(/<[^>]+>/g, '')
    .replace(/&(#39|gt|lt|amp);/g, (_, name) => ({ '#39': "'", gt: '>', lt: '<', amp: '&' })[String(name)] ?? '')
    .replaceAll('http://localhost:3000', base)
  expect(code.split('\n')).toHaveLength(5)
  const printed: unknown[] = []
  const run = new Function(
    'createClient',
    'console',
    `return (async () => { ${code.replace(/^import .*$/m, '')} })()`,
  ) as (create: typeof createClient, console: unknown) => Promise<void>
  await run(createClient, { log: (line: unknown) => printed.push(line) })
  expect(printed).toEqual(['2 active campaigns, the newest:', 'second', 'first'])
})

test('only what is served is shown', async () => {
  await using open = await startTestApp({ SURFACES: 'public' }, api.database)
  const { body } = await open.get('/docs')
  expect(body).toContain('id="listCampaigns"')
  expect(body).toContain('id="quickstart"')
  expect(body).not.toMatch(/id="(?:listAccessLists|authorize)"/)
  await using closed = await startTestApp({ SURFACES: 'staging' }, api.database)
  expect((await closed.get('/docs')).body).not.toMatch(/>Explorer<\/a>|id="quickstart"/)
  expect((await api.get('/docs')).body).toContain('<a href="./">Explorer</a>')
})

test.each(['/docs/guides/nothing', '/docs/nothing', '/docs/first-request.md', '/docs/guides/..%2Fchangelog'])(
  'there is nothing at %s',
  async (path) => {
    const { statusCode, headers, body } = await api.get(path)
    expect(statusCode).toBe(404)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(JSON.parse(body)).toEqual({ error: `there is nothing at "${path}"` })
  },
)

test('pages have tags, are compressed, and are given without their body to whoever has them or asks for that', async () => {
  for (const path of ['/docs', '/docs/changelog', '/docs/docs.css', '/docs/search.json']) {
    const plain = await api.get(path)
    expect(plain.headers, path).toMatchObject({ 'cache-control': 'public, no-cache', etag: /^"/ })
    const compressed = await api.get(path, { 'accept-encoding': 'br' })
    expect(compressed.headers, path).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' })
    expect(compressed.rawPayload.length, path).toBeLessThan(plain.rawPayload.length / 2)
    expect(await api.get(path, { 'if-none-match': String(plain.headers.etag) }), path).toMatchObject({
      statusCode: 304,
      body: '',
    })
    const head = await api.app.inject({ method: 'HEAD', url: path })
    expect(head, path).toMatchObject({ statusCode: 200, body: '' })
    expect(head.headers.etag, path).toBe(plain.headers.etag)
  }
})

test('the image has what the package has, and the pages are made in both', async () => {
  const { files }: { files: string[] } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8')
  const copied = (from: RegExp) =>
    [...dockerfile.matchAll(from)].flatMap(([, paths = '']) => paths.replaceAll('/app/', '').split(' '))
  // The image has of a folder what fits the pattern: all else is removed before it is copied.
  expect(dockerfile).toContain("find src -type f ! -name '*.sql' -delete")
  const packed = files.filter((path) => !path.startsWith('!')).map((path) => path.replace('/**/*.sql', ''))
  expect(copied(/^COPY --from=build (.+) \S+$/gm).sort()).toEqual([...packed, 'package.json'].sort())
  const { sources } = await makeFolders(root, '')
  const built = copied(/^COPY (?!--from)(.+) \S+$/gm)
  expect([...sources].filter((file) => !built.some((path) => `${file}/`.startsWith(`${path}/`)))).toEqual([])
})

test.each([
  {},
  { EXPLORER: 'false' },
  { SURFACES: 'public' },
  { ADDRESS_LOOKUPS: 'false' },
  { SURFACES: 'public', EXPLORER: 'false', PUBLIC_BASE_URL: 'https://api.example/v2/' },
  { SURFACES: 'staging', STAGING_BASE_URL: '/staging' },
  { PUBLIC_BASE_URL: "https://api.example/it's", STAGING_BASE_URL: 'https://staging.example' },
])('the pages are those of the document that is served: %o', async (settings: Record<string, string>) => {
  await using served = await startTestApp(settings, api.database)
  const document = (await served.get('/openapi.json')).json()
  const hasExplorer = settings.EXPLORER !== 'false' && settings.SURFACES !== 'staging'
  const surfaces = settings.SURFACES?.split(',') ?? ['public', 'staging']
  const hasAddressLookups = settings.ADDRESS_LOOKUPS !== 'false'
  const sources = await readSources(
    openProject(root),
    { surfaces, hasExplorer, hasAddressLookups },
    await bundleSearch(),
  )
  const made = makePages(resolveReferences(document), sources, hasExplorer)
  expect(made.size).toBeGreaterThan(20)
  for (const [file, madeOf] of made) {
    const root = '../'.repeat(file.split('/').length - 1) || './'
    // Links are relative to the page.
    const links = file.endsWith('.html') ? /(?<= href="| src=")\// : /\.(md|txt)$/.test(file) ? /(?<=\]\()\// : /(?!)/
    const text = madeOf.replace(new RegExp(links, 'g'), root)
    expect((await served.get(`/${file.replace(/\.html$/, '')}`)).body === text, file).toBe(true)
  }
})

test.each([
  {
    settings: { SURFACES: 'public' },
    absent: ['protected-operations'],
    words: /AccessListItem|ListAccessLists|UserProfile|GET \/users\/profile|id="authorize"/,
  },
  {
    settings: { ADDRESS_LOOKUPS: 'false' },
    absent: ['user-rewards', 'reward-states'],
    words: /id="(listEligibility|listRewards|schema-RewardTotal)"|GET \/(eligibility|users\/\{address)/,
  },
])(
  'what is not served has no reference, no guide and no line for language models: $settings',
  async ({ settings, absent, words }) => {
    await using served = await startTestApp(settings, api.database)
    for (const path of ['/docs', '/llms.txt']) {
      expect((await api.get(path)).body, path).toMatch(words)
      expect((await served.get(path)).body, path).not.toMatch(words)
    }
    for (const path of [
      '/docs/guides',
      '/docs/search.json',
      '/llms.txt',
      '/docs/guides/errors',
      '/docs/guides/limits.md',
      '/docs/readme',
    ]) {
      const { body } = await served.get(path)
      for (const guide of absent) expect(body, path).not.toContain(`guides/${guide}`)
    }
    for (const guide of absent) {
      const [title] = readDocument(`docs/guides/${guide}.md`).lines
      expect((await api.get('/llms-full.txt')).body).toContain(`\n${title}\n`)
      expect((await served.get('/llms-full.txt')).body).not.toContain(`\n${title}\n`)
      for (const path of [`/docs/guides/${guide}`, `/docs/guides/${guide}.md`]) {
        expect((await api.get(path)).statusCode, path).toBe(200)
        expect((await served.get(path)).statusCode, path).toBe(404)
      }
    }
    // No page leads to what is not there.
    const links = new Set<string>()
    for (const path of [
      '/docs',
      '/docs/guides',
      '/docs/readme',
      ...guides.filter((url) => !absent.some((guide) => url.endsWith(guide))),
    ]) {
      const { statusCode, body } = await served.get(path)
      expect(statusCode, path).toBe(200)
      for (const href of valuesOf(body, 'href')) {
        const { pathname, origin } = new URL(href, `http://service.example${path}`)
        if (origin === 'http://service.example') links.add(pathname)
      }
    }
    for (const link of links) expect((await served.get(link)).statusCode, link).not.toBe(404)
  },
)
