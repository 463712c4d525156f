import type { TestDatabase } from '../database.ts'

/** Begins to count the claims of campaigns by hours from so few on, and those of no others. */
export async function countHoursFrom(database: TestDatabase, claims: number) {
  await database.query(
    `create or replace view popular_campaigns as
    select campaign_key from campaign_claim_totals where window_seconds = 0 and claim_count >= ${claims};
    select refresh_claim_intervals(array(select key from campaigns))`,
  )
}
