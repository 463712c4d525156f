import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'

const root = join(import.meta.dirname, '../../src')

/** Functions, views and triggers as the database has them. */
const definitionsSql = `select proname as name, pg_get_functiondef(oid) as definition from pg_proc
  where pronamespace = 'public'::regnamespace and prokind = 'f'
    and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
  union all
  select viewname, definition from pg_views where schemaname = 'public'
  union all
  select tgname || ' on ' || tgrelid::regclass, pg_get_triggerdef(pg_trigger.oid) || ' -- ' || tgenabled::text
  from pg_trigger join pg_class on pg_class.oid = tgrelid and relnamespace = 'public'::regnamespace
  where not tgisinternal
  order by name, definition`

/**
 * What the sources define: a function or view in a file of its name, or those of a read model in one file, and its triggers in
 * another. Triggers come last: they call functions.
 */
async function readSources() {
  const functions = await readdir(join(root, 'database/functions'))
  const readModels = await readdir(join(root, 'read-models'), { recursive: true })
  const files = [
    ...functions.filter((file) => file.endsWith('.sql')).map((file) => `database/functions/${file}`),
    ...['functions.sql', 'triggers.sql'].flatMap((name) =>
      readModels.filter((file) => file.endsWith(name)).map((file) => `read-models/${file}`),
    ),
  ]
  return Promise.all(files.map(async (file) => ({ file, sql: await readFile(join(root, file), 'utf8') })))
}

const functionsIn = (sql: string) =>
  [...sql.matchAll(/^create or replace (?:function|view) (\w+)/gm)].map(([, name]) => String(name))
const triggersIn = (sql: string) =>
  [...sql.matchAll(/^create or replace trigger (\w+)[^;]*? on (\w+)/gm)].map(([, name, table]) => `${name} on ${table}`)

test('each function, view and trigger has one source, and the migrations leave it as that has it', async () => {
  await using database = await createTestDatabase()
  const sources = await readSources()
  const client = new pg.Client(database.url)
  await client.connect()
  try {
    const migrated = (await client.query<{ name: string }>(definitionsSql)).rows
    expect(sources.flatMap(({ sql }) => [...functionsIn(sql), ...triggersIn(sql)]).sort()).toEqual(
      migrated.map(({ name }) => name).sort(),
    )
    for (const { file, sql } of sources) {
      if (file.startsWith('database/')) expect(file).toBe(`database/functions/${functionsIn(sql).join()}.sql`)
      await client.query(sql)
      expect((await client.query(definitionsSql)).rows, file).toEqual(migrated)
    }
  } finally {
    await client.end()
  }
})
