/**
 * Hours in `campaign_claim_hours` that are not what the view says, or are missing, or should not be there.
 * @param within a condition on the key of a campaign, by the name of its column.
 */
export const differingClaimHours = (within: (column: string) => string) => `
  select (select id from campaigns where key = campaign_key) || ', ' || to_timestamp(hour * 3600) at time zone 'UTC' as what
  from (select * from popular_claim_hours where ${within('campaign_key')}) due
  full join (select * from campaign_claim_hours where ${within('campaign_key')}) kept using (campaign_key, hour)
  where (kept.claim_count, kept.amount_usd) is distinct from (due.claim_count, due.amount_usd)`
