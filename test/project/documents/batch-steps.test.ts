import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { batchParts } from '../../../src/ingest/batch-steps.ts'
import { revaluePages } from '../../../src/ingest/merge/revalue-claims.ts'
import { staging } from '../../../src/ingest/staging/staged-batches.ts'
import { withdrawRemoved } from '../../../src/ingest/staging/staging.ts'
import { workingTableNames } from '../../../src/ingest/staging/temp-tables.ts'
import { root, withLines } from '../../setup/documents/documents.ts'

const PAGE = 'docs/batch-steps.md'

const readModels = readdirSync(join(root, 'src/read-models'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `src/read-models/${name}`)
const sources = ['src/ingest/merge', ...readModels].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ folder, file: `${folder}/${file}`, text: readFileSync(join(root, folder, file), 'utf8') })),
)

/** The file that exports a part of the steps. */
function sourceOf(part: string) {
  const source = sources.find(({ text }) => new RegExp(`^export const ${part}\\b`, 'm').test(text))
  if (source === undefined) throw new Error(`no file exports ${part}`)
  return source
}

const WRITES = /\b(insert into|merge into|delete from|(?<!do |then |for |matched )update)\s+(?!set\b)(\w+)/g
const isWorking = (table: string) => workingTableNames.includes(table)

/** What a statement reads, fills, writes and stores, by its text. */
function tablesOf(sql: string) {
  const writes = [...sql.matchAll(WRITES)].map(([, action, table]) => ({ action, table: String(table) }))
  const written = [...new Set(writes.map(({ table }) => table))]
  const filled = writes.flatMap(({ action, table }) => (action === 'insert into' ? [table] : []))
  const sources = sql.replaceAll(/\binsert into\s+\w+/g, '')
  return {
    reads: workingTableNames.filter((name) => new RegExp(`\\b${name}\\b`).test(sources)),
    fills: filled.filter(isWorking),
    writes: written.filter(isWorking),
    stores: written.filter((table) => !isWorking(table)),
  }
}

const steps = Object.entries(batchParts).flatMap(([part, statements], index) =>
  statements.map(({ appliesTo, sql }, nth) => ({
    part,
    number: statements.length === 1 ? String(index + 1) : `${index + 1}.${nth + 1}`,
    appliesTo,
    ...sourceOf(part),
    ...tablesOf(sql),
  })),
)

const named = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

test('the page lists each statement of a batch, and each working table with who fills and reads it', async () => {
  const ofStep = steps.map(({ number, part, file, appliesTo, reads, writes, stores }) =>
    ['', number, `[${part}](../${file})`, appliesTo.join(', '), named(reads), named(writes), named(stores), ''].join(
      ' | ',
    ),
  )
  const ofTable = workingTableNames.map((table) => {
    const partsThat = (use: 'fills' | 'reads') => [
      ...new Set(steps.flatMap((step) => (step[use].includes(table) ? [step.part] : []))),
    ]
    return `| \`${table}\` | ${partsThat('fills').join(', ')} | ${partsThat('reads').join(', ')} |`
  })
  const lines = [
    ...['| | part | kinds | reads | writes | stores |', '| --- | --- | --- | --- | --- | --- |'],
    ...ofStep.map((line) => line.trim()),
    ...['', '| working table | filled by the part | read by |', '| --- | --- | --- |', ...ofTable],
  ]
  await expect(withLines(PAGE, 'tables', lines)).toMatchFileSnapshot(join(root, PAGE))
})

test('a statement reads and writes what its text says', () => {
  expect(
    tablesOf(`with gone as (delete from claims using withdrawn_claim returning 1)
      insert into claim_deltas select * from gone join touched_campaigns on true
      on conflict (key) do update set amount = 1`),
  ).toEqual({
    reads: ['touched_campaigns', 'withdrawn_claim'].sort(),
    fills: ['claim_deltas'],
    writes: ['claim_deltas'],
    stores: ['claims'],
  })
})

/** `staged_campaign` also gets stored campaigns whose metadata changes; everything that stores facts adds to `pending_changes`. */
const FILLED_BY_SEVERAL = ['pending_changes', 'staged_campaign']

test('each working table is filled by one part of the code, and read', () => {
  const staged = [...staging.map(({ table }) => table), ...withdrawRemoved.flatMap(({ sql }) => tablesOf(sql).fills)]
  const revalued = revaluePages.flatMap((sql) => tablesOf(sql).fills)
  const filled = [
    ...staged.map((table) => ({ table, folder: 'src/ingest/staging' })),
    ...revalued.map((table) => ({ table, folder: 'src/ingest/merge' })),
    ...steps.flatMap(({ folder, fills }) => fills.map((table) => ({ table, folder }))),
  ]
  const foldersOf = (table: string) => [...new Set(filled.flatMap((one) => (one.table === table ? [one.folder] : [])))]
  expect(workingTableNames.filter((table) => foldersOf(table).length === 0)).toEqual([])
  expect(workingTableNames.filter((table) => foldersOf(table).length > 1).sort()).toEqual(FILLED_BY_SEVERAL)
})
