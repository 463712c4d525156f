import { type SQL, sql } from 'drizzle-orm'

/** The key of all campaigns together. */
export const ALL_CAMPAIGNS = 0

const range = sql`${sql.placeholder('sinceBefore')}::bigint, ${sql.placeholder('since')}::bigint,
  ${sql.placeholder('until')}::bigint, ${sql.placeholder('seconds')}::integer`

/**
 * Claims of a campaign in (since, until], in Unix seconds, by intervals, of which only those with any are there: `place` from 0,
 * `claim_count`, `amount_usd`, `unvalued_count` and `claimant_count`, which is null of all campaigns together. Those in
 * (sinceBefore, since] are an interval at the place -1. Of the placeholders `sinceBefore`, `since`, `until` and `seconds`, the
 * length of an interval. Of a popular campaign reads a row for an hour, and its claims for their claimants.
 */
export const claimsByInterval = (campaignKey: SQL) => sql`claims_by_interval(${campaignKey}, ${range})`

/**
 * The same for hours, days or weeks of the clock: in [since, until), and at -1 in [sinceBefore, since). Of a popular campaign,
 * and of all, reads a row for an interval.
 */
export const claimsByClock = (campaignKey: SQL) => sql`claims_by_clock(${campaignKey}, ${range})`

/** A Monday. */
const FIRST_WEEK = 345_600

/** When the interval of the clock begins that a second is in. */
export const startOfInterval = (instant: number, seconds: number) =>
  Math.floor((instant - FIRST_WEEK) / seconds) * seconds + FIRST_WEEK
