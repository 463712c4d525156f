/**
 * Campaigns whose row in `trending_campaigns` is not what the view says, or is missing, or should not be there.
 * @param within a condition on the key of a campaign, by the name of its column.
 */
export const differingTrendingCampaigns = (within: (column: string) => string) => `
  select (select id from campaigns where key = campaign_key) as what
  from (
    select campaign_key, row(due.*) as columns from trending_candidates due
    where day_claim_count > 0 and ${within('campaign_key')}
  ) due
  full join (
    select campaign_key, row(kept.*) as columns from trending_campaigns kept where ${within('campaign_key')}
  ) kept using (campaign_key)
  where kept.columns is distinct from due.columns`
