import { type Sample, within } from '../../database/find-differences.ts'

const keys = (sample: Sample) =>
  sample === null ? `array(select campaign_key from popular_campaigns) || 0::bigint` : '$1::bigint[]'

/** Intervals in `claim_intervals` that are not what is counted, or are missing, or should not be there. */
export const differingClaimIntervals = (sample: Sample) => `
  select coalesce((select id from campaigns where key = campaign_key), 'all campaigns') || ', '
    || to_timestamp(interval_start) at time zone 'UTC' || ', ' || interval_seconds || ' seconds' as what
  from counted_claim_intervals(${keys(sample)}, 0, 253402300800) due
  full join (select * from claim_intervals where ${within(sample, 'campaign_key')}) kept
    using (campaign_key, interval_seconds, interval_start)
  where kept is distinct from due`
