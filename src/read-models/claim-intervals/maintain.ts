import { type Sample, within } from '../../database/find-data-differences.ts'
import { populating, type Step, stepsFor } from '../steps.ts'

/** Working tables: claims that follow one another, which have come or gone, and a row where a batch has too many for that. */
export const intervalTables = {
  following_claims: 'campaign_key bigint, earlier bigint, later bigint, change integer',
  many_claim_changes: 'is_many boolean',
}

/** From so many changes of claims on, their weeks are counted anew. */
const MANY_CHANGES = 20_000

/** Repeats are claims less than so long after another one; the longest is a week. */
const GAPS = { '1h': 3600, '4h': 14_400, '1d': 86_400, '1w': 604_800 }

/**
 * What a batch changes in claims, for all campaigns and for one that has intervals. Whether it has some is the next key in the
 * index: for `exists` the planner could read all intervals for each claim.
 */
const countedChanges = `claim_changes changes
  join lateral (select 0::bigint as key union all select changes.campaign_key) counted
    on counted.key = 0
      or counted.key = (select min(stored.campaign_key) from claim_intervals stored where stored.campaign_key >= counted.key)`

/** The intervals in which an instant is. */
const intervalsOf = (key: string, instant: string) =>
  `join unnest(array[60, 3600, 86400, 604800]) width on ${key} = 0 or width > 60
  cross join lateral (select ${instant} - mod(${instant} + 259200, width) as start) starting`

/**
 * Claims of a claimant in a time range, as `of` says. Compared, and ordered, as rows, so that whatever the statistics say, only
 * the index that begins with these columns is used.
 */
const claimsWithin = (
  { row, own, others = '' }: { row: string[]; own: string; others?: string },
  [above, below]: [above: string, below: string],
  order?: 'asc' | 'desc',
) => `(select ${order ? 'block_timestamp' : 'count(*)'} from claims
  where (${row}) > (${own}, ${above}) and (${row}) < (${own}, ${below}) ${others}
  ${order ? `order by ${row.map((column) => `${column} ${order}`)} limit 1` : ''})`

/** At the instant how many there are, and the nearest before and after. */
const neighbours = (
  of: Parameters<typeof claimsWithin>[0],
) => `${claimsWithin(of, ['instant - 1', 'instant + 1'])} as stored,
  ${claimsWithin(of, [`instant - ${GAPS['1w']}`, 'instant'], 'desc')} as earlier,
  ${claimsWithin(of, ['instant', `instant + ${GAPS['1w']}`], 'asc')} as later`

const nextChain = (rest: string) =>
  `(select min(chain_id) from claims where claims.claimant = changed.claimant ${rest})`

/** Of all campaigns chain by chain, of those that the claimant has claims on; of one campaign incentive by incentive. */
const perChainOrIncentive = `
  with recursive claimed_on (chain) as (
    select ${nextChain('')} where changed.campaign_key = 0
    union all
    select ${nextChain('and chain_id > chain')} from claimed_on where chain is not null
  )
  select ${neighbours({ row: ['claims.claimant', 'chain_id', 'block_timestamp'], own: 'changed.claimant, chain' })}
  from claimed_on where chain is not null
  union all
  select ${neighbours({
    row: ['claims.claimant', 'block_timestamp'],
    own: 'changed.claimant',
    others: 'and claims.campaign_key = incentives.campaign_key and incentive_position = position',
  })}
  from incentives where incentives.campaign_key = changed.campaign_key`

/**
 * Before the claims are stored. Of each claimant the instants at which claims change, and those of the claims before and after:
 * which claims follow one another there now, and which will. Claims at the same instant follow one another too.
 */
const noteFollowing = `with changed as materialized (
    select counted.key as campaign_key, claimant, block_timestamp as instant, sum(direction) as change
    from ${countedChanges}
    where not exists (select from many_claim_changes)
    group by counted.key, claimant, block_timestamp
  ), found as materialized (
    select changed.*, near.* from changed cross join lateral (
      select coalesce(sum(stored), 0) as stored, max(earlier) as earlier, min(later) as later from (${perChainOrIncentive}) every
    ) near
  ), instants as (
    -- One that does not change itself has a claim before and after.
    select campaign_key, claimant, instant, coalesce(max(stored), 1) as before, coalesce(max(stored + change), 1) as after
    from (
      select campaign_key, claimant, instant, stored, change from found
      union all
      select campaign_key, claimant, near, null, null from found cross join unnest(array[earlier, later]) near
      where near is not null
    ) every
    group by campaign_key, claimant, instant
  )
  insert into following_claims
  select campaign_key, earlier, later, sum(change) from (
    select campaign_key, instant as earlier, instant as later, greatest(after, 1) - greatest(before, 1) as change from instants
    union all
    select campaign_key, lag(instant) over own, instant, -1 from instants where before > 0
    window own as (partition by campaign_key, claimant order by instant)
    union all
    select campaign_key, lag(instant) over own, instant, 1 from instants where after > 0
    window own as (partition by campaign_key, claimant order by instant)
  ) pairs
  where later - earlier < ${GAPS['1w']}
  group by campaign_key, earlier, later having sum(change) <> 0`

const appliesTo = ['claim', 'withdrawnClaim'] as const

export const noteFollowingClaims: Step[] = [
  {
    appliesTo,
    isForLarge: true,
    populates: 'many_claim_changes',
    sql: `insert into many_claim_changes
      select true where ${MANY_CHANGES} < (select count(*) from (select from claim_changes limit ${MANY_CHANGES + 1}) few)`,
  },
  ...stepsFor(appliesTo, populating('following_claims', noteFollowing)),
]

