import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as catalogue from 'reward-campaigns-strict-http/request/errors/errors'
import { toFunctionSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { resolveReferences } from '../../../packages/example-requests/src/resolve-references.ts'
import * as ownCatalogue from '../../../src/http/service-errors.ts'
import { recordSchemas } from '../../../src/ingest/records.ts'
import { rewardFields } from '../../../src/schemas/campaigns/account-eligibility.ts'
import { incentiveTypes } from '../../../src/schemas/campaigns/incentives.ts'
import { guides, README, readDocument, root } from '../../setup/documents/documents.ts'

/*
 * What the guides list is what there is.
 */

interface OpenApiDocument {
  paths: Record<string, { get: { responses: Record<string, { content?: { 'application/json'?: Examples } }> } }>
}
interface Examples {
  examples?: Record<string, { value: { error?: string } }>
}

/** The rows of all tables of a guide, as the texts of their cells. */
const rowsOf = (guide: string) =>
  readDocument(`docs/guides/${guide}`)
    .lines.filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '))

const codeIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

describe('the guide on errors', () => {
  const document: OpenApiDocument = resolveReferences(JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')))
  const failures = Object.values(document.paths).flatMap(({ get }) =>
    Object.entries(get.responses).flatMap(([status, { content }]) =>
      Object.values(content?.['application/json']?.examples ?? {}).flatMap(({ value }) =>
        value.error === undefined ? [] : [{ status, sentence: value.error }],
      ),
    ),
  )
  const rows = rowsOf('errors.md')

  test('has every status that an operation can answer, and says what to do', () => {
    const statuses = new Set(Object.values(document.paths).flatMap(({ get }) => Object.keys(get.responses)))
    const { lines } = readDocument('docs/guides/errors.md')
    const reported = new Set(lines.flatMap((line) => /^\*\*(\d{3})\*\*/.exec(line)?.[1] ?? []))
    // A 304 is no failure; a 408 comes before it is known what the request is, 406, 413 and 415 are for messages to /mcp.
    const failures = [...statuses].filter((status) => status !== '200' && status !== '304')
    expect([...reported].sort()).toEqual([...failures, '406', '408', '413', '415'].sort())
  })

  test('has every sentence, but for those that name a parameter', () => {
    const ofCatalogue = Object.values({ ...catalogue, ...ownCatalogue })
      .map((Failure) => new Failure('%s' as never, '%s' as never))
      .map(({ message, statusCode }) => ({
        status: String(statusCode),
        sentence: message.replace('NaN', '1').replace(/( %s)+$/, ''),
      }))
      // What is worded where it is thrown, and what nobody reads.
      .filter(({ sentence, status }) => sentence !== '%s' && status !== '499')
    expect(ofCatalogue.length).toBeGreaterThan(8)
    const patterns = rows.flatMap(([status, cell]) =>
      codeIn(cell).map((code) => {
        const sentence = code.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.+')
        return { status, pattern: new RegExp(`^${sentence}$`) }
      }),
    )
    for (const { status, sentence } of [...ofCatalogue, ...failures.filter((failure) => failure.status !== '400')]) {
      const isReported = patterns.some((reported) => reported.status === status && reported.pattern.test(sentence))
      expect(isReported, `${status}: ${sentence}`).toBe(true)
    }
  })
})

test('the guide on amounts shows what each kind of incentive pays', () => {
  const { blocks } = readDocument('docs/guides/amounts.md')
  const printed = blocks.filter(({ language }) => language === 'text').flatMap(({ text }) => text.split('\n'))
  const kinds = printed.flatMap((line) => /^(\w+Incentive(?:V2)?): \S/.exec(line)?.[1] ?? [])
  expect(kinds.sort()).toEqual([...incentiveTypes].sort())
  const inTable = rowsOf('amounts.md').flatMap(([first = '']) => {
    const [name = '', suffix] = codeIn(first)
    return suffix === undefined ? [name] : [name, suffix.replace('…', name)]
  })
  expect(inTable.filter((name) => name.includes('Incentive')).sort()).toEqual([...incentiveTypes].sort())
})

describe('the guide on states of a reward', () => {
  const rows = rowsOf('reward-states.md')
  const { schemas } = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')).components

  test('says of each verdict, reason and amount once what to show, and what never to promise', () => {
    const described = rows.filter((row) => row.length === 3 && row.every((cell) => cell.trim() !== ''))
    const keys = described.flatMap(([first]) => codeIn(first))
    const states: string[] = [...schemas.Verdict.enum, ...schemas.ClaimReasonCode.enum]
    expect(keys.sort()).toEqual([...states, ...Object.keys(rewardFields), 'claimableUsd'].sort())
  })

  test('names the errors of contracts by the selectors that they have', () => {
    const errors = rows.map((row) => row.slice(0, 2).map((cell) => codeIn(cell)[0] ?? ''))
    const named = errors.filter(([data = '']) => data.startsWith('0x'))
    expect(named).toHaveLength(8)
    for (const [data, error = ''] of named) expect(toFunctionSelector(error), error).toBe(data)
  })
})

/** What the first sentence of a guide begins with: a reader sees at once what to do with it. */
const VERBS = new Set([
  ...['Back', 'Check', 'Collect', 'Copy', 'Deploy', 'Encrypt', 'Feed', 'Handle', 'Import', 'Index', 'Let', 'Move'],
  ...[
    'Prepare',
    'Read',
    'Receive',
    'Replace',
    'Request',
    'Revalidate',
    'Run',
    'Send',
    'Serve',
    'Set',
    'Show',
    'Size',
    'Start',
  ],
  ...['Stay', 'Stop', 'Use', 'Watch'],
])

test('every guide has a place in the order of reading, and begins with a title and a verb', () => {
  const names = readdirSync(join(root, 'docs/guides'), { recursive: true, encoding: 'utf8' })
  expect(guides.map(({ path }) => path).sort()).toEqual(names.map((name) => `docs/guides/${name}`).sort())
  for (const { path, lines } of guides) {
    expect(lines[0], path).toMatch(/^# \S/)
    const [verb = '', object] = lines[2]?.split(' ') ?? []
    expect(VERBS.has(verb), `${path}: ${verb}`).toBe(true)
    expect(object, path).toMatch(/^[a-z]/)
  }
})

test('the README leads to twelve guides by what a reader wants, names the Node.js that it needs, and installs the client of this version', () => {
  const links = README.lines.flatMap((line) => /^\| .+ \| \[.+\]\((docs\/guides\/.+\.md)\) \|$/.exec(line)?.[1] ?? [])
  expect(new Set(links).size).toBe(12)
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(README.lines).toContain(`With Node.js ${engines.node.replace('>=', '')} or newer:`)
  const { version } = JSON.parse(readFileSync(join(root, 'packages/client/package.json'), 'utf8'))
  for (const { path, lines } of [README, readDocument('packages/client/README.md')]) {
    const archives = lines.flatMap((line) => /\S*\.tgz/.exec(line)?.[0] ?? [])
    expect(archives, path).toEqual([`/tmp/reward-campaigns-client-${version}.tgz`])
  }
})

test('the README has at most 150 lines, and each page that the guide to production leads to at most 800 words', () => {
  expect(README.lines.length - 1).toBeLessThanOrEqual(150)
  const { lines } = readDocument('docs/guides/production.md')
  const pages = new Set(
    lines.flatMap((line) => [...line.matchAll(/^\|.*\]\(([a-z-]+\.md)/g)].map(([, page = '']) => page)),
  )
  expect(pages.size).toBeGreaterThan(10)
  for (const page of ['production.md', ...pages]) {
    const words = readDocument(`docs/guides/${page}`).lines.join(' ').split(/\s+/)
    expect(words.length, page).toBeLessThanOrEqual(800)
  }
})

test('the guide for those who come from another API names operations that there are', () => {
  const document: OpenApiDocument = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'))
  const items = readDocument('docs/guides/migrating.md').lines.filter((line) => line.startsWith('- **`GET '))
  // Theirs are bold.
  const named = items
    .flatMap((item) => codeIn(item.replaceAll(/\*\*.*?\*\*/g, '')))
    .flatMap((code) => /^GET ([^?]+)/.exec(code)?.[1] ?? [])
  expect(items.length).toBeGreaterThan(12)
  expect(named.length).toBeGreaterThan(12)
  expect(named.filter((path) => document.paths[path] === undefined)).toEqual([])
})

test('the guide on importing has every record with the keys that it needs', () => {
  const reported = rowsOf('importing.md').map(([type, keys]) => [codeIn(type)[0], codeIn(keys)])
  const expected = Object.entries(recordSchemas).map(([type, schema]) => [
    type,
    (schema.required ?? []).filter((key: string) => key !== 'type').sort(),
  ])
  expect(expected.length).toBeGreaterThan(8)
  const sorted = reported.map(([type, keys]) => [type, Array.isArray(keys) ? [...keys].sort() : keys])
  expect(Object.fromEntries(sorted.filter(([type]) => type !== undefined && type !== 'type'))).toEqual(
    Object.fromEntries(expected),
  )
})
