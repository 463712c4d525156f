import { type Step, stepsUnlessEmpty } from '../steps.ts'
import { campaignFlagsOf, incentiveStateOf } from './check.ts'

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
