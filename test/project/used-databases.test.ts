import { expect, test } from 'vitest'
import { copyTemplate, createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anErc20Incentive, aToken } from '../setup/records.ts'

/** All rows of all tables, and the counters. */
async function everythingIn({ query }: TestDatabase) {
  const tables = await query(
    "select oid::regclass::text as name from pg_class where relkind = 'r' and relpersistence = 'p' and oid >= 16384 order by 1",
  )
  const rows = await Promise.all(
    tables.map(async ({ name }) => [name, await query(`select data::text from ${name} data order by 1`)]),
  )
  return [...rows, await query('select sequencename, last_value from pg_sequences order by 1')]
}

/** Where it was: the next test gets what was left last. */
async function useAndLeave(use: (database: TestDatabase) => Promise<unknown>) {
  await using database = await createTestDatabase()
  await use(database)
  return database.url
}

test('a database that a test has filled is as a fresh copy for the next one', async () => {
  await using copy = await copyTemplate()
  const url = await useAndLeave(async ({ save }) => {
    const token = aToken()
    const campaign = aCampaign({ incentives: [anErc20Incentive(token.address)] })
    await save?.(token, campaign, aClaim(campaign))
  })
  await using database = await createTestDatabase()
  expect(database.url).toBe(url)
  expect(await everythingIn(database)).toEqual(await everythingIn(copy))
})

test.each([
  'alter table campaigns add column more text',
  'create or replace function revise_data() returns void language plpgsql as $$ begin return; end $$',
  'alter table claims disable trigger data_is_revised',
  'grant select on claims to public',
  'analyze data_revisions',
  `do $$ begin execute format('alter database %I set jit = off', current_database()); end $$`,
])('one that is left after %s is dropped', async (alter) => {
  const url = await useAndLeave(({ query }) => query(alter))
  await using database = await createTestDatabase()
  expect(database.url).not.toBe(url)
  const left = `select from pg_database where datname = '${new URL(url).pathname.slice(1)}'`
  expect(await database.query(left)).toEqual([])
})
