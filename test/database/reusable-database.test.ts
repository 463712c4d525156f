import { expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anAccessList, anErc20Incentive, aProfile, aToken } from '../setup/records.ts'
import { createReusableDatabase } from '../setup/reusable-database.ts'

/** All rows of all tables, and where sequences are. Epochs and versions are others each time. */
async function contentOf(database: TestDatabase) {
  const tables = await database.query(`select oid::regclass::text as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace order by name`)
  const content: Record<string, unknown> = {}
  for (const { name } of tables) {
    content[String(name)] = (
      await database.query(
        `select to_jsonb(data) - 'epoch' - 'lists_version' - 'version' as row from ${name} data order by data::text`,
      )
    ).map(({ row }) => row)
  }
  return { content, sequences: await database.query('select sequencename, last_value from pg_sequences order by 1') }
}

test('an emptied database is like a new one, but for its versions', async () => {
  await using database = await createReusableDatabase()
  await using fresh = await createTestDatabase()
  const campaign = aCampaign({ incentives: [anErc20Incentive(aToken().address)] })
  await database.save?.(campaign, aClaim(campaign), aToken(), anAccessList(), aProfile())
  const epoch = async (one: TestDatabase) => (await one.query('select epoch from data_versions'))[0]?.epoch
  expect(await database.empty()).toBe(true)
  expect(await epoch(database)).not.toBe(await epoch(fresh))
  await database.save?.(campaign)
  expect(await database.empty()).toBe(true)
  expect(await contentOf(database)).toEqual(await contentOf(fresh))
})

test.each([
  'create index on claims (amount)',
  'select 1; analyze',
  'with one as (select 1) select pg_sleep(0) from one',
  'set jit = on',
])('nobody uses a database again after %j', async (sql) => {
  await using database = await createReusableDatabase()
  await database.query('select 1; ')
  expect(await database.empty()).toBe(true)
  await database.query(sql)
  expect(await database.empty()).toBe(false)
})

test('nobody uses a database again whose address was read', async () => {
  await using database = await createReusableDatabase()
  expect(database.url).toContain('test_')
  expect(await database.empty()).toBe(false)
})
