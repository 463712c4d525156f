import type { Settings } from '../config.ts'
import { migrateDatabase } from '../database/migrations.ts'
import { openDatabaseAccess } from './database-access.ts'

/** `migrate`: brings the schema of the database up to date. */
export async function migrate(settings: Settings) {
  const access = await openDatabaseAccess(settings)
  try {
    await migrateDatabase(access.url)
    process.stdout.write('the schema is current\n')
  } finally {
    await access.close()
  }
}
