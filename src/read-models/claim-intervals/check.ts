import { type Sample, within } from '../../database/find-differences.ts'

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
