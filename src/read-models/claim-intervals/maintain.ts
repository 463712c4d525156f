import { type Step, stepsFor } from '../steps.ts'

/** Working tables: whose claims have come or gone in which interval, and a row where a batch has too many for that. */
export const intervalTables = {
  interval_claimants:
    'campaign_key bigint, width integer, start bigint, claimant text, was_there boolean, has_come boolean',
  many_claim_changes: 'is_many boolean',
}

/** From so many changes of claims on, their weeks are counted anew. */
const MANY_CHANGES = 20_000

/**
 * What a batch changes in claims, for each interval: of a campaign that has some, and of all campaigns. Whether it has some is
 * the next key in the index: for `exists` the planner could read all intervals for each claim.
 */
const changedIntervals = `claim_changes changes
  cross join unnest(array[3600, 86400, 604800]) width
  cross join lateral (select block_timestamp - mod(block_timestamp + 259200, width) as start) starting
  join lateral (select 0::bigint as key union all select changes.campaign_key) counted
    on counted.key = 0
      or counted.key = (select min(kept.campaign_key) from claim_intervals kept where kept.campaign_key >= counted.key)`

/** Whether somebody has a claim in an interval: asked chain by chain, or incentive by incentive, so that an index answers. */
const isThere = `exists (
  select from chains join claims on claims.chain_id = chains.chain_id and claims.claimant = changes.claimant
  where changes.campaign_key = 0 and block_timestamp >= start and block_timestamp < start + width
  union all
  select from incentives join claims on claims.campaign_key = incentives.campaign_key
    and claims.incentive_position = incentives.position and claims.claimant = changes.claimant
  where incentives.campaign_key = changes.campaign_key and block_timestamp >= start and block_timestamp < start + width)`

/** Chains with claims, each found by one step through an index. */
const chains = `recursive found as (
    select min(chain_id) as chain_id from claims
    union all
    select (select min(claims.chain_id) from claims where claims.chain_id > found.chain_id) from found
    where found.chain_id is not null
  ), chains as materialized (select chain_id from found where chain_id is not null)`

/** Before the claims are stored: whose were there. */
export const noteIntervalClaimants: Step[] = stepsFor(
  ['claim', 'withdrawnClaim'],
  [
    [
      `insert into many_claim_changes
      select true where ${MANY_CHANGES} < (select count(*) from (select from claim_changes limit ${MANY_CHANGES + 1}) few)`,
      'many_claim_changes',
    ],
    [
      `with ${chains}
      insert into interval_claimants
      select campaign_key, width, start, claimant, has_gone or ${isThere}, has_come
      from (
        select counted.key as campaign_key, width, start, claimant, bool_or(direction = -1) as has_gone,
          bool_or(direction = 1) as has_come
        from ${changedIntervals}
        where not exists (select from many_claim_changes)
        group by counted.key, width, start, claimant
      ) changes`,
      'interval_claimants',
    ],
  ],
)

/** By `claim_changes`, which is what a batch changes in claims. Campaigns that become popular by it have no intervals yet. */
const changeByDifference = `merge into claim_intervals totals
  using (
    with ${chains}, differences as (
    select counted.key as campaign_key, width, start, direction as claims, direction * coalesce(amount_usd, 0) as usd,
      direction * (amount_usd is null and is_value_derived)::integer as unvalued, 0 as claimants
    from ${changedIntervals}
    union all
    select campaign_key, width, start, 0, 0, 0, (has_come or ${isThere})::integer - was_there::integer
    from interval_claimants changes
    )
    select campaign_key, width, start, sum(claims) as claims, sum(usd) as usd, sum(unvalued) as unvalued,
      sum(claimants) as claimants
    from differences where not exists (select from many_claim_changes) group by campaign_key, width, start
  ) changes
  on totals.campaign_key = changes.campaign_key and interval_seconds = width and interval_start = start
  when matched and claim_count + changes.claims = 0 then delete
  when matched and (changes.claims, usd, unvalued, claimants) <> (0, 0, 0, 0) then update
    set claim_count = claim_count + changes.claims, amount_usd = amount_usd + usd,
      unvalued_count = unvalued_count + unvalued, claimant_count = claimant_count + claimants
  when not matched and changes.claims > 0 then insert
    values (changes.campaign_key, width, start, changes.claims, usd, unvalued, claimants)`

/** Of many changes: the weeks from the first to the last of them, of the campaigns that have intervals, and of all. */
const weeks = `select min(start) as since, max(start) + 604800 as until, array_agg(distinct counted.key) as keys
  from ${changedIntervals} where width = 604800 and exists (select from many_claim_changes)`
const recountWeeks = [
  `delete from claim_intervals totals using (${weeks}) changed
  where totals.campaign_key = any (keys) and interval_start >= since and interval_start < until`,
  `insert into claim_intervals
  select counted.* from (${weeks}) changed cross join lateral counted_claim_intervals(keys, since, until) counted`,
]

/** After the totals of campaigns, which say who is popular: intervals change, come where a campaign has become popular, and go. */
export const changeClaimIntervals: Step[] = stepsFor(
  ['claim', 'withdrawnClaim'],
  [
    changeByDifference,
    ...recountWeeks,
    'select refresh_claim_intervals(array(select distinct campaign_key from counted_changes))',
  ],
)
