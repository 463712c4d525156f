import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readDocument, root } from '../../setup/documents/documents.ts'
import { CLI } from '../../setup/servers/processes.ts'

/*
 * What docs/security.md says: that the tests which it names are there, and what no other test holds.
 */

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { lines } = readDocument('docs/security.md')

/** The lines below each heading, by its text. */
const sections = new Map(
  lines
    .join('\n')
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...below] = section.split('\n')
      return [heading, below]
    }),
)

const TOP_TEN = [
  'Broken Object Level Authorization',
  'Broken Authentication',
  'Broken Object Property Level Authorization',
  'Unrestricted Resource Consumption',
  'Broken Function Level Authorization',
  'Unrestricted Access to Sensitive Business Flows',
  'Server Side Request Forgery',
  'Security Misconfiguration',
  'Improper Inventory Management',
  'Unsafe Consumption of APIs',
]

/** The test that a line names, and whether there is one of that title: a test of its own, or a group of tests. */
function namedTest(line: string) {
  const [, path = '', link, title = ''] = /^- \[`([^`]+)`\]\(\.\.\/([^)]+)\): (.+)$/.exec(line) ?? []
  if (path !== link || !existsSync(join(root, path))) return { path, title, isThere: false }
  const literal = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return {
    path,
    title,
    isThere: new RegExp(`(?:\\b(?:test|test\\.concurrent|describe)|\\))\\(\\s*(['"\`])${literal}\\1`).test(read(path)),
  }
}

const isNaming = (line: string) => line.startsWith('- ')

test('docs/security.md has the ten items of 2023 in their order, each with a test that holds it', () => {
  const items = [...sections.keys()].filter((heading) => heading.startsWith('API'))
  expect(items).toEqual(TOP_TEN.map((name, index) => `API${index + 1}:2023 ${name}`))
  for (const item of items) {
    const reported = sections.get(item) ?? []
    expect(reported.filter(isNaming).length, item).toBeGreaterThanOrEqual(3)
    expect(reported.find((line) => /^[A-Z]/.test(line))?.length, item).toBeGreaterThan(100)
  }
})

test('every test that docs/security.md names is there', () => {
  const named = lines.filter(isNaming).map(namedTest)
  expect(named.length).toBeGreaterThan(40)
  expect(named.filter(({ isThere }) => !isThere)).toEqual([])
})

test.each([
  '- [`test/http/nothing.test.ts`](../test/http/nothing.test.ts): writes no table',
  '- [`test/http/errors.test.ts`](../test/http/errors.test.ts): writes no table',
  '- [`test/http/errors.test.ts`](../test/http/errors.test.ts): is 414 when its URL',
  '- [`test/http/errors.test.ts`](../test/http/openapi.test.ts): is 414 when its URL is too long',
  '- is 414 when its URL is too long',
])('a test that is not there is noticed: %s', (line) => {
  expect(namedTest(line).isThere).toBe(false)
})

/** Ways out of the process to another server; the database has its own. */
const WAYS_OUT =
  /\bfetch\(|\bWebSocket\b|\b(?:http|https|net|tls)\.(?:request|get|connect)\(|from '(?:node:(?:https|tls|dgram|dns)(?:\/\w+)?|undici|ws|viem)'/

test('nothing that answers requests can ask another server', () => {
  const list = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`)
  const sources = [...list('src'), ...list('packages/strict-http/src')].filter((path) =>
    /^(src\/(app\.ts|(features|http|schemas)\/.*\.ts)|packages\/.*\.ts)$/.test(path),
  )
  expect(sources.length).toBeGreaterThan(90)
  // What is in a template is text, an example of the documentation for one.
  const codeOf = (path: string) => read(path).replace(/`[^`]*`/g, '``')
  expect(sources.filter((path) => WAYS_OUT.test(codeOf(path)))).toEqual([])
  // What does ask is found.
  expect(WAYS_OUT.test(read('src/indexer/rpc/json-rpc.ts'))).toBe(true)
  expect(WAYS_OUT.test(read('src/indexer/rpc/new-heads-subscription.ts'))).toBe(true)
})

test('every package that runs in production has a licence that docs/security.md names', () => {
  const reported = sections.get('Packages')?.find((line) => line.includes('licences, none of which')) ?? ''
  const accepted = new Set([...reported.matchAll(/`([^`]+)`/g)].map(([, licence]) => licence))
  expect(
    [...accepted].filter((licence) => !/^(0BSD|Apache-2\.0|BlueOak-1\.0\.0|BSD-.*|ISC|MIT)$/.test(licence ?? '')),
  ).toEqual([])
  const { packages }: { packages: Record<string, { dev?: boolean; link?: boolean; license?: string }> } = JSON.parse(
    read('package-lock.json'),
  )
  const folder = dirname(CLI)
  const sources = readdirSync(join(root, folder)).flatMap((name): string[] =>
    name.endsWith('.js.map') ? JSON.parse(read(`${folder}/${name}`)).sources : [],
  )
  const bundled = new Set(sources.map((path) => /node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]))
  expect(bundled).toContain('node_modules/@opentelemetry/sdk-trace')
  expect(bundled).toContain('node_modules/@modelcontextprotocol/server')
  const running = Object.entries(packages).filter(
    ([path, { dev, link }]) =>
      path.startsWith('node_modules/') && (bundled.has(path) || (dev !== true && link !== true)),
  )
  expect(running.length).toBeGreaterThan(100)
  expect(
    running.filter(([, { license }]) => !accepted.has(license)).map(([path, { license }]) => [path, license]),
  ).toEqual([])
})
