import { type SQL, sql } from 'drizzle-orm'

const asked = {
  sinceBefore: sql`${sql.placeholder('sinceBefore')}::bigint`,
  since: sql`${sql.placeholder('since')}::bigint`,
  until: sql`${sql.placeholder('until')}::bigint`,
  seconds: sql`${sql.placeholder('seconds')}::integer`,
}

/**
 * Claims of a campaign in (since, until], in Unix seconds, by intervals, of which only those with any are there: `place` from 0,
 * `claim_count` and `amount_usd`. Those in (sinceBefore, since] are an interval at the place -1. Of the placeholders `sinceBefore`,
 * `since`, `until` and `seconds`, the length of an interval. Of a popular campaign reads a row for an hour, and the claims
 * of the hours in which an interval begins.
 */
export const claimsByInterval = (campaignKey: SQL) =>
  sql`claims_by_interval(${campaignKey}, ${asked.sinceBefore}, ${asked.since}, ${asked.until}, ${asked.seconds})`
