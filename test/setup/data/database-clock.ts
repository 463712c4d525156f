import type { TestDatabase } from '../database.ts'

/** Sets the clock that functions of the database read: of those whose search path begins with `test_clock`. */
export async function setDatabaseClock(database: TestDatabase, seconds: number) {
  await database.query('create schema if not exists test_clock')
  await database.query(
    `create or replace function test_clock.clock_timestamp() returns timestamptz language sql
    as 'select to_timestamp(${seconds})'`,
  )
}
