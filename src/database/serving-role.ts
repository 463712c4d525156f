import { openClient } from './client.ts'

/** The role that `serve` is to work with is not there, or must not be the one; the message says why. */
export class ServingRoleError extends Error {
  override readonly name = 'ServingRoleError'
}

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
    await client.query(`begin;
      revoke all on all tables in schema public, drizzle from ${name};
      revoke all on all sequences in schema public, drizzle from ${name};
      revoke all on schema public, drizzle from ${name};
      grant usage on schema public, drizzle to ${name};
      grant select on all tables in schema public, drizzle to ${name};
      grant update (last_used_at) on credentials to ${name};
      grant execute on function advance_claim_windows(integer, integer) to ${name};
      grant execute on function advance_campaign_activity(integer) to ${name};
      commit`)
  } finally {
    await client.end()
  }
}
