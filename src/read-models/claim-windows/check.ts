import { comparing, type Sample, within } from '../../database/find-data-differences.ts'

/** Campaigns whose row in `trending_campaigns` differs from the view, is missing, or should not exist. */
export const differingTrendingCampaigns = (sample: Sample) => `
  select (select id from campaigns where key = campaign_key) as what
  from (
    select campaign_key, row(due.*) as columns from trending_candidates due
    where day_claim_count > 0 and ${within(sample, 'campaign_key')}
  ) due
  full join (
    select campaign_key, row(stored.*) as columns from trending_campaigns stored where ${within(sample, 'campaign_key')}
  ) stored using (campaign_key)
  where stored.columns is distinct from due.columns`

const claimsOfWindows = (sample: Sample) => `
  select campaign_key, window_seconds, count(*) as claim_count, coalesce(sum(amount_usd), 0) as amount_usd
  from claim_windows join claims
    on window_seconds = 0 or (block_timestamp > as_of - window_seconds and block_timestamp <= as_of)
  where ${within(sample, 'campaign_key')}
  group by campaign_key, window_seconds`

/** Totals of campaigns that differ from their claims. */
const differingCampaignTotals = (sample: Sample) => `
      select (select id from campaigns where key = campaign_key) || ', ' || window_seconds || ' seconds' as what
      from (${claimsOfWindows(sample)}) due
      full join (select * from campaign_claim_totals where ${within(sample, 'campaign_key')}) stored
        using (campaign_key, window_seconds)
      where (stored.claim_count, stored.amount_usd) is distinct from (due.claim_count, due.amount_usd)`

/** Contracts of the campaigns; for popular ones all campaigns are added up, so only a few are checked. */
const MAX_CONTRACTS = 50
const sampledContracts = (sample: Sample) =>
  sample === null
    ? 'true'
    : `(chain_id, address) in (
        select chain_id, value from campaign_facets where kind = 'target' and campaign_key = any($1::bigint[])
        group by chain_id, value order by value limit ${MAX_CONTRACTS})`

/** Totals of contracts that differ from those of their campaigns. */
export const differingContractTotals = (sample: Sample) => `
      select chain_id || ':' || address || ', ' || window_seconds || ' seconds' as what
      from (
        select window_seconds, chain_id, address, count(*) as campaign_count,
          max(block_timestamp) as newest_block_timestamp, coalesce(sum(claim_count), 0) as claim_count,
          coalesce(sum(amount_usd), 0) as amount_usd
        from campaign_targets
        cross join claim_windows
        left join campaign_claim_totals using (campaign_key, window_seconds)
        where ${sampledContracts(sample)}
        group by window_seconds, chain_id, address
      ) due
      full join (select * from contract_claim_totals where ${sampledContracts(sample)}) stored
        using (window_seconds, chain_id, address)
      where (stored.campaign_count, stored.newest_block_timestamp, stored.claim_count, stored.amount_usd)
        is distinct from (due.campaign_count, due.newest_block_timestamp, due.claim_count, due.amount_usd)`

/** Chains with another number of contracts. */
const differingContractCounts = () => `
  select 'contracts of chain ' || chain_id as what
  from (
    select chain_id, count(*) as contract_count from contract_claim_totals where window_seconds = 0 group by chain_id
  ) due
  full join contract_counts stored using (chain_id)
  where stored.contract_count is distinct from due.contract_count`

export const examineClaimWindows = comparing({
  'claims of campaigns in all windows': differingCampaignTotals,
  'trending campaigns': differingTrendingCampaigns,
  'campaigns and claims of contracts in all windows': differingContractTotals,
  'numbers of contracts': differingContractCounts,
})
