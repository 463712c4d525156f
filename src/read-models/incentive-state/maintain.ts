import { type Sample, within } from '../../database/find-data-differences.ts'
import { type Step, stepsUnlessEmpty } from '../steps.ts'

/*
 * The definition of each derived column of a campaign, as queries. The statements below store their results for the
 * campaigns that a batch touches, and the checks compare the stored values with them.
 */

const limit = `(definition ->> 'limit')::numeric`
const recordedAmount = `(definition ->> 'totalAmountClaimed')::numeric`
const recordedBalance = `(definition ->> 'remainingBalance')::numeric`
const totalBudget = `(definition ->> 'totalBudget')::numeric`

/**
 * Spec §5.1 "spent", §5.2 "remaining budget", of incentives with the number and the amount of their claims.
 * @param also columns to pass on.
 */
const incentiveStateOf = (incentives: string, also?: string) => `
  select campaign_key, position, ${also === undefined ? '' : `${also}, `}claim_count, claimed_amount,
    case
      when asset is null then null
      when definition ? 'remainingBalance' then ${recordedBalance}
      when type = 'ERC20Incentive' and (definition ->> 'strategy')::numeric = 1 then (definition ->> 'reward')::numeric
      when type = 'ERC20Incentive' then (definition ->> 'reward')::numeric * ${limit}
      when type = 'CGDAIncentive' then greatest(${totalBudget} - amount_claimed, 0)
      else greatest(${limit} - amount_claimed, 0)
    end as remaining_budget,
    case
      when ${recordedBalance} = 0 then true
      when type in ('AllowListIncentive', 'PointsIncentive') then claim_count >= ${limit}
      when type = 'ERC20Incentive' then ${limit} = 0
      when type = 'CGDAIncentive' then amount_claimed >= ${totalBudget}
      else amount_claimed >= ${limit}
    end as is_spent
  from ${incentives}, lateral (select coalesce(${recordedAmount}, claimed_amount) as amount_claimed) claimed`

/** The flags that follow from the incentives and the claimants of campaigns, of which `keyed` has the keys. */
const campaignFlagsOf = (keyed: string) => `
  select campaign.key, coalesce(are_whitelisted, true) as has_whitelisted_rewards,
    coalesce(are_all_spent, false)
      or (max_participants <> 0 and coalesce(claimant_count, 0) >= max_participants) as is_exhausted
  from ${keyed} touched
  join campaigns campaign on campaign.key = touched.key
  left join campaign_claimant_counts claimants on claimants.campaign_key = campaign.key
  left join (
    select campaign_key, bool_and(is_spent) as are_all_spent,
      bool_and(asset is null or coalesce(is_whitelisted, false)) as are_whitelisted
    from ${keyed} touched join incentives on campaign_key = touched.key
    left join tokens on tokens.chain_id = incentives.chain_id and tokens.address = asset
    group by campaign_key
  ) rewards on rewards.campaign_key = campaign.key`

/** Incentives whose state differs from their records and claims. */
export const differingIncentives = (sample: Sample) => `
  with totals as (
    select campaign_key, position, type, asset, definition, coalesce(recorded.claim_count, 0) as claim_count,
      coalesce(recorded.claimed_amount, 0) as claimed_amount
    from incentives left join (
      select campaign_key, incentive_position as position, count(*) as claim_count, sum(amount) as claimed_amount
      from claims where ${within(sample, 'campaign_key')} group by campaign_key, incentive_position
    ) recorded using (campaign_key, position)
    where ${within(sample, 'campaign_key')}
  ), due as (${incentiveStateOf('totals')})
  select (select id from campaigns where key = campaign_key) || ', incentive ' || position as what
  from due join incentives stored using (campaign_key, position)
  where (stored.claim_count, stored.claimed_amount, stored.remaining_budget, stored.is_spent)
    is distinct from (due.claim_count, due.claimed_amount, due.remaining_budget, due.is_spent)`

