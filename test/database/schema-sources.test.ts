import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { expect, test } from 'vitest'
import { changeSchema } from '../../src/database/apply-migration.ts'
import {
  applySources,
  compareSources,
  readSchemaSources,
  type StoredObject,
  storedObjects,
} from '../../src/database/schema-sources.ts'
import { rebuild } from '../../src/ingest/rebuild.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

async function withClientOf<T>({ url }: TestDatabase, use: (client: pg.Client) => Promise<T>) {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

const differencesIn = (database: TestDatabase) =>
  withClientOf(database, async (client) =>
    compareSources((await client.query<StoredObject>(storedObjects)).rows).map(
      ({ source, state }) => `${source.kind} ${source.name} ${state}`,
    ),
  )

const apply = (database: TestDatabase) =>
  withClientOf(database, async (client) => {
    let applied: string[] = []
    await changeSchema(
      client,
      { name: 'sources', statements: [] },
      {
        onBlocked: () => undefined,
        beforeCommit: async () => {
          applied = await applySources(client)
        },
      },
    )
    return applied
  })

test('each function, view and trigger has one source, and a migrated database has those of the sources and no others', async () => {
  await using database = await createTestDatabase()
  const names = readSchemaSources().map(({ kind, name }) => `${kind} ${name}`)
  expect(new Set(readSchemaSources().map(({ name }) => name)).size).toBe(names.length)
  const { rows } = await withClientOf(database, (client) => client.query<StoredObject>(storedObjects))
  expect(rows.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual(names.sort())
  for (const { file, name, kind } of readSchemaSources()) {
    if (file.startsWith('database/functions/') && kind === 'function')
      expect(file).toBe(`database/functions/${name}.sql`)
  }
  expect(await differencesIn(database)).toEqual([])
  expect(await apply(database)).toEqual([])
})

test('each object that is dropped by hand is found, and applied again', async () => {
  await using database = await createTestDatabase()
  for (const { kind, name } of readSchemaSources()) {
    // Others may need it.
    await database.query(`drop ${kind} if exists ${name} cascade`)
    expect(await differencesIn(database), name).toContain(`${kind} ${name} missing`)
    // Columns and indexes that went with it are not its business.
    if (kind === 'function' && /^(fold_case|score_bucket|word_(form|starts))$/.test(name)) continue
    expect(await apply(database), name).toContain(`${kind} ${name}`)
    expect(await differencesIn(database), name).toEqual([])
  }
}, 240_000)

test.each([
  [
    'a body',
    'create or replace function words_query(search text) returns tsquery language sql as $$ select null::tsquery $$',
  ],
  ['a trigger that is disabled', 'alter table claims disable trigger bump_data_version'],
  ['a function that was never applied from a source', `delete from schema_sources where name = 'words_query'`],
  [
    'an owner',
    (role: string) =>
      `create role ${role}; grant create on schema public to ${role}; alter function words_query owner to ${role}`,
  ],
])('%s that differs is found, and rebuild restores it', async (_, defect) => {
  await using database = await createTestDatabase()
  const role = `test_${randomBytes(8).toString('hex')}`
  await database.query(typeof defect === 'string' ? defect : defect(role))
  expect(await differencesIn(database)).toEqual([
    expect.stringMatching(/^(function words_query|trigger bump_data_version on claims) different$/),
  ])
  if (typeof defect !== 'string')
    await database.query(
      `alter function words_query(text) owner to current_user; drop owned by ${role}; drop role ${role}`,
    )
  await rebuild(database.url, { isOwnSchema: true, log: () => undefined })
  expect(await differencesIn(database)).toEqual([])
})

test('objects that were made anew from what the server prints, as by a restore, are those of the sources', async () => {
  await using database = await createTestDatabase()
  const triggers = await database.query(
    `select format('drop trigger %I on %s', tgname, tgrelid::regclass) as drop, pg_get_triggerdef(pg_trigger.oid) as create
    from pg_trigger join pg_class on pg_class.oid = tgrelid
    where relnamespace = 'public'::regnamespace and not tgisinternal`,
  )
  expect(triggers.length).toBeGreaterThan(10)
  for (const trigger of triggers) await database.query(`${trigger.drop}; ${trigger.create}`)
  const functions = await database.query(
    `select pg_get_functiondef(oid) as create from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f'
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`,
  )
  for (const each of functions) await database.query(String(each.create))
  expect(await differencesIn(database)).toEqual([])
})

test('a function or view of others is left alone', async () => {
  await using database = await createTestDatabase()
  await database.query(
    'create function of_others() returns integer language sql as $$ select 1 $$; create view theirs as select 1 as one',
  )
  expect(await apply(database)).toEqual([])
  await database.query('drop view counted_claim_hours cascade')
  expect((await apply(database)).length).toBeGreaterThan(0)
  expect(await database.query('select of_others() + one as two from theirs')).toEqual([{ two: 2 }])
})
