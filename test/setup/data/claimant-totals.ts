import type { TestDatabase } from '../database.ts'

/** Begins to total the claims of claimants from so few on. */
export async function totalClaimantsFrom(database: TestDatabase, claims: number) {
  await database.query(
    `create or replace function busy_claimant_claims() returns integer language sql immutable parallel safe
    as 'select ${claims}';
    select refresh_claimant_totals(array(select distinct claimant from claims))`,
  )
}
