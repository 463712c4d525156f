import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import type { Database } from './client.ts'
import { connectClient } from './failures.ts'

const MIGRATIONS_FOLDER = join(import.meta.dirname, '../../migrations')

/** Advisory lock that a migrating process holds: several may start at once, one migrates. */
const MIGRATION_LOCK = 7_201_002

/** Brings the schema up to date; does nothing where it is. Safe with many processes at once. */
export async function migrateDatabase(url: string) {
  const client = new pg.Client({ connectionString: url, application_name: 'reward-campaigns migrate' })
  await connectClient(client)
  try {
    await client.query('set client_min_messages = warning')
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS_FOLDER })
  } finally {
    await client.end()
  }
}

/** A schema that nothing but a migration may work with. */
export class SchemaBehindError extends Error {
  override readonly name = 'SchemaBehindError'
}

/** @throws SchemaBehindError unless every migration of this version has been applied. */
export async function requireCurrentSchema(database: Database) {
  if (await isSchemaCurrent(database)) return
  throw new SchemaBehindError(
    'the schema of the database is behind this version: run `reward-campaigns migrate`, or set MIGRATE_ON_START=true for `serve`',
  )
}

/** Newer migrations than the known ones do not matter. */
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
