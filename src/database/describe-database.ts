import { sql } from 'drizzle-orm'
import type { Database } from './connection/open-database.ts'

/** Which database it is, for an operator: its name and the version of its server. */
export async function describeDatabase(database: Database) {
  const { rows } = await database.execute<{ name: string; version: string }>(
    sql`select current_database() as name, split_part(current_setting('server_version'), ' ', 1) as version`,
  )
  return rows.map(({ name, version }) => `${name} on PostgreSQL ${version}`).join('')
}
