import { type SQL, sql } from 'drizzle-orm'

/** The key of all campaigns together. */
export const ALL_CAMPAIGNS = 0

const range = sql`${sql.placeholder('sinceBefore')}::bigint, ${sql.placeholder('since')}::bigint,
  ${sql.placeholder('until')}::bigint, ${sql.placeholder('seconds')}::integer`

/**
 * Claims of a campaign in (since, until], in Unix seconds, by intervals, of which only those with any are there: `place`, its position from 0,
 * `claim_count`, `amount_usd`, `unvalued_count` and `claimant_count`. Those in (sinceBefore, since] are an interval at position
 * -1, without claimants. Of the placeholders `sinceBefore`, `since`, `until` and `seconds`, the length of an interval; the last
 * one may be shorter. Of a popular campaign, and of all, reads rows
 * for intervals of the clock, and the claims around the ends of other ones.
 */
export const claimsByInterval = (campaignKey: SQL) => sql`claims_by_interval(${campaignKey}, ${range})`

/**
 * Claims of a campaign in (since, until], in Unix seconds, by incentive: `incentive_position`, `claim_count`, `amount`. Of a popular
 * campaign, reads the hours of the clock that are nearest to the range, and adds or takes away the claims between their ends and
 * those of the range.
 */
export const claimsByIncentive = (campaignKey: SQL, since: SQL, until: SQL) => sql`(
  with ends as materialized (
    select first, beyond, case when is_popular then (first + 1800) / 3600 * 3600 else beyond end as first_hour,
      case when is_popular then (beyond + 1800) / 3600 * 3600 else beyond end as beyond_hours
    from (
      select ${since} + 1 as first, ${until} + 1 as beyond,
        exists (select from incentive_claim_hours where campaign_key = ${campaignKey}) as is_popular
    ) range
  )
  select incentive_position, sum(counted.claim_count) as claim_count, sum(counted.amount) as amount
  from (
    select hours.incentive_position, hours.claim_count, hours.amount from ends
    cross join lateral (
      select incentive_position, claim_count, amount from incentive_claim_hours
      where campaign_key = ${campaignKey} and hour_start >= first_hour and hour_start < beyond_hours
      offset 0
    ) hours
    union all
    select own.incentive_position, sign, sign * own.amount from ends
    cross join lateral (values (first, first_hour), (beyond_hours, beyond)) piece (one, other)
    cross join lateral (
      select incentive_position, amount, sign(other - one)::integer as sign from claims
      where campaign_key = ${campaignKey} and block_timestamp >= least(one, other) and block_timestamp < greatest(one, other)
      offset 0
    ) own
  ) counted
  group by incentive_position having sum(counted.claim_count) > 0
)`
