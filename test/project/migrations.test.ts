import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/database/client.ts'
import { isSchemaCurrent, migrateDatabase } from '../../src/database/migrations.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { CLI } from '../setup/processes.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

test('the migrations make exactly the tables that the source describes', async () => {
  // drizzle-kit takes paths below the folder it runs in only.
  const folder = await mkdtemp(join(root, 'node_modules/.migrations-'))
  try {
    await cp(join(root, 'migrations'), folder, { recursive: true })
    const before = await readdir(folder)
    const { stdout } = await run(
      process.execPath,
      [
        join(root, 'node_modules/drizzle-kit/bin.cjs'),
        'generate',
        ...['--dialect', 'postgresql', '--casing', 'snake_case'],
        ...['--schema', './src/{database/tables/*,read-models/*/tables}.ts'],
        ...['--out', `./node_modules/${folder.split('/').at(-1)}`],
      ],
      { cwd: root },
    )
    expect(stdout).toContain('No schema changes')
    expect(await readdir(folder)).toEqual(before)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('every migration has a name, and stands in the journal in order', async () => {
  const journal: { entries: { idx: number; tag: string; when: number }[] } = JSON.parse(
    await readFile(join(root, 'migrations/meta/_journal.json'), 'utf8'),
  )
  const files = (await readdir(join(root, 'migrations'))).filter((file) => file.endsWith('.sql')).sort()
  expect(journal.entries.map(({ tag }) => `${tag}.sql`)).toEqual(files)
  expect(journal.entries.map(({ idx }) => idx)).toEqual(files.map((_, index) => index))
  expect(journal.entries.map(({ when }) => when)).toEqual(journal.entries.map(({ when }) => when).sort((a, b) => a - b))
  for (const file of files) expect(file).toMatch(/^[0-9]{4}_[a-z]+(-[a-z]+)+\.sql$/)
})

test('several processes may migrate an empty database at once', async () => {
  await using database = await createTestDatabase()
  await empty(database)
  const processes = [1, 2, 3].map(() =>
    run(process.execPath, [CLI, 'migrate'], {
      cwd: root,
      // biome-ignore lint/style/noProcessEnv: the child needs what this process has, and the database of this test.
      env: { ...process.env, DATABASE_URL: database.url },
    }),
  )
  for (const { stdout } of await Promise.all(processes)) expect(stdout).toMatch(/^the schema is current; /)
  const journal: { entries: unknown[] } = JSON.parse(
    await readFile(join(root, 'migrations/meta/_journal.json'), 'utf8'),
  )
  const applied = await database.query('select id from drizzle.__drizzle_migrations')
  expect(applied).toHaveLength(journal.entries.length)
})

test('many connections may migrate at once, and doing so again changes nothing', async () => {
  await using database = await createTestDatabase()
  await empty(database)
  await Promise.all(Array.from({ length: 8 }, () => migrateDatabase(database.url)))
  const applied = await database.query('select * from drizzle.__drizzle_migrations')
  await migrateDatabase(database.url)
  expect(await database.query('select * from drizzle.__drizzle_migrations')).toEqual(applied)
})

test('a schema is current once all migrations are applied, and not before', async () => {
  await using database = await createTestDatabase()
  const opened = openDatabase({
    url: database.url,
    poolSize: 1,
    connectionTimeoutMs: 5000,
    statementTimeoutMs: 5000,
    onIdleError: () => undefined,
  })
  try {
    expect(await isSchemaCurrent(opened.database)).toBe(true)
    await database.query('update drizzle.__drizzle_migrations set created_at = created_at + 1')
    expect(await isSchemaCurrent(opened.database), 'a newer version has migrated').toBe(true)
    await database.query('update drizzle.__drizzle_migrations set created_at = created_at - 2')
    expect(await isSchemaCurrent(opened.database), 'the last migration is missing').toBe(false)
    await empty(database)
    expect(await isSchemaCurrent(opened.database), 'there is nothing at all').toBe(false)
  } finally {
    await opened.close()
  }
})

const empty = (database: TestDatabase) =>
  database.query('drop schema if exists drizzle cascade; drop schema public cascade; create schema public')
