import pg from 'pg'
import { expect, test } from 'vitest'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { createTestDatabase } from '../setup/database.ts'
import { anAddress, aProfile } from '../setup/records.ts'

test('a large import vacuums and analyzes the tables that it has written, and no others', async () => {
  await using database = await createTestDatabase()
  const profiles = Array.from({ length: 5000 }, (_, index) => aProfile({ userAddress: anAddress(index) }))
  await importRecords(database.url, [toRecordSource('profiles', profiles)])
  const vacuumed = () =>
    database.query(
      `select relname from pg_stat_user_tables
      where schemaname = 'public' and last_vacuum is not null and last_analyze is not null order by relname`,
    )
  // Statistics of a connection are there some time after it has ended.
  const written = ['claim_windows', 'profile_score_counts', 'profiles'].map((relname) => ({ relname }))
  await expect.poll(vacuumed, { timeout: 10_000 }).toEqual(written)
})

test('a table that somebody else has locked against it is skipped: the import ends all the same', async () => {
  await using database = await createTestDatabase()
  const other = new pg.Client({ connectionString: database.url })
  await other.connect()
  await other.query('begin; lock table profiles in share update exclusive mode')
  const profiles = Array.from({ length: 5000 }, (_, index) => aProfile({ userAddress: anAddress(index) }))
  await importRecords(database.url, [toRecordSource('profiles', profiles)])
  expect(await database.query('select count(*)::integer as count from profiles')).toEqual([{ count: 5000 }])
  await other.end()
})
