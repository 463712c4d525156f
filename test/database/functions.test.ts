import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'

const folder = join(import.meta.dirname, '../../src/database/functions')

/** Functions and views as the database has them. */
const definitionsSql = `select proname as name, pg_get_functiondef(oid) as definition from pg_proc
  where pronamespace = 'public'::regnamespace and prokind = 'f'
    and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
  union all
  select viewname, definition from pg_views where schemaname = 'public'
  order by name, definition`

test('each function has a file, and the migrations leave it as its file has it', async () => {
  await using database = await createTestDatabase()
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql'))
  const client = new pg.Client(database.url)
  await client.connect()
  try {
    const migrated = (await client.query<{ name: string }>(definitionsSql)).rows
    expect(files.map((file) => basename(file, '.sql')).sort()).toEqual(migrated.map(({ name }) => name).sort())
    for (const file of files) {
      await client.query(await readFile(join(folder, file), 'utf8'))
      expect((await client.query(definitionsSql)).rows, file).toEqual(migrated)
    }
  } finally {
    await client.end()
  }
})
