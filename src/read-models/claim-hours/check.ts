import { comparing, type Sample } from '../../database/find-data-differences.ts'

/** An hour counts the claims of all campaigns: of a sample of these, so many hours in which they have claims, the newest. */
const MAX_HOURS = 100

const countedInSample = `
  select sampled.hour_start, counted.* from (
    select distinct block_timestamp - mod(block_timestamp, 3600) as hour_start from claims
    where campaign_key = any ($1::bigint[]) order by 1 desc limit ${MAX_HOURS}
  ) sampled
  cross join lateral (
    select count(*) as claim_count, coalesce(sum(amount_usd), 0) as amount_usd,
      count(*) filter (where amount_usd is null and is_value_derived) as unvalued_count
    from claims where block_timestamp >= sampled.hour_start and block_timestamp < sampled.hour_start + 3600
  ) counted`

/** Hours that are not what is counted, are missing, or, where all are compared, should not be there. */
const differingClaimHours = (sample: Sample) => `
  select (to_timestamp(hour_start) at time zone 'UTC')::text as what
  from (${sample === null ? 'select * from counted_claim_hours' : countedInSample}) due
  ${sample === null ? 'full' : 'left'} join claim_hours stored using (hour_start)
  where (stored.claim_count, stored.amount_usd, stored.unvalued_count)
    is distinct from (due.claim_count, due.amount_usd, due.unvalued_count)`

export const examineClaimHours = comparing({ 'claims of all campaigns by hours': differingClaimHours })
