import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { generateSample } from 'reward-campaigns-sample-data'
import { expect, test } from 'vitest'
import { revokeOtherRights } from '../../src/database/serving-role.ts'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'
import { repeated } from '../setup/repetitions.ts'
import { readDuring } from '../setup/requests/reading-load.ts'
import { makeNextVersion, NEXT_MIGRATION } from '../setup/servers/next-version.ts'
import { runCli, startCli } from '../setup/servers/processes.ts'
import { issueToken } from '../setup/tokens.ts'

const read = async (url: string) => {
  const response = await fetch(url)
  return { status: response.status, body: await response.json() }
}

/** As a migration of a later version: it changes tables, and makes an index in the background. */
const migration = `-- blocks reading: tokens
-- blocks writing: claims
DROP INDEX CONCURRENTLY IF EXISTS "claims_by_amount";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "claims_by_amount" ON "claims" USING btree ("amount");--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "website" text;--> statement-breakpoint
CREATE INDEX "claims_by_hash" ON "claims" USING btree ("tx_hash");`

/** Another text of a function, with another parameter, and one that is new. */
const functions = {
  'database/functions/words_query.sql': (text: string) =>
    `${text.replace('words_query(search text)', "words_query(search text, beginning text default '')").replace('word_form(search)', 'word_form(beginning || search)')}`,
  'read-models/prices/functions.sql': (text: string) =>
    `${text.trimEnd()}\n\ncreate or replace function new_function()\nreturns integer\nlanguage sql immutable\nas $$ select 1 $$;\n`,
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

/** What a service reads and writes. */
const QUERIES = [
  'select id, campaign_name, start_at, end_at from campaigns order by block_timestamp desc limit 20',
  'select type, asset, definition, remaining_budget from incentives order by campaign_key desc limit 50',
  'select count(*), sum(amount_usd) from claims where block_timestamp > extract(epoch from now()) - 3600',
  'select owner, type from allow_lists order by campaign_key limit 50',
  'select symbol, price_usd from tokens limit 50',
  "select key from campaigns where word_starts(campaign_name) @@ words_query('word')",
  'update credentials set last_used_at = now()',
]

/** What is stored besides. */
const SAMPLE = repeated({ campaigns: 20, claims: 100 }, { campaigns: 10_000, claims: 30_000 })

/** How long somebody's transaction stays open after the migration has begun to wait for it. */
const OPEN_MS = 1500

test('who serves waits less than a second, while a migration and functions are applied beside an open reader and an open writer', {
  timeout: 300_000,
}, async () => {
  await using database = await createTestDatabase()
  const role = `test_${randomBytes(8).toString('hex')}`
  await database.query(`create role ${role} login password '${role}'`)
  await issueToken({ database }, { userId: 'user' })
  const campaigns = Array.from({ length: 200 }, () => aCampaign({ incentives: [anErc20Incentive(anAddress('token'))] }))
  await database.save?.(aToken(), ...campaigns, ...campaigns.map((campaign) => aClaim(campaign)))
  await importRecords(database.url, [toRecordSource('sample', generateSample({ ...SAMPLE, seed: 5, now: new Date() }))])
  await using next = await makeNextVersion({ migration, sources: functions })
  const url = Object.assign(new URL(database.url), { username: role, password: role }).href
  try {
    const [reader, writer] = [database.url, database.url].map((url) => new pg.Client(url)) as [pg.Client, pg.Client]
    await Promise.all([reader.connect(), writer.connect()])
    await revokeOtherRights(writer, role)
    // As `pg_dump` and an import hold them.
    await reader.query('begin isolation level repeatable read')
    for (const { tablename } of await database.query("select tablename from pg_tables where schemaname = 'public'")) {
      await reader.query(`lock table ${tablename} in access share mode`)
    }
    await writer.query(
      'begin; update campaigns set owner = owner; update claims set amount_usd = amount_usd; update tokens set symbol = symbol',
    )
    const seen = await readDuring(url, QUERIES, async () => {
      await using migrating = next.start(['migrate'], { DATABASE_URL: database.url })
      await sleep(OPEN_MS)
      // The index in the background waits for these without a word.
      await writer.query('commit')
      await reader.query('commit; begin; lock table tokens in access share mode')
      await migrating.said(/(waits for other transactions)/)
      await sleep(OPEN_MS)
      await reader.query('rollback')
      const { code, stdout, stderr } = await migrating.ended
      expect({ code, stdout }, stderr).toEqual({
        code: 0,
        stdout: 'the schema is current; 1 migration and 2 functions, views and triggers were applied\n',
      })
      // What was begun on the new schema belongs to it.
      await sleep(500)
    })
    await Promise.all([reader.end(), writer.end()])
    expect(seen.failures.slice(0, 3)).toEqual([])
    expect(seen.asked).toBeGreaterThan(100)
    expect(seen.slowest.ms, seen.slowest.sql).toBeLessThan(1000)
    const unreadable = await database.query(
      `select relname from pg_class where relkind in ('r', 'v') and relnamespace = 'public'::regnamespace
        and not has_table_privilege($1, oid, 'select')`,
      [role],
    )
    expect(unreadable).toEqual([])
  } finally {
    await database.query(`drop owned by ${role}; drop role ${role}`)
  }
})
