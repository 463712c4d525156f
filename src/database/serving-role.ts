import type pg from 'pg'
import { OperatorError } from '../operator-error.ts'

/** The role for `serve` does not exist, or has too many rights; the message says which. */
class ServingRoleError extends OperatorError {
  override readonly name = 'ServingRoleError'
}

/** The schemas of everything that is served, and the functions that serve it. */
export const SERVING_SCHEMAS = ['public', 'drizzle'] as const

/** Functions that do for the serving role what it may not do itself. */
export const SERVING_FUNCTIONS = ['advance_claim_windows(integer, integer)', 'drop_changes(interval, integer)'] as const

const schemas = SERVING_SCHEMAS.join(', ')

/** Functions of ours that may write, by PostgreSQL's own rule. */
const WRITING_FUNCTIONS = `select oid::regprocedure::text as signature from pg_proc
  where pronamespace = 'public'::regnamespace and provolatile = 'v' and prokind = 'f'
    and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`

/** @throws ServingRoleError if there is no such role, or it may act as the owner of the tables, as a superuser may. */
export async function requireServingRole(client: pg.Client, role: string) {
  const name = client.escapeIdentifier(role)
  // Looked up by its name: to `grant`, some names are no roles (none), or all of them (public).
  const { rows } = await client.query<{ isOwner: boolean }>(
    `select pg_has_role(roles.oid, coalesce(
        (select relowner from pg_class where oid = to_regclass('credentials')), current_user::regrole::oid
      ), 'member') as "isOwner"
    from pg_roles roles where roles.rolname = $1`,
    [role],
  )
  if (rows[0] === undefined) {
    throw new ServingRoleError(
      `there is no role ${name} in the database: create it first (create role … login password …)`,
    )
  }
  if (rows[0].isOwner)
    throw new ServingRoleError(`the role ${name} may act as the owner of the tables: serve with another one`)
}

/** The current serving roles: only they may record when a credential was used, and nothing else about it. */
export async function findServingRoles(client: pg.Client) {
  const { rows } = await client.query<{ name: string }>(
    `select distinct rolname as name
    from pg_attribute cross join aclexplode(attacl) granted join pg_roles on pg_roles.oid = grantee
    where attrelid = to_regclass('credentials') and attname = 'last_used_at' and privilege_type = 'UPDATE'
    order by rolname`,
  )
  return rows.map(({ name }) => name)
}

/** Grants a role what `serve` needs of the current schema, in the current transaction; revokes nothing. */
export async function grantReading(client: pg.Client, role: string) {
  const name = client.escapeIdentifier(role)
  const { rows } = await client.query<{ functions: string[]; hasCredentials: boolean }>(
    `select to_regclass('credentials') is not null as "hasCredentials",
      array(select name from unnest($1::text[]) name where to_regprocedure(name) is not null) as functions`,
    [SERVING_FUNCTIONS],
  )
  const { functions = [], hasCredentials = false } = rows[0] ?? {}
  await client.query(
    [
      `grant usage on schema ${schemas} to ${name}`,
      `grant select on all tables in schema ${schemas} to ${name}`,
      ...(hasCredentials ? [`grant update (last_used_at) on credentials to ${name}`] : []),
      ...functions.map((signature) => `grant execute on function ${signature} to ${name}`),
    ].join('; '),
  )
}

/**
 * Leaves a role only the rights on our tables and schemas that `serve` needs: it reads, and records when a credential was
 * used. What changes with the clock is changed by a function (see advance_claim_windows).
 * Migrations and imports need the role that owns the tables.
 */
export async function revokeOtherRights(client: pg.Client, role: string) {
  const name = client.escapeIdentifier(role)
  await client.query('begin')
  try {
    await client.query(
      `revoke all on all tables in schema ${schemas} from ${name};
      revoke all on all sequences in schema ${schemas} from ${name};
      revoke all on schema ${schemas} from ${name}`,
    )
    await revokeWritingFunctions(client, `public, ${name}`)
    await grantReading(client, role)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/**
 * Revokes the right to call any function that writes from these roles: PostgreSQL grants new functions to everybody. A
 * function that is not declared volatile cannot write.
 */
export async function revokeWritingFunctions(client: pg.Client, roles: string) {
  const { rows } = await client.query<{ signature: string }>(WRITING_FUNCTIONS)
  if (rows.length === 0) return
  await client.query(`revoke execute on function ${rows.map(({ signature }) => signature).join(', ')} from ${roles}`)
}