/** Campaigns whose flags differ from their incentives and claimants. */
export const differingFlags = (sample: Sample) => `
  with sampled as (select key from campaigns where ${within(sample, 'key')}), due as (${campaignFlagsOf('sampled')})
  select stored.id as what from due join campaigns stored using (key)
  where (stored.has_whitelisted_rewards, stored.is_exhausted)
    is distinct from (due.has_whitelisted_rewards, due.is_exhausted)`

const columns = ['definition', 'auction', 'claim_count', 'claimed_amount', 'remaining_budget', 'is_spent']

/** Counts and sums change by the claims of the batch, which may also have a new state that the chain reports. */
const incentiveState = `with changes as (
    select campaign_key, incentive_position as position, sum(direction) as claim_count,
      sum(direction * amount) as claimed_amount
    from claim_changes group by campaign_key, incentive_position
  ), totals as (
    select incentive.campaign_key, incentive.position, incentive.type, incentive.asset,
      coalesce(refigured.definition, incentive.definition) as definition,
      case when refigured.position is null then incentive.auction else refigured.auction end as auction,
      incentive.claim_count + coalesce(changes.claim_count, 0) as claim_count,
      incentive.claimed_amount + coalesce(changes.claimed_amount, 0) as claimed_amount, incentive.is_spent as was_spent
    from touched_campaigns touched
    join incentives incentive on incentive.campaign_key = touched.key
    left join changes on changes.campaign_key = incentive.campaign_key and changes.position = incentive.position
    left join refigured_incentives refigured
      on refigured.campaign_key = incentive.campaign_key and refigured.position = incentive.position
  ), derived as (${incentiveStateOf('totals', 'was_spent, definition, auction')}), changed as (
    update incentives target
    set (${columns}) = row (${columns.map((column) => `derived.${column}`)})
    from derived
    where target.campaign_key = derived.campaign_key and target.position = derived.position
      and (${columns.map((column) => `target.${column}`)}) is distinct from (${columns.map((column) => `derived.${column}`)})
    returning target.campaign_key, derived.is_spent <> was_spent as is_turned
  )
  insert into spent_campaigns select distinct campaign_key from changed where is_turned`

/** After the state of the incentives, which they depend on. Notes which campaigns are found otherwise from now on. */
const campaignFlags = `with derived as (${campaignFlagsOf('touched_campaigns')}), flipped as (
    update campaigns target
    set has_whitelisted_rewards = derived.has_whitelisted_rewards, is_exhausted = derived.is_exhausted
    from derived
    where target.key = derived.key
      and (target.has_whitelisted_rewards, target.is_exhausted)
        is distinct from (derived.has_whitelisted_rewards, derived.is_exhausted)
    returning target.key
  )
  insert into flipped_campaigns select key from flipped`

/** For the campaigns in `touched_campaigns`, after their records and `claim_changes` are stored. */
export const refreshIncentiveState: Step[] = [
  ...stepsUnlessEmpty('touched_campaigns', ['campaign', 'incentive', 'claim', 'withdrawnClaim'], incentiveState),
  ...stepsUnlessEmpty(
    'touched_campaigns',
    ['campaign', 'incentive', 'claim', 'withdrawnClaim', 'token'],
    campaignFlags,
  ),
]

/** For all campaigns, once their totals of claims are right. */
export const recomputeIncentiveState = [
  `update incentives target set remaining_budget = due.remaining_budget, is_spent = due.is_spent
  from (${incentiveStateOf('incentives')}) due
  where target.campaign_key = due.campaign_key and target.position = due.position
    and (target.remaining_budget, target.is_spent) is distinct from (due.remaining_budget, due.is_spent)`,
  `update campaigns target set has_whitelisted_rewards = due.has_whitelisted_rewards, is_exhausted = due.is_exhausted
  from (${campaignFlagsOf('(select key from campaigns)')}) due
  where target.key = due.key
    and (target.has_whitelisted_rewards, target.is_exhausted)
      is distinct from (due.has_whitelisted_rewards, due.is_exhausted)`,
]
