import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import type { Database } from './client.ts'

const MIGRATIONS_FOLDER = join(import.meta.dirname, '../../migrations')

/** Advisory lock that a migrating process holds: several may start at once, one migrates. */
const MIGRATION_LOCK = 7_201_002

/** Brings the schema up to date; does nothing where it is. Safe with many processes at once. */
export async function migrateDatabase(url: string) {
  const client = new pg.Client({ connectionString: url, application_name: 'reward-campaigns migrate' })
  await client.connect()
  try {
    await client.query('set client_min_messages = warning')
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS_FOLDER })
  } finally {
    await client.end()
  }
}

/** Whether every migration of this version has been applied. Newer ones do not matter. */
export async function isSchemaCurrent(database: Database): Promise<boolean> {
  const known = await database.execute<{ exists: boolean }>(
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as "exists"`,
  )
  if (known.rows[0]?.exists !== true) return false
  const applied = await database.execute<{ last: string | null }>(
    sql`select max(created_at) as last from drizzle.__drizzle_migrations`,
  )
  const newest = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).at(-1)?.folderMillis ?? 0
  return Number(applied.rows[0]?.last ?? 0) >= newest
}
