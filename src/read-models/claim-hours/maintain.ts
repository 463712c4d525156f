import { type Step, stepsFor } from '../steps.ts'

/** By `claim_changes`, which is what a batch changes in claims. */
const changeByDifference = `merge into claim_hours totals
  using (
    select block_timestamp - mod(block_timestamp, 3600) as start, sum(direction) as claim_count,
      sum(direction * coalesce(amount_usd, 0)) as amount_usd,
      sum(direction * (amount_usd is null and is_value_derived)::integer) as unvalued_count
    from claim_changes group by 1
  ) changes
  on hour_start = start
  when matched and totals.claim_count + changes.claim_count = 0 then delete
  when matched and (changes.claim_count, changes.amount_usd, changes.unvalued_count) <> (0, 0, 0) then update
    set claim_count = totals.claim_count + changes.claim_count, amount_usd = totals.amount_usd + changes.amount_usd,
      unvalued_count = totals.unvalued_count + changes.unvalued_count
  when not matched and changes.claim_count > 0 then insert
    values (start, changes.claim_count, changes.amount_usd, changes.unvalued_count)`

/** After the claims of a batch are stored. */
export const changeClaimHours: Step[] = stepsFor(['claim', 'withdrawnClaim'], changeByDifference)
