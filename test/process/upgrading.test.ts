import { expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { nextFunctions as functions, nextMigration as migration } from '../setup/servers/next-changes.ts'
import { makeNextVersion, NEXT_MIGRATION } from '../setup/servers/next-version.ts'
import { runCli, startCli } from '../setup/servers/processes.ts'

const read = async (url: string) => {
  const response = await fetch(url)
  return { status: response.status, body: await response.json() }
}

const schemaOf = (database: TestDatabase) =>
  database.query(
    `select 'relation' as kind, relname::text as name, oid::text, '' as text from pg_class where relnamespace = 'public'::regnamespace
    union all select 'function', proname, oid::text, prosrc from pg_proc where pronamespace = 'public'::regnamespace
    union all select 'migration', hash, id::text, '' from drizzle.__drizzle_migrations order by 1, 3`,
  )

test('a function that changed is applied by migrate without a migration: the new version waits for it, and the old one goes on', async () => {
  await using database = await createTestDatabase()
  const settings = { DATABASE_URL: database.url, PORT: '0' }
  await using next = await makeNextVersion({ sources: functions, version: '2.1.0' })
  await using service = startCli(['serve'], settings)
  const url = await service.ready()
  const refused = await next.run(['serve'], settings)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('run `reward-campaigns migrate`') })
  expect(await next.run(['migrate', '--dry-run'], settings)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^functions, views and triggers +- +-$/m),
  })

  expect(await next.run(['migrate'], settings)).toMatchObject({
    code: 0,
    stdout: 'the schema is current; 2 functions, views and triggers were applied\n',
  })
  expect(await database.query('select new_function() as one')).toEqual([{ one: 1 }])
  expect(
    await database.query(
      `select pg_get_function_arguments(oid) as parameters from pg_proc where proname = 'words_query'`,
    ),
  ).toEqual([{ parameters: "search text, beginning text DEFAULT ''::text" }])
  await using _ = next.start(['serve'], settings)
  expect((await read(`${url}/readyz`)).status).toBe(200)
  expect(await read(`${url}/campaigns?search=word`)).toMatchObject({ status: 200 })

  // The old version leaves what is newer alone.
  const before = await schemaOf(database)
  expect(await runCli(['migrate'], settings)).toMatchObject({ stdout: 'the schema is current; nothing to do\n' })
  expect(await schemaOf(database)).toEqual(before)
  // What has no source any more goes.
  await using last = await makeNextVersion({
    sources: { 'database/functions/words_query.sql': (text) => `${text}\n` },
    version: '2.2.0',
  })
  expect(await last.run(['migrate'], settings)).toMatchObject({ code: 0 })
  expect(await database.query(`select from pg_proc where proname = 'new_function'`)).toEqual([])
  expect(await last.run(['doctor', '--all'], settings)).toMatchObject({
    stdout: expect.not.stringContaining('is not that of'),
  })
})

test('migrate --dry-run lists what would be applied and whom it holds up, and changes nothing', async () => {
  await using database = await createTestDatabase()
  const settings = { DATABASE_URL: database.url }
  await using next = await makeNextVersion({ migration, sources: functions })
  expect(await runCli(['migrate', '--dry-run'], settings)).toMatchObject({
    code: 0,
    stdout: 'the schema is current; nothing to do\n',
  })
  const before = await schemaOf(database)
  const { code, stdout, stderr } = await next.run(['migrate', '--dry-run'], settings)
  expect(code, stderr).toBe(0)
  const lines = stdout.split('\n')
  expect(lines[0]).toMatch(/^migration +blocksReading +blocksWriting$/)
  expect(lines[1]).toMatch(new RegExp(`^${NEXT_MIGRATION} +tokens +claims$`))
  expect(lines[2]).toMatch(/^functions, views and triggers +- +-$/)
  expect(await schemaOf(database)).toEqual(before)
})

test('a database of an unreleased version is refused in a sentence, and nothing in it is changed', async () => {
  await using database = await createTestDatabase()
  await database.query(`update drizzle.__drizzle_migrations set created_at = created_at - 1, hash = 'another'`)
  const before = await schemaOf(database)
  for (const parameters of [['migrate'], ['migrate', '--dry-run']]) {
    expect(await runCli(parameters, { DATABASE_URL: database.url })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^an unreleased version has made this database, [^\n]*import it into an empty database[^\n]*\n$/,
      ),
    })
  }
  const served = await runCli(['serve'], { DATABASE_URL: database.url, PORT: '0', MIGRATE_ON_START: 'true' })
  expect(served).toMatchObject({ code: 1, stderr: expect.stringContaining('an unreleased version') })
  expect(await schemaOf(database)).toEqual(before)
})
