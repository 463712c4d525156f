import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../setup/database.ts'

const root = join(import.meta.dirname, '../../..')
const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')

test.each(['docs/architecture.md', 'docs/code-tour.md'])('%s names files and folders that there are', (document) => {
  const named = readFileSync(join(root, document), 'utf8').matchAll(
    /\b(?:packages\/[\w-]+\/)?(?:src|test)\/[\w./-]*[\w/]/g,
  )
  const paths = [...named].map(([path]) => path)
  expect(paths.length).toBeGreaterThan(20)
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('what is named in the table of derived figures is a table, a column or a function of the database', async () => {
  await using database = await createTestDatabase()
  const rows = await database.query(
    `select table_name as name from information_schema.columns where table_schema = 'public'
    union select column_name from information_schema.columns where table_schema = 'public'
    union select proname from pg_proc where pronamespace = 'public'::regnamespace`,
  )
  const known = new Set(rows.map(({ name }) => String(name)))
  const table = text.split('\n').filter((line) => line.startsWith('| '))
  const names = table.flatMap((line) => [...line.matchAll(/`(\w+)`/g)].map(([, name]) => String(name)))
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name) => !known.has(name))).toEqual([])
})

/** Most files of each way: more than a newcomer keeps in mind. */
const MAX_FILES: Record<string, number> = {
  'A filter of the list': 12,
  Trending: 12,
  'What an account can claim': 12,
  'A claim from a chain': 22,
  'Why a response is never stale': 8,
}

test.each(Object.entries(MAX_FILES))('the way of %s leads from file to file, %i at most', (title, maxFiles) => {
  const section = text.split(`### ${title}\n`)[1]?.split(/^##/m)[0] ?? ''
  const files = [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => String(file))
  expect(files.length).toBeGreaterThan(3)
  expect(files.length).toBeLessThanOrEqual(maxFiles)
  const sources = files.map((file) => readFileSync(join(root, file), 'utf8'))
  const names = (user: string | undefined, file: string) =>
    user?.includes(`/${basename(file)}'`) || (file.endsWith('.sql') && user?.includes(`${basename(file, '.sql')}(`))
  /** Whether another file of the way is in its folder, imports it or calls its function, or is imported by it. */
  const isConnected = (file: string, index: number) =>
    files.some(
      (other, place) =>
        place !== index &&
        (dirname(other) === dirname(file) || names(sources[place], file) || names(sources[index], other)),
    )
  expect(files.filter((file, index) => !isConnected(file, index))).toEqual([])
})

/** The functions of the database, with what they do. */
const functions = new Map(
  readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .flatMap((file) => readFileSync(join(root, 'src', file), 'utf8').split(/^create or replace /m))
    .flatMap((source): [string, string][] => {
      const name = /^function (\w+)/.exec(source)?.[1]
      return name === undefined ? [] : [[name, source]]
    }),
)

/** The functions that a text calls, and those that they call. */
function calledBy(text: string, found = new Set<string>()) {
  for (const [name, source] of functions) {
    if (found.has(name) || !new RegExp(`\\b${name}\\(`).test(text)) continue
    found.add(name)
    calledBy(source, found)
  }
  return found
}

test.each(['A filter of the list', 'Trending', 'What an account can claim'])(
  'the way of %s names each function of the database that its files call',
  (title) => {
    const section = text.split(`### ${title}\n`)[1]?.split(/^##/m)[0] ?? ''
    const files = [...section.matchAll(/^\d+\. `([^`]+\.ts)`/gm)].map(([, file]) =>
      readFileSync(join(root, String(file)), 'utf8'),
    )
    expect(files.length).toBeGreaterThan(3)
    const called = [...calledBy(files.join('\n'))]
    // No file on the way of a filter calls one itself; the section names those of what stands beside it.
    expect(called.length > 0).toBe(title !== 'A filter of the list')
    expect(called.filter((name) => !section.includes(`\`${name}\``) && !section.includes(`/${name}.sql\``))).toEqual([])
  },
)

/** Folders of the code, but the first: what is in that one is told by the architecture. */
const folders = ['src', 'packages/strict-http/src']
  .flatMap((top) => readdirSync(join(root, top), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map((entry) => join(entry.parentPath, entry.name))

test('each folder says in a few lines what is in it, and has few files', () => {
  expect(folders.length).toBeGreaterThan(30)
  for (const folder of folders) {
    const names = readdirSync(folder)
    const readme = readFileSync(join(folder, 'README.md'), 'utf8')
    expect(readme.split('\n').filter((line) => line !== '').length, folder).toBeLessThanOrEqual(15)
    expect(names.filter((name) => name.endsWith('.ts')).length, folder).toBeLessThanOrEqual(12)
  }
})

test('files that the README of a folder names are there', () => {
  const paths = ['src', 'packages/strict-http/src', 'test'].flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: 'utf8' }).map((file) => `/${top}/${file}`),
  )
  const named = folders.flatMap((folder) =>
    [...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/`([\w./-]+\.(?:ts|sql))`/g)].map(([, name]) => ({
      folder,
      name,
    })),
  )
  expect(named.length).toBeGreaterThan(100)
  expect(named.filter(({ name }) => !paths.some((path) => path.endsWith(`/${name}`)))).toEqual([])
})
