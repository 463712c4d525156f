import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { root } from '../setup/documents/documents.ts'

/*
 * Names use the words of the field, so that a reader finds what he searches for.
 */

/** Words that no identifier of `src` and `packages` and no file has, each with what to write instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  alters: 'affects, changes',
  anew: 'again, or a verb with re-',
  answer: 'response, result',
  answers: 'responses, results',
  asked: 'requested, queried',
  asker: 'client, caller',
  asking: 'call, request',
  believed: 'confirmed',
  blank: 'empty',
  breach: 'violation',
  breaches: 'violations',
  dear: 'expensive',
  deed: 'action, operation',
  deeds: 'actions, operations',
  doubtful: 'suspect',
  fate: 'lifecycle',
  figures: 'totals, amounts, metrics',
  haste: 'forced',
  hear: 'subscribe, receive',
  heard: 'received',
  hearing: 'subscription',
  judge: 'evaluate',
  judged: 'evaluated',
  kept: 'cached, stored, retained',
  law: 'check',
  laws: 'checks',
  letting: 'releasing',
  nobody: 'none, or the thing that is missing',
  patience: 'timeout',
  question: 'query, request',
  questions: 'queries, requests',
  refigure: 'update, recompute',
  renew: 'bump, refresh',
  revise: 'bump, change',
  said: 'logged, reported, output',
  say: 'log, report',
  says: 'logs, reports',
  standing: 'status, verdict',
  stray: 'orphan',
  stretch: 'range',
  surroundings: 'context',
  tell: 'log, report, describe',
  telling: 'logging, recording',
  tells: 'logs, reports, describes',
  told: 'logged, reported, described',
  turnstile: 'pacer, queue',
  unasked: 'pending',
  untaken: 'unmatched',
  untold: 'unreported',
  vain: 'failed',
  visitor: 'client',
  whoever: 'the process or person',
  whose: 'the thing itself',
}

/** `most` is fine within a name: `findMostClaimed`. As its beginning it says what `max` says. */
const FIRST: ReadonlyMap<string, string> = new Map([['most', 'max']])

const wordsOf = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

function adviceOn(name: string): string[] {
  const words = wordsOf(name)
  const first = FIRST.get(words[0] ?? '')
  const advice = words.flatMap((word) => (Object.hasOwn(INSTEAD, word) ? [`${word}: write ${INSTEAD[word]}`] : []))
  return first === undefined ? advice : [`${words[0]}: write ${first}`, ...advice]
}

/** The identifiers of a file that have such a word, each once. */
function adviceOnIdentifiers(file: string, text: string): string[] {
  const kind = file.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, kind)
  const names = new Set<string>()
  const visit = (node: ts.Node) => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) names.add(node.text)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return [...names].flatMap((name) => adviceOn(name).map((advice) => `${file}: ${name}: ${advice}`))
}

const adviceOnFile = (file: string) => adviceOn(file.split('/').at(-1) ?? '').map((advice) => `${file}: ${advice}`)

/** What is generated. */
const EXEMPT = /^packages\/client\/src\/openapi\.ts$/

const list = (...paths: string[]) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...paths], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(root, file)))

test('no identifier of the sources has a word that the field has another one for', async () => {
  const files = list('src', 'packages').filter((file) => /\.tsx?$/.test(file) && !EXEMPT.test(file))
  expect(files.length).toBeGreaterThan(250)
  const found = await Promise.all(
    files.map(async (file) => adviceOnIdentifiers(file, await readFile(join(root, file), 'utf8'))),
  )
  expect(found.flat()).toEqual([])
})

test('no file name has a word that the field has another one for', () => {
  const files = list('src', 'packages', 'test', 'bench', 'build', 'docs/guides', 'docs/decisions')
  expect(files.length).toBeGreaterThan(500)
  expect(files.flatMap(adviceOnFile)).toEqual([])
})

test.each([
  ['const MOST_ROWS = 1', ['a.ts: MOST_ROWS: most: write max']],
  ['const { mostRows } = limits', ['a.ts: mostRows: most: write max']],
  ['export function tellReady() {}', ['a.ts: tellReady: tell: write log, report, describe']],
  ['class Journal { #toldHeads = 1 }', ['a.ts: #toldHeads: told: write logged, reported, described']],
  ['type Wait = { PATIENCE_MS: 1 }', ['a.ts: PATIENCE_MS: patience: write timeout']],
  ['class Plain { constructor() {} }', []],
  ['// told once\nconst text = "told"; const findMostClaimed = 1', []],
])('an identifier is refused where it has such a word: %s', (text, advice) => {
  expect(adviceOnIdentifiers('a.ts', text)).toEqual(advice)
})

test('a file name is refused where it has such a word', () => {
  expect(adviceOnFile('src/rpc/told-heads.ts')).toEqual([
    'src/rpc/told-heads.ts: told: write logged, reported, described',
  ])
  expect(adviceOnFile('src/rpc/new-heads.ts')).toEqual([])
})