const gaps = Object.keys(GAPS)
const columns = ['claim_count', 'amount_usd', 'unvalued_count', ...gaps.map((gap) => `repeats_${gap}`)]
const allColumns = [...columns, ...gaps.map((gap) => `followed_${gap}`)]
const sums = allColumns.map((column) => `sum(${column}) as ${column}`)
const pairs = Object.values(GAPS).map((seconds) => `change * (later - earlier < ${seconds})::integer`)
const none = gaps.map(() => '0')

/** By `claim_changes`, which is what a batch changes in claims. Campaigns that become popular by it have no intervals yet. */
const changeByDifference = `merge into claim_intervals totals
  using (
    select campaign_key, width, start, ${sums}
    from (
      select counted.key as campaign_key, width, start, direction as claim_count,
        direction * coalesce(amount_usd, 0) as amount_usd,
        direction * (amount_usd is null and is_value_derived)::integer as unvalued_count,
        ${[...gaps.map((gap) => `0 as repeats_${gap}`), ...gaps.map((gap) => `0 as followed_${gap}`)]}
      from ${countedChanges} ${intervalsOf('counted.key', 'block_timestamp')}
      union all
      select campaign_key, width, start, 0, 0, 0, ${[...pairs, ...none]}
      from following_claims ${intervalsOf('campaign_key', 'later')}
      union all
      select campaign_key, width, start, 0, 0, 0, ${[...none, ...pairs]}
      from following_claims ${intervalsOf('campaign_key', 'earlier')}
    ) differences
    where not exists (select from many_claim_changes) group by campaign_key, width, start
  ) changes
  on totals.campaign_key = changes.campaign_key and interval_seconds = width and interval_start = start
  when matched and totals.claim_count + changes.claim_count = 0 then delete
  when matched and (${allColumns.map((column) => `changes.${column}`)}) <> (${allColumns.map(() => '0')}) then update
    set ${allColumns.map((column) => `${column} = totals.${column} + changes.${column}`)}
  when not matched and changes.claim_count > 0 then insert
    values (changes.campaign_key, changes.width, changes.start, ${allColumns.map((column) => `changes.${column}`)})`

/** What was claimed of each incentive, by hours: sums alone, so by the difference however many changes there are. */
const changeIncentiveHours = `merge into incentive_claim_hours totals
  using (
    select key as campaign_key, block_timestamp - mod(block_timestamp, 3600) as start, incentive_position as position,
      sum(direction) as claim_count, sum(direction * amount) as amount
    from ${countedChanges} where counted.key <> 0 group by 1, 2, 3
  ) changes
  on totals.campaign_key = changes.campaign_key and hour_start = start and incentive_position = position
  when matched and totals.claim_count + changes.claim_count = 0 then delete
  when matched then update
    set claim_count = totals.claim_count + changes.claim_count, amount = totals.amount + changes.amount
  when not matched and changes.claim_count > 0 then insert
    values (changes.campaign_key, start, position, changes.claim_count, changes.amount)`

/**
 * Of many changes: the weeks from the first to the last of them, and one before and after, in which claims may follow them, of
 * the campaigns that have intervals, and of all.
 */
const weeks = `select min(start) - 604800 as since, max(start) + 1209600 as until, array_agg(distinct counted.key) as keys
  from ${countedChanges} ${intervalsOf('0', 'block_timestamp')}
  where width = 604800 and exists (select from many_claim_changes)`
const recountWeeks = [
  `delete from claim_intervals totals using (${weeks}) changed
  where totals.campaign_key = any (keys) and interval_start >= since and interval_start < until`,
  `insert into claim_intervals
  select counted.* from (${weeks}) changed cross join lateral counted_claim_intervals(keys, since, until) counted`,
]

/** After the totals of campaigns, which say who is popular: intervals change, come where a campaign has become popular, and go. */
export const changeClaimIntervals: Step[] = [
  ...stepsFor(appliesTo, changeIncentiveHours, changeByDifference),
  ...recountWeeks.map((sql): Step => ({ appliesTo, isForLarge: true, sql })),
  ...stepsFor(appliesTo, 'select refresh_claim_intervals(array(select distinct campaign_key from counted_changes))'),
]

const keys = (sample: Sample) =>
  sample === null ? `array(select campaign_key from popular_campaigns) || 0::bigint` : '$1::bigint[]'

/** Intervals of campaigns, and hours of incentives, that are not what is counted, or are missing, or should not be there. */
export const differingClaimIntervals = (sample: Sample) => `
  select coalesce((select id from campaigns where key = campaign_key), 'all campaigns') || ', '
    || to_timestamp(interval_start) at time zone 'UTC' || ', ' || interval_seconds || ' seconds' as what
  from counted_claim_intervals(${keys(sample)}, 0, 253402300800) due
  full join (select * from claim_intervals where ${within(sample, 'campaign_key')}) stored
    using (campaign_key, interval_seconds, interval_start)
  where stored is distinct from due
  union all
  select (select id from campaigns where key = campaign_key) || ', incentive ' || incentive_position || ', '
    || to_timestamp(hour_start) at time zone 'UTC'
  from (
    select campaign_key, block_timestamp - mod(block_timestamp, 3600) as hour_start, incentive_position,
      count(*) as claim_count, sum(amount) as amount
    from claims join popular_campaigns using (campaign_key)
    where ${within(sample, 'campaign_key')} group by 1, 2, 3
  ) due
  full join (select * from incentive_claim_hours where ${within(sample, 'campaign_key')}) stored
    using (campaign_key, hour_start, incentive_position)
  where stored is distinct from due`
