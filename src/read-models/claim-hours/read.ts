import { type SQL, sql } from 'drizzle-orm'

/** The key of all campaigns together. */
export const ALL_CAMPAIGNS = 0

const range = sql`${sql.placeholder('sinceBefore')}::bigint, ${sql.placeholder('since')}::bigint,
  ${sql.placeholder('until')}::bigint, ${sql.placeholder('seconds')}::integer`

/**
 * Claims of a campaign in (since, until], in Unix seconds, by intervals, of which only those with any are there: `place`, its position from 0,
 * `claim_count`, `amount_usd`, `unvalued_count` and `claimant_count`. Those in (sinceBefore, since] are an interval at position
 * -1, without claimants. Of the placeholders `sinceBefore`, `since`, `until` and `seconds`, the length of an interval; the last
 * one may be shorter. Reads each claim; of all campaigns in more than 31 days whole hours, without claimants.
 */
export const claimsByInterval = (campaignKey: SQL) => sql`claims_by_interval(${campaignKey}, ${range})`
