import { openClient } from './client.ts'

/** The role that `serve` is to work with is not there, or must not be the one; the message says why. */
export class ServingRoleError extends Error {
  override readonly name = 'ServingRoleError'
}

/** Where all is that is served, and what it is served by. */
export const SERVING_SCHEMAS = ['public', 'drizzle'] as const

/** What does for the serving role what it may not do by itself. */
export const SERVING_FUNCTIONS = [
  'advance_claim_windows(integer, integer)',
  'advance_campaign_activity(integer)',
] as const

/**
 * Gives a role what `serve` needs and takes everything else on our tables and schemas away: it reads, and writes down
 * when a credential was used. That what is kept moves on with the clock is done for it (see advance_claim_windows,
 * advance_campaign_activity).
 * Migrations and imports need the role that owns the tables.
 * @throws ServingRoleError where there is no such role, or it may act as the owner of the tables, as a superuser may.
 */
export async function grantServing(url: string, role: string) {
  const client = await openClient(url, 'reward-campaigns migrate')
  const name = client.escapeIdentifier(role)
  try {
    // Asked for by its name: to `grant`, some names (public, none) are no roles, and one of them is everybody.
    const { rows } = await client.query<{ isOwner: boolean }>(
      `select pg_has_role(roles.oid, tables.relowner, 'member') as "isOwner" from pg_roles roles, pg_class tables
      where roles.rolname = $1 and tables.oid = 'credentials'::regclass`,
      [role],
    )
    if (rows[0] === undefined) {
      throw new ServingRoleError(
        `there is no role ${name} in the database: create it first (create role … login password …)`,
      )
    }
    if (rows[0].isOwner)
      throw new ServingRoleError(`the role ${name} may act as the owner of the tables: serve with another one`)
    const schemas = SERVING_SCHEMAS.join(', ')
    await client.query(`begin;
      revoke all on all tables in schema ${schemas} from ${name};
      revoke all on all sequences in schema ${schemas} from ${name};
      revoke all on schema ${schemas} from ${name};
      grant usage on schema ${schemas} to ${name};
      grant select on all tables in schema ${schemas} to ${name};
      grant update (last_used_at) on credentials to ${name};
      grant execute on function ${SERVING_FUNCTIONS.join(', ')} to ${name};
      commit`)
  } finally {
    await client.end()
  }
}
