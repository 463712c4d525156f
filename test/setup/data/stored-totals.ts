import { expect } from 'vitest'
import type { TestDatabase } from '../database.ts'
import { setDatabaseClock } from './database-clock.ts'

/**
 * Sets the clock by which the database moves its kept totals on, and has it do so at once. A response depends on neither;
 * it is what was kept, and what came and went since or until then.
 */
export async function storeTotalsOf(database: TestDatabase, seconds: number) {
  await setDatabaseClock(database, seconds)
  await database.query('alter function advance_claim_windows set search_path = test_clock, pg_catalog, public, pg_temp')
  expect(await database.query('select advance_claim_windows() as moved')).toEqual([{ moved: true }])
  expect(await database.query('select distinct as_of from claim_windows where window_seconds > 0')).toEqual([
    { as_of: String(seconds) },
  ])
}
