import pg from 'pg'
import { applyMigration, type Migration } from '../../../src/database/apply-migration.ts'
import { readMigrations } from '../../../src/database/migrate-database.ts'

/** Makes the schema of the version that had so many migrations, in an empty database; `look` sees each before its commit. */
export async function migrateTo(
  version: number,
  url: string,
  look?: (client: pg.Client, migration: Migration) => Promise<void>,
) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`create schema drizzle;
      create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`)
    for (const migration of readMigrations().slice(0, version)) {
      await applyMigration(client, migration, {
        beforeCommit: async () => look?.(client, migration),
        onBlocked: (reason) => {
          throw new Error(reason)
        },
      })
    }
  } finally {
    await client.end()
  }
}
