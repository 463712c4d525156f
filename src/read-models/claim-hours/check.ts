import { type Sample, within } from '../../database/differences.ts'

/**
 * Hours in `campaign_claim_hours` that are not what the view says, or are missing, or should not be there.
 */
export const differingClaimHours = (sample: Sample) => `
  select (select id from campaigns where key = campaign_key) || ', ' || to_timestamp(hour * 3600) at time zone 'UTC' as what
  from (select * from popular_claim_hours where ${within(sample, 'campaign_key')}) due
  full join (select * from campaign_claim_hours where ${within(sample, 'campaign_key')}) kept using (campaign_key, hour)
  where (kept.claim_count, kept.amount_usd) is distinct from (due.claim_count, due.amount_usd)`
