import { SERVING_FUNCTIONS, SERVING_SCHEMAS } from '../database/serving-role.ts'
import type { Query } from '../database/snapshot.ts'
import { type Finding, failed, ok, warning } from '../schemas/check-findings.ts'

/** Rights that a role lacks to serve, and write rights that serving does not need. */
const rights = `
  with tables as (
    select oid, format('%s.%s', relnamespace::regnamespace, relname) as name, relowner, relname from pg_class
    where relkind in ('r', 'v', 'p') and relnamespace::regnamespace::text = any($2)
  )
  select array(
      select 'usage of schema ' || name from unnest($2::text[]) name where not has_schema_privilege(serving.oid, name, 'usage')
      union all
      select 'select on ' || name from tables where not has_table_privilege(serving.oid, tables.oid, 'select')
      union all
      select 'execute on ' || name from unnest($3::text[]) name where not has_function_privilege(serving.oid, name, 'execute')
      union all
      select 'update of credentials.last_used_at'
      where not has_column_privilege(serving.oid, 'credentials', 'last_used_at', 'update')
    ) as missing,
    array(
      select name from tables
      where has_table_privilege(serving.oid, tables.oid, 'insert, update, delete, truncate') order by relname <> 'campaigns', name
    ) as writable
  from pg_roles serving where serving.rolname = coalesce($1, current_user)`

/** `role`: the role that serves; null if it is the role of the connection. */
export async function examineRights(query: Query, role: string | null, isEmbedded: boolean): Promise<Finding> {
  const [row] = await query<{ missing: string[]; writable: string[] }>(rights, [
    role,
    SERVING_SCHEMAS,
    SERVING_FUNCTIONS,
  ])
  const roleName = role === null ? 'the role of DATABASE_URL' : `the role ${JSON.stringify(role)}`
  const command = `\`reward-campaigns migrate --serving-role ${role ?? 'ROLE'}\``
  if (row === undefined) return failed(`${roleName} is not there`, 'create it: create role … login password …')
  const [first, ...others] = row.missing
  if (first !== undefined) {
    return failed(
      `${roleName} lacks ${first}${others.length > 0 ? ` and ${others.length} more` : ''}`,
      `run ${command} as the owner of the tables`,
    )
  }
  if (isEmbedded) return ok('the embedded server has one role, for this machine alone')
  if (row.writable.length === 0) return ok(`${roleName} can read all served data and write none of it`)
  return warning(
    `${roleName} may write ${row.writable[0]}${row.writable.length > 1 ? ` and ${row.writable.length - 1} more` : ''}`,
    role === null
      ? `serve with a role that only reads (${command}); as the owner, check that one with --serving-role`
      : `revoke that: ${command}`,
  )
}
