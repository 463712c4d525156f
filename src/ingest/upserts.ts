import type { RecordType } from './records.ts'
import { stagingName } from './staging.ts'

/** Inserts the rows of `source`, or brings those up to date that differ. */
export function upsert(table: string, identity: string[], columns: string[], source: string) {
  const others = columns.filter((column) => !identity.includes(column))
  const all = [...identity, ...others]
  const target = others.map((column) => `target.${column}`).join(', ')
  const excluded = others.map((column) => `excluded.${column}`).join(', ')
  return `insert into ${table} as target (${all.join(', ')})
    select ${all.join(', ')} from (${source}) source
    on conflict (${identity.join(', ')}) do update
    set ${others.map((column) => `${column} = excluded.${column}`).join(', ')}
    where (${target}) is distinct from (${excluded})`
}

/** The same of all records of a type. */
export const plainUpsert = (type: RecordType, table: string, identity: string[], columns: string[]) =>
  upsert(table, identity, columns, `select * from ${stagingName(type)}`)
