import { type Step, stepsFor } from '../steps.ts'

/** By `claim_changes`, which is what a batch changes in claims. Campaigns that become popular by it have no hours yet. */
const changeHours = `merge into campaign_claim_hours hours
  using (
    select campaign_key, block_timestamp / 3600 as hour, sum(direction) as claim_count,
      sum(direction * coalesce(amount_usd, 0)) as amount_usd
    from claim_changes changes
    where exists (select from campaign_claim_hours kept where kept.campaign_key = changes.campaign_key)
    group by campaign_key, block_timestamp / 3600
  ) changes
  on hours.campaign_key = changes.campaign_key and hours.hour = changes.hour
  when matched and hours.claim_count + changes.claim_count = 0 then delete
  when matched and (changes.claim_count, changes.amount_usd) <> (0, 0) then update
    set claim_count = hours.claim_count + changes.claim_count, amount_usd = hours.amount_usd + changes.amount_usd
  when not matched and changes.claim_count > 0 then insert (campaign_key, hour, claim_count, amount_usd)
    values (changes.campaign_key, changes.hour, changes.claim_count, changes.amount_usd)`

/** After the totals of campaigns, which say who is popular: hours change, come where a campaign has become popular, and go. */
export const changeClaimHours: Step[] = stepsFor(
  ['claim', 'withdrawnClaim'],
  [changeHours, 'select refresh_claim_hours(array(select distinct campaign_key from counted_changes))'],
)
