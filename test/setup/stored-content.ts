import type { TestDatabase } from './database.ts'

/** Everything that is stored, but for keys, which are given anew, and the versions. */
export async function contentOf(database: TestDatabase) {
  const tables = await database.query(
    `select tablename from pg_tables where schemaname = 'public' and tablename not in ('data_revisions', 'token_versions') order by tablename`,
  )
  const content: Record<string, unknown> = {}
  for (const { tablename } of tables) {
    const rows = await database.query(
      `select (to_jsonb(data) - 'key' - 'campaign_key')::text as row, (
        select id from campaigns where key = (to_jsonb(data) ->> 'campaign_key')::bigint) as id from ${tablename} data`,
    )
    // Numbers are compared as numbers: a sum may have zeros at its end that the same sum made otherwise has not.
    content[String(tablename)] = rows.map(({ row, id }) => `${id} ${JSON.stringify(JSON.parse(String(row)))}`).sort()
  }
  return content
}
