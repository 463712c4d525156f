import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, test } from 'vitest'
import { applyMigration } from '../../src/database/apply-migration.ts'
import { openPool } from '../../src/database/connection/pool.ts'
import { migrateDatabase } from '../../src/database/migrate-database.ts'
import { schemaObjects } from '../../src/database/schema-objects.ts'
import { functionsOfTables } from '../../src/database/schema-sources.ts'
import { compareSchema, readMigrations } from '../../src/database/schema-version.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { CLI } from '../setup/servers/processes.ts'

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
        ...['--schema', './src/{database/tables/**/*,read-models/*/tables}.ts'],
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
  const opened = openPool({
    url: database.url,
    poolSize: 1,
    connectionTimeoutMs: 5000,
    statementTimeoutMs: 5000,
    onIdleError: () => undefined,
  })
  try {
    expect(await compareSchema(opened.database)).toBe('current')
    await database.query('update drizzle.__drizzle_migrations set created_at = created_at + 1')
    expect(await compareSchema(opened.database), 'a newer version has migrated').toBe('newer')
    await database.query('update drizzle.__drizzle_migrations set created_at = created_at - 2')
    expect(await compareSchema(opened.database), 'the last migration is missing').toBe('behind')
    await database.query('update drizzle.__drizzle_migrations set created_at = created_at + 1')
    const [source] = await database.query(
      `update schema_sources set source_hash = 'another' where name = 'words_query' returning version`,
    )
    expect(await compareSchema(opened.database), 'another function').toBe('behind')
    await database.query(`update schema_sources set version = '2.0.10' where name = 'words_query'`)
    expect(source).toEqual({ version: '2.0.0' })
    expect(await compareSchema(opened.database), 'the function of a newer version').toBe('newer')
    await empty(database)
    expect(await compareSchema(opened.database), 'there is nothing at all').toBe('behind')
  } finally {
    await opened.close()
  }
})

/** What a migration under way keeps others from, of what was there before it. */
const locksSql = `
  select kind, array_agg(distinct name::text order by name::text) as names
  from (
    select case mode when 'AccessExclusiveLock' then 'reading' else 'writing' end as kind, relation::regclass::text as name
    from pg_locks join pg_class on pg_class.oid = relation
    where pid = pg_backend_pid() and relkind in ('r', 'v') and relation = any ($1::oid[])
      and mode in ('AccessExclusiveLock', 'ExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock')
    union all
    select 'writing', 'imports' from pg_locks where pid = pg_backend_pid() and locktype = 'advisory' and objid = 7201001
  ) locks
  group by kind`

test('doctor and rebuild know the indexes and constraints that the migrations make', async () => {
  await using database = await createTestDatabase()
  const objects = (await database.query(schemaObjects)).map(({ isValid, ...object }) => {
    expect(isValid, String(object.name)).toBe(true)
    return object
  })
  // Where they have changed, `npm run generate` writes them down.
  await expect(`${JSON.stringify(objects, null, 2)}\n`).toMatchFileSnapshot('../../migrations/meta/_schema.json')
})

/** Applies migrations to an empty database. Returns the locks that each takes, by its name. */
async function measureLocks(database: TestDatabase, migrations: ReturnType<typeof readMigrations>) {
  const locks: Record<string, { blocksReading: string[]; blocksWriting: string[] }> = {}
  const there = async () =>
    (await database.query("select oid::text from pg_class where relnamespace = to_regnamespace('public')")).map(
      ({ oid }) => oid,
    )
  const client = new pg.Client(database.url)
  await client.connect()
  try {
    await client.query(`create schema drizzle;
      create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`)
    for (const [index, migration] of migrations.entries()) {
      const statements = [...(index === 0 ? functionsOfTables() : []), ...migration.statements]
      await applyMigration(
        client,
        { ...migration, statements },
        {
          onBlocked: (reason) => {
            throw new Error(reason)
          },
          async beforeCommit() {
            // On another connection: what this one has made is not there yet.
            const { rows } = await client.query<{ kind: string; names: string[] }>(locksSql, [await there()])
            const [reading = [], writing = []] = ['reading', 'writing'].map(
              (kind) => rows.find((row) => row.kind === kind)?.names,
            )
            locks[migration.name] = {
              blocksReading: reading,
              blocksWriting: writing.filter((name) => !reading.includes(name)),
            }
          },
        },
      )
    }
  } finally {
    await client.end()
  }
  return locks
}

const saidLocks = (migrations: ReturnType<typeof readMigrations>) =>
  Object.fromEntries(migrations.map(({ name, locks }) => [name, locks]))

test('a migration says in its first lines which tables it keeps others from', async () => {
  await using database = await createTestDatabase()
  await empty(database)
  const locks = await measureLocks(database, readMigrations())
  expect(locks[readMigrations()[0]?.name ?? '']).toEqual({ blocksReading: [], blocksWriting: [] })
  expect(saidLocks(readMigrations())).toEqual(locks)
})

test('the locks of a migration are measured, those of imports too', async () => {
  await using database = await createTestDatabase()
  await empty(database)
  const next = {
    name: 'next',
    hash: 'next',
    madeAt: 1e14,
    locks: { blocksReading: [], blocksWriting: [] },
    statements: [
      'select pg_advisory_xact_lock(7201001)',
      'alter table tokens add column website text',
      'create index claims_by_amount on claims (amount)',
      'create table new_table (id text primary key)',
    ],
  }
  const locks = await measureLocks(database, [...readMigrations(), next])
  expect(locks.next).toEqual({ blocksReading: ['tokens'], blocksWriting: ['claims', 'imports'] })
})

const empty = (database: TestDatabase) =>
  database.query('drop schema if exists drizzle cascade; drop schema public cascade; create schema public')
