import type pg from 'pg'
import { connectForBatches } from './batch-connection.ts'

/** The tables in which the current transaction has changed rows. */
export async function listWrittenTables(client: pg.Client) {
  const { rows } = await client.query<{ name: string }>(
    `select relid::regclass::text as name from pg_stat_xact_user_tables
    where n_tup_ins + n_tup_upd + n_tup_del > 0 and schemaname not like 'pg\\_temp%'`,
  )
  return rows.map(({ name }) => name)
}

/** After a large write: updates statistics and the visibility map at once. */
export async function vacuum(client: pg.Client, tables: readonly string[]) {
  if (tables.length > 0) await client.query(`vacuum (analyze) ${tables.join(', ')}`)
}

/** The same on a separate connection, while the caller writes more. If it fails, autovacuum does it later. */
export async function vacuumInBackground(url: string, tables: readonly string[]) {
  try {
    const client = await connectForBatches(url, 'reward-campaigns vacuum')
    await vacuum(client, tables).finally(() => client.end())
  } catch {
    // All is written: nothing depends on it.
  }
}
