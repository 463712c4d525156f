import type { StagedType } from '../records.ts'
import { stagingName } from '../staging/staging.ts'

/* How staged records become rows: all of a type in one statement, and an unchanged record writes nothing. */

/** Inserts the rows of `source`, or updates those that differ. */
export function upsert(table: string, identity: string[], columns: string[], source: string) {
  const all = [...identity, ...columns]
  const target = columns.map((column) => `target.${column}`).join(', ')
  const excluded = columns.map((column) => `excluded.${column}`).join(', ')
  return `insert into ${table} as target (${all.join(', ')})
    select ${all.join(', ')} from (${source}) source
    on conflict (${identity.join(', ')}) do update
    set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}
    where (${target}) is distinct from (${excluded})`
}

/** The same for all records of a type, whose staged columns have the same names. */
export const upsertRecords = (type: StagedType, table: string, identity: string[], columns: string[]) =>
  upsert(table, identity, columns, `select * from ${stagingName(type)} where is_removed is null`)

export const removeRecords = (type: StagedType, table: string, identity: string[]) =>
  `delete from ${table} stored using ${stagingName(type)} removed
    where is_removed and ${identity.map((column) => `stored.${column} = removed.${column}`).join(' and ')}`
