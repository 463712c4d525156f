import type { Settings } from '../config.ts'
import { migrateDatabase } from '../database/migrations.ts'
import { grantServing } from '../database/serving-role.ts'
import { openDatabaseAccess } from './database-access.ts'

/** `migrate`: brings the schema of the database up to date, and lets a role read what is in it. */
export async function migrate(settings: Settings, options: { servingRole?: string }) {
  const access = await openDatabaseAccess(settings)
  try {
    await migrateDatabase(access.url)
    if (options.servingRole !== undefined) await grantServing(access.url, options.servingRole)
    process.stdout.write('the schema is current\n')
  } finally {
    await access.close()
  }
}
