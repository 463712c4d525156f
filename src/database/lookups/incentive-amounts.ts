import { type SQL, sql } from 'drizzle-orm'
import { LAST_TIMESTAMP } from '../../schemas/primitives.ts'

/*
 * What an incentive pays now, and what is left of it: one definition for outlooks, rewards and eligibility. Every figure is exact, by the
 * formulas of the contracts; `div` rounds down, as these do.
 */

/** A rate is told in base units a second, times 10^12. */
const RATE_SCALE = sql.raw('1000000000000')

/**
 * What an auction has said of itself: stored by the indexer; of chains that are not followed it follows from the last claim, or
 * from how it was set up. Not where more was claimed than it had: then something is missing.
 */
const auctionState = sql`
  select (incentive.auction ->> 'lastClaimAt')::numeric as last_at, (incentive.auction ->> 'reward')::numeric as reward,
    (incentive.auction ->> 'balance')::numeric as balance
  where incentive.auction is not null
  union all
  select coalesce(last.block_timestamp, campaign.block_timestamp),
    case when last is null then (incentive.definition ->> 'initialReward')::numeric
      when last.amount > decay then last.amount - decay else decay end,
    incentive.remaining_budget
  from (select (incentive.definition ->> 'rewardDecay')::numeric as decay) fixed
  left join lateral (
    select block_timestamp, amount from claims
    where claims.campaign_key = incentive.campaign_key and incentive_position = incentive.position and incentive.claim_count > 0
    order by block_timestamp desc, tx_hash desc, log_index desc limit 1
  ) last on true
  where incentive.auction is null and traits.reward = 'auction' and incentive.claimed_amount <= (incentive.definition ->> 'totalBudget')::numeric
    and not exists (select from followed_chains where followed_chains.chain_id = campaign.chain_id)`

/**
 * The figures of `incentive`, a row of a `campaign`, with the `traits` of its type, as a relation of one row: `reward_limit`, `amount_claimed`, `entries` (of a raffle),
 * `budget_left`, `reward_now` (of a pegged incentive in its peg; of a raffle what is drawn), `claims_left`, `is_open_ended` and `runway` (of an
 * open-ended one: how many seconds its budget lasts at the rate that it pays); null where one does not apply or is unknown.
 * (An amount that is not known is nothing to "greatest".)
 * @param now Unix seconds.
 */
export const incentiveAmounts = (now: SQL) => sql`(
  select reward_limit, amount_claimed, entries, budget_left, is_open_ended,
    case when is_open_ended and incentive.definition ? 'committed' then div(greatest(reward_limit - (incentive.definition ->> 'committed')::numeric, 0) * ${RATE_SCALE},
      nullif((incentive.definition ->> 'emissionRate')::numeric, 0)) end as runway,
    case
      when traits.reward = 'auction' then least(state.balance, state.reward
        + div(greatest(${now} - state.last_at, 0) * (incentive.definition ->> 'rewardBoost')::numeric, 3600))
      when traits.reward = 'fixed' then (incentive.definition ->> 'reward')::numeric
    end as reward_now,
    case when traits.limit_kind = 'remaining claims' then reward_limit
      when traits.limit_kind = 'claims' then greatest(reward_limit - incentive.claim_count, 0) end as claims_left
  from (select (incentive.definition ->> 'limit')::numeric as reward_limit,
    case when (incentive.definition ->> 'strategy')::numeric = 1
      then coalesce((incentive.definition ->> 'totalClaims')::numeric, incentive.claim_count) end as entries,
    coalesce((incentive.definition ->> 'openEnded')::boolean, false) as is_open_ended,
    coalesce((incentive.definition ->> 'totalAmountClaimed')::numeric, incentive.claimed_amount) as amount_claimed) recorded
  left join lateral (${auctionState}) state on true
  cross join lateral (select coalesce(state.balance, incentive.remaining_budget) as budget_left) held
)`

/**
 * How many seconds the budget of `figures` lasts: of an open-ended incentive at the rate that it pays, of others if it is spent as in the
 * basis; null if nothing was.
 */
export const secondsLeft = (spentInBasis: SQL, basis: SQL) =>
  sql`case when figures.is_open_ended then figures.runway
    when ${spentInBasis} > 0 then div(figures.budget_left * ${basis}, ${spentInBasis}) end`

/** The instant in so many seconds, as text; null without any, and after the year 9999. */
export const instantIn = (
  seconds: SQL,
  now: SQL,
) => sql`case when ${now} + ${seconds} <= ${sql.raw(String(LAST_TIMESTAMP))} then
  to_char(to_timestamp((${now} + ${seconds})::float8) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"') end`

/**
 * Claims of a campaign in (since, until], in Unix seconds, by incentive: `incentive_position`, `claim_count`, `amount`. Reads each
 * claim.
 */
export const claimsByIncentive = (campaignKey: SQL, since: SQL, until: SQL) => sql`(
  select incentive_position, count(*) as claim_count, sum(amount) as amount from claims
  where campaign_key = ${campaignKey} and block_timestamp > ${since} and block_timestamp <= ${until}
  group by incentive_position
)`
