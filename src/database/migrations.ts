import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import type pg from 'pg'
import { ANSWER_TIMEOUT_MS, type Database, openClient } from './client.ts'
import { orAway, SchemaBehindError } from './failures.ts'

const MIGRATIONS_FOLDER = join(import.meta.dirname, '../../migrations')

/** Advisory lock that a migrating process holds: several may start at once, one migrates. */
const MIGRATION_LOCK = 7_201_002

/** How often it is looked whether the lock has become free. */
const LOOK_MS = 200

/**
 * Brings the schema up to date; does nothing where it is. Safe with many processes at once: one migrates, the others
 * are told so by `onWait` and wait. A migration may take as long as it takes; everything before it is bounded.
 * @returns how many migrations were applied.
 * @throws DatabaseAwayError where the server does not answer; also a DrizzleQueryError may say that it is away.
 */
export async function migrateDatabase(url: string, onWait: () => void = () => undefined) {
  const client = await openClient(url, 'reward-campaigns migrate')
  const database = drizzle(client)
  try {
    await takeLock(client, onWait)
    const before = await readApplied(database)
    await migrate(database, { migrationsFolder: MIGRATIONS_FOLDER })
    const after = await readApplied(database)
    return after.count - before.count
  } finally {
    await client.end()
  }
}

/** Asks again and again instead of once for long: so a server that has gone silent meanwhile is noticed. */
async function takeLock(client: pg.Client, onWait: () => void) {
  const question = {
    text: 'select pg_try_advisory_lock($1) as "isMine"',
    values: [MIGRATION_LOCK],
    query_timeout: ANSWER_TIMEOUT_MS,
  }
  for (let looks = 0; ; looks += 1) {
    const { rows } = await orAway(client.query<{ isMine: boolean }>(question))
    if (rows[0]?.isMine === true) return
    if (looks === 0) onWait()
    await sleep(LOOK_MS)
  }
}

/** @throws SchemaBehindError unless every migration of this version has been applied. */
export async function requireCurrentSchema(database: Database) {
  if (await isSchemaCurrent(database)) return
  throw new SchemaBehindError(
    'the schema of the database is behind this version: run `reward-campaigns migrate`, or set MIGRATE_ON_START=true for `serve`',
  )
}

/** When the newest migration of this version was made, in milliseconds since 1970. */
let newest: number | undefined

/** Newer migrations than the known ones do not matter. */
export async function isSchemaCurrent(database: Database): Promise<boolean> {
  newest ??= readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).at(-1)?.folderMillis ?? 0
  return (await readApplied(database)).last >= newest
}

/** What has been applied: how many migrations, and when the last of them was made. */
async function readApplied(database: Database) {
  const known = await database.execute<{ exists: boolean }>(
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as "exists"`,
  )
  if (known.rows[0]?.exists !== true) return { count: 0, last: 0 }
  const { rows } = await database.execute<{ count: string; last: string | null }>(
    sql`select count(*), max(created_at) as last from drizzle.__drizzle_migrations`,
  )
  return { count: Number(rows[0]?.count), last: Number(rows[0]?.last ?? 0) }
}
