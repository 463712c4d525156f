import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'

const root = join(import.meta.dirname, '../../src')

/** Functions and views as the database has them. */
const definitionsSql = `select proname as name, pg_get_functiondef(oid) as definition from pg_proc
  where pronamespace = 'public'::regnamespace and prokind = 'f'
    and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
  union all
  select viewname, definition from pg_views where schemaname = 'public'
  order by name, definition`

/** What the sources define: a function or view in a file of its name, or those of a read model in one file. */
async function readSources() {
  const functions = await readdir(join(root, 'database/functions'))
  const readModels = await readdir(join(root, 'read-models'), { recursive: true })
  const files = [
    ...functions.filter((file) => file.endsWith('.sql')).map((file) => `database/functions/${file}`),
    ...readModels.filter((file) => file.endsWith('functions.sql')).map((file) => `read-models/${file}`),
  ]
  return Promise.all(files.map(async (file) => ({ file, sql: await readFile(join(root, file), 'utf8') })))
}

const namesIn = (sql: string) =>
  [...sql.matchAll(/^create or replace (?:function|view) (\w+)/gm)].map(([, name]) => String(name))

test('each function has one source, and the migrations leave it as that has it', async () => {
  await using database = await createTestDatabase()
  const sources = await readSources()
  const client = new pg.Client(database.url)
  await client.connect()
  try {
    const migrated = (await client.query<{ name: string }>(definitionsSql)).rows
    expect(sources.flatMap(({ sql }) => namesIn(sql)).sort()).toEqual(migrated.map(({ name }) => name).sort())
    for (const { file, sql } of sources) {
      if (file.startsWith('database/')) expect(file).toBe(`database/functions/${namesIn(sql).join()}.sql`)
      await client.query(sql)
      expect((await client.query(definitionsSql)).rows, file).toEqual(migrated)
    }
  } finally {
    await client.end()
  }
})
