import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Contract, contractOf } from '../setup/documents/openapi.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

let api: TestApp
let contract: Contract
let text: string
beforeAll(async () => {
  api = await startTestApp()
  contract = await contractOf(api)
  text = (await api.get('/llms.txt')).body
})
afterAll(() => api[Symbol.asyncDispose]())

/** What a link leads to, in the text at a path. */
const toPath = (url: string, path = '/llms.txt') => {
  const { pathname, search } = new URL(url, `http://service.test${path}`)
  return pathname + search
}

/** The list below a heading, as names, URLs and what is said of them. */
const itemsOf = (heading: string, of = text) =>
  [
    ...(new RegExp(`^## ${heading}\n\n((?:- .*\n)+)`, 'm').exec(of)?.[1] ?? '').matchAll(
      /^- \[(.+?)\]\((.+?)\): (.*)$/gm,
    ),
  ].map(([, name = '', url = '', about = '']) => ({ name, url, about }))

test('it is a title, a summary, what to know and lists of links, in this order', () => {
  const { info } = contract.document
  const [summary, ...toKnow] = info.description.split('\n\n')
  expect(text.startsWith(`# ${info.title}\n\n> ${summary}\n\n${toKnow.join('\n\n')}\n\n## Reference\n\n- [`)).toBe(true)
  expect([...text.matchAll(/^#+ .*$/gm)].map(([heading]) => heading)).toEqual([
    `# ${info.title}`,
    '## Reference',
    '## Guides',
    '## Operations',
  ])
  for (const subject of ['Amounts', 'Addresses', 'pages', 'error', 'ETag']) expect(toKnow.join(' ')).toContain(subject)
})

test('it has every operation of the document with its summary and its parameters', () => {
  const queries = contract.operations.map(({ path, operation }) => ({
    path,
    summary: operation.summary,
    parameters: (operation.parameters ?? []).filter(({ in: place }) => place === 'query').map(({ name }) => name),
  }))
  const listed = itemsOf('Operations').map(({ name, about }) => ({
    path: name.replace(/^GET /, ''),
    summary: about.replace(/(, with a bearer token)?\..*/, ''),
    parameters: [...(/ Parameters: (.*)\.$/.exec(about)?.[1]?.matchAll(/`(\w+)`/g) ?? [])].map(([, name]) => name),
  }))
  expect(listed).toEqual(queries)
})

test('the links of the reference and of the operations lead somewhere', async () => {
  const links = [...itemsOf('Reference'), ...itemsOf('Operations')]
  expect(links.length).toBe(contract.operations.length + 3)
  for (const { name, url, about } of links) {
    // There is no data, so neither the campaign nor the token of the examples.
    const isAbsent = ['GET /campaigns/{id}', 'GET /prices'].includes(name)
    const expected = about.includes('bearer token') ? 401 : isAbsent ? 404 : 200
    expect((await api.get(toPath(url))).statusCode, url).toBe(expected)
  }
})

test('it has every guide with its title and its first paragraph', async () => {
  const folder = join(import.meta.dirname, '../../docs/guides')
  const files = (await readdir(folder)).filter((file) => file.endsWith('.md'))
  expect(files.length).toBeGreaterThan(0)
  const guides = new Map(itemsOf('Guides').map(({ url, ...guide }) => [toPath(url), guide]))
  expect([...guides.keys()].sort()).toEqual(files.map((file) => `/docs/guides/${file}`).sort())
  for (const file of files) {
    const { name, about } = guides.get(`/docs/guides/${file}`) ?? {}
    const words = (await readFile(join(folder, file), 'utf8')).replace(/\s+/g, ' ')
    expect(words.startsWith(`# ${name} ${about} `), file).toBe(true)
  }
})

test('each guide is there as Markdown, whose links lead to what is served, and all of them are in one file', async () => {
  const everything = await api.get('/llms-full.txt')
  expect(everything.statusCode).toBe(200)
  expect(everything.headers['content-type']).toBe('text/markdown; charset=utf-8')
  expect(everything.body.startsWith(text.slice(0, text.indexOf('\n\n## Reference')))).toBe(true)
  const links = new Set<string>()
  const guides = itemsOf('Guides')
  let from = 0
  for (const { name, url } of guides) {
    const path = toPath(url)
    const { statusCode, headers, body } = await api.get(path)
    expect([statusCode, headers['content-type']], url).toEqual([200, 'text/markdown; charset=utf-8'])
    expect(body.startsWith(`# ${name}\n\n`), url).toBe(true)
    // There it stands two folders higher.
    const at = everything.body.indexOf(`\n\n${body.trim().replaceAll('](../../', '](./')}`, from)
    expect(at, `${url} behind those before it`).toBeGreaterThanOrEqual(from)
    from = at
    for (const [, link = ''] of body.matchAll(/\]\(([^)\s]+)\)/g))
      links.add(/^(#|https?:)/.test(link) ? '' : toPath(link, path))
  }
  const local = [...links].filter((link) => link !== '')
  expect(local.length).toBeGreaterThan(20)
  for (const link of local) {
    expect((await api.get(link)).statusCode, link).toBe(200)
  }
})

test('it is Markdown, compressed for who takes that, and answered without a body to who has it', async () => {
  const plain = await api.get('/llms.txt')
  expect(plain.statusCode).toBe(200)
  expect(plain.headers).toMatchObject({
    'content-type': 'text/markdown; charset=utf-8',
    'cache-control': 'public, no-cache',
    etag: expect.stringMatching(/^".+"$/),
  })
  const packed = await api.get('/llms.txt', { 'accept-encoding': 'br' })
  expect(packed.headers['content-encoding']).toBe('br')
  expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2)
  const known = await api.get('/llms.txt', { 'if-none-match': String(plain.headers.etag) })
  expect(known).toMatchObject({ statusCode: 304, body: '' })
})

test('it tells of what is served, where it is served', async () => {
  await using other = await startTestApp(
    { SURFACES: 'public', PUBLIC_BASE_URL: 'https://api.example/v2' },
    api.database,
  )
  const operations = itemsOf('Operations', (await other.get('/llms.txt')).body)
  expect(operations.map(({ name }) => name)).not.toContain('GET /users/profile')
  expect(operations.map(({ url }) => url)).toContain('https://api.example/v2/campaigns')
})
