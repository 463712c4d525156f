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

/**
 * After a large write: updates statistics and the visibility map at once. Tables that somebody else is vacuuming, or has
 * locked for long, are skipped.
 */
export async function vacuum(client: pg.Client, tables: readonly string[]) {
  if (tables.length > 0) await client.query(`vacuum (analyze, skip_locked) ${tables.join(', ')}`)
}

/**
 * The same on a separate connection, while the caller writes more. If it fails, autovacuum does it later.
 * @returns what closes the connection: the database completes what it has begun.
 */
export function vacuumInBackground(url: string, tables: readonly string[]) {
  const connecting = connectForBatches(url, 'reward-campaigns vacuum', { pipeline: false })
  const end = async () => (await connecting).end()
  // All is written: nothing depends on it.
  const leave = () => end().catch(() => undefined)
  void connecting.then((client) => vacuum(client, tables)).then(leave, leave)
  return leave
}
