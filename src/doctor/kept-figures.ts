import { type Sample, within } from '../database/differences.ts'
import { differingClaimHours } from '../read-models/claim-hours/check.ts'
import { differingTrendingCampaigns } from '../read-models/claim-windows/check.ts'
import { differingFlags, differingIncentives } from '../read-models/incentive-state/check.ts'

/*
 * What is stored of the figures that are derived from facts, against the facts. Each query gives what differs, and nothing
 * where all is well.
 */

export interface KeptFigures {
  name: string
  /** What is compared, for a sentence. */
  subject: string
  differing: (sample: Sample) => string
}

/** The facts are sought by key; the campaigns have names. */
const idOf = `(select id from campaigns where key = campaign_key)`

const claimsOfWindows = (sample: Sample) => `
  select campaign_key, window_seconds, count(*) as claim_count, coalesce(sum(amount_usd), 0) as amount_usd
  from claim_windows join claims
    on window_seconds = 0 or (block_timestamp > as_of - window_seconds and block_timestamp <= as_of)
  where ${within(sample, 'campaign_key')}
  group by campaign_key, window_seconds`

/** Contracts that the campaigns act on; of popular ones all campaigns are added up, so they are not many. */
const MOST_CONTRACTS = 50
const sampledContracts = (sample: Sample) =>
  sample === null
    ? 'true'
    : `(chain_id, address) in (
        select chain_id, value from campaign_facets where kind = 'target' and campaign_key = any($1::bigint[])
        group by chain_id, value order by value limit ${MOST_CONTRACTS})`

export const keptFigures: readonly KeptFigures[] = [
  { name: 'incentives', subject: 'claims, amounts and budgets of incentives', differing: differingIncentives },
  { name: 'flags', subject: 'whitelisted rewards and exhaustion of campaigns', differing: differingFlags },
  {
    name: 'claimants',
    subject: 'numbers of claimants',
    differing: (sample) => `
      select ${idOf} as what
      from (
        select campaign_key, count(distinct claimant) as claimant_count from claims
        where ${within(sample, 'campaign_key')} group by campaign_key
      ) due
      full join (select * from campaign_claimant_counts where ${within(sample, 'campaign_key')}) kept using (campaign_key)
      where kept.claimant_count is distinct from due.claimant_count`,
  },
  {
    name: 'campaign totals',
    subject: 'claims of campaigns in all windows',
    differing: (sample) => `
      select ${idOf} || ', ' || window_seconds || ' seconds' as what
      from (${claimsOfWindows(sample)}) due
      full join (select * from campaign_claim_totals where ${within(sample, 'campaign_key')}) kept
        using (campaign_key, window_seconds)
      where (kept.claim_count, kept.amount_usd) is distinct from (due.claim_count, due.amount_usd)`,
  },
  {
    name: 'claim hours',
    subject: 'claims of popular campaigns by hours',
    differing: (sample) => differingClaimHours((column) => within(sample, column)),
  },
  {
    name: 'trending',
    subject: 'trending campaigns',
    differing: (sample) => differingTrendingCampaigns((column) => within(sample, column)),
  },
  {
    name: 'contract totals',
    subject: 'campaigns and claims of contracts in all windows',
    differing: (sample) => `
      select chain_id || ':' || address || ', ' || window_seconds || ' seconds' as what
      from (
        select creator, window_seconds, chain_id, address, count(*) as campaign_count,
          max(block_timestamp) as newest_block_timestamp, coalesce(sum(claim_count), 0) as claim_count,
          coalesce(sum(amount_usd), 0) as amount_usd
        from campaign_targets
        cross join claim_windows
        left join campaign_claim_totals using (campaign_key, window_seconds)
        where ${sampledContracts(sample)}
        group by creator, window_seconds, chain_id, address
      ) due
      full join (select * from contract_claim_totals where ${sampledContracts(sample)}) kept
        using (creator, window_seconds, chain_id, address)
      where (kept.campaign_count, kept.newest_block_timestamp, kept.claim_count, kept.amount_usd)
        is distinct from (due.campaign_count, due.newest_block_timestamp, due.claim_count, due.amount_usd)`,
  },
  {
    name: 'members',
    subject: 'numbers of addresses on lists',
    differing: (sample) => `
      select ${idOf} as what
      from allow_lists kept
      where ${within(sample, 'campaign_key')} and address_count <> (
        select count(*) from allow_list_addresses listed where listed.campaign_key = kept.campaign_key)
      union all
      select 'access list ' || id
      from access_lists kept
      where ${sample === null ? 'true' : `id in (select access_list_id from allow_lists where ${within(sample, 'campaign_key')})`}
        and member_count <> (select count(*) from access_list_members members where members.access_list_id = kept.id)`,
  },
]

/** Small, so always whole: what is counted of all campaigns and of all profiles. */
export const keptCounts: readonly KeptFigures[] = [
  {
    name: 'counts',
    subject: 'numbers of contracts, and of profiles by score',
    differing: () => `
      select 'contracts of chain ' || chain_id as what
      from (
        select creator, chain_id, count(*) as contract_count from contract_claim_totals
        where window_seconds = 0 group by creator, chain_id
      ) due
      full join contract_counts kept using (creator, chain_id)
      where kept.contract_count is distinct from due.contract_count
      union all
      select 'profiles of score ' || score_bucket
      from (select score_bucket, count(*) as profile_count from profiles group by score_bucket) due
      full join profile_score_counts kept using (score_bucket)
      where kept.profile_count is distinct from due.profile_count`,
  },
]
