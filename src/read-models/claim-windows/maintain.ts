import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import { populating, type Step, stepsFor } from '../steps.ts'

/*
 * Totals of claims by campaign and by contract, for all time and in each window up to the instant in `claim_windows`.
 * Totals of a campaign change by its changed claims. A contract may be the target of very many campaigns, so its totals
 * change by the difference that the touched ones make: what they add after the import, less what they added before; if
 * only claims of a campaign change, by these alone.
 */

const contributionColumns =
  'window_seconds integer, chain_id bigint, address text, campaign_count bigint, newest bigint, claim_count numeric, amount_usd numeric'

export const contributionTables = {
  counted_before: contributionColumns,
  counted_after: contributionColumns,
  counted_changes: 'campaign_key bigint, window_seconds integer, claim_count bigint, amount_usd numeric',
}

/** Counts the changed claims in their windows. */
const countChanges = `insert into counted_changes
  select campaign_key, window_seconds, sum(direction) as claim_count, sum(direction * coalesce(amount_usd, 0)) as amount_usd
  from claim_changes
  join claim_windows on window_seconds = 0 or block_timestamp > as_of - window_seconds and block_timestamp <= as_of
  group by campaign_key, window_seconds`

/** New claims of campaigns whose records, and so whose contracts, do not change. */
const claimedSince = `
    union all
    select window_seconds, chain_id, address, 0, 0, claim_count, amount_usd
    from counted_changes
    join campaign_targets using (campaign_key)
    where (claim_count, amount_usd) <> (0, 0) and exists (
      select from touched_campaigns touched where touched.key = campaign_key and not is_record_touched)`

/** For every window: the totals by campaign are read once for each campaign. */
const contributions = (moment: 'before' | 'after') => `
  with targets as materialized (
    select target.* from touched_campaigns touched join campaign_targets target on target.campaign_key = touched.key
    where touched.is_record_touched
  )
  select window_seconds, chain_id, address, sum(campaign_count), max(block_timestamp), sum(claim_count),
    sum(amount_usd)
  from (
    select window_seconds, chain_id, address, 1 as campaign_count, block_timestamp, 0 as claim_count,
      0 as amount_usd
    from targets cross join claim_windows
    union all
    select window_seconds, chain_id, address, 0, 0, claim_count, amount_usd
    from targets join campaign_claim_totals using (campaign_key)
    ${moment === 'after' ? claimedSince : ''}
  ) parts
  group by window_seconds, chain_id, address`

/** Notes what the touched campaigns add to the totals of their contracts at this moment. */
const snapshotContractTotals = (moment: 'before' | 'after') => `insert into counted_${moment} ${contributions(moment)}`

const campaignTotals = `merge into campaign_claim_totals totals
  using counted_changes changes
  on totals.campaign_key = changes.campaign_key and totals.window_seconds = changes.window_seconds
  when matched and totals.claim_count + changes.claim_count = 0 then delete
  when matched and (changes.claim_count, changes.amount_usd) <> (0, 0) then update
    set claim_count = totals.claim_count + changes.claim_count, amount_usd = totals.amount_usd + changes.amount_usd
  when not matched and changes.claim_count > 0 then insert (window_seconds, campaign_key, claim_count, amount_usd)
    values (changes.window_seconds, changes.campaign_key, changes.claim_count, changes.amount_usd)`

/** Contracts that their newest campaign has left, or that has become older, each with the newest of the others, by an index. */
const newestRemaining = `
  select changed.chain_id, changed.address, (
    select max(target.block_timestamp) from campaign_targets target
    where target.chain_id = changed.chain_id and target.address = changed.address
  ) as newest
  from counted_before earlier full join counted_after later using (window_seconds, chain_id, address)
  join contract_claim_totals changed using (window_seconds, chain_id, address)
  where window_seconds = 0 and coalesce(later.newest, 0) < newest_block_timestamp and earlier.newest >= newest_block_timestamp`

/** After the totals and the facets of the campaigns have changed. */
const contractTotals = `with replaced as materialized (${newestRemaining})
  merge into contract_claim_totals totals
  using (
    select window_seconds, chain_id, address, replaced.newest as newest_remaining,
      coalesce(later.campaign_count, 0) - coalesce(earlier.campaign_count, 0) as campaign_count,
      coalesce(later.claim_count, 0) - coalesce(earlier.claim_count, 0) as claim_count,
      coalesce(later.amount_usd, 0) - coalesce(earlier.amount_usd, 0) as amount_usd,
      coalesce(later.newest, 0) as newest_now, coalesce(earlier.newest, 0) as newest_before
    from counted_before earlier
    full join counted_after later using (window_seconds, chain_id, address)
    left join replaced using (chain_id, address)
    where (later.campaign_count, later.claim_count, later.amount_usd, later.newest)
      is distinct from (earlier.campaign_count, earlier.claim_count, earlier.amount_usd, earlier.newest)
  ) changes
  on totals.chain_id = changes.chain_id and totals.address = changes.address
    and totals.window_seconds = changes.window_seconds
  when matched and totals.campaign_count + changes.campaign_count = 0 then delete
  when matched then update set campaign_count = totals.campaign_count + changes.campaign_count,
    claim_count = totals.claim_count + changes.claim_count, amount_usd = totals.amount_usd + changes.amount_usd,
    newest_block_timestamp = coalesce(newest_remaining, greatest(newest_now, newest_block_timestamp))
  when not matched then insert
    (window_seconds, chain_id, address, campaign_count, newest_block_timestamp, claim_count, amount_usd)
    values (changes.window_seconds, changes.chain_id, changes.address, changes.campaign_count,
      changes.newest_now, changes.claim_count, changes.amount_usd)`

/**
 * Only an added, removed or replaced campaign adds or removes a contract. A contract without a campaign in this batch
 * existed before if it has more campaigns now than this batch adds.
 */
const contractCounts = `merge into contract_counts counts
  using (
    select chain_id, sum((totals.address is not null)::integer
      - (earlier.address is not null or totals.campaign_count > later.campaign_count)::integer) as contract_count
    from counted_before earlier
    full join counted_after later using (window_seconds, chain_id, address)
    left join contract_claim_totals totals using (window_seconds, chain_id, address)
    where window_seconds = 0 and (earlier.address is null or later.address is null)
    group by chain_id
  ) changes
  on counts.chain_id = changes.chain_id
  when matched and counts.contract_count + changes.contract_count = 0 then delete
  when matched and changes.contract_count <> 0
    then update set contract_count = counts.contract_count + changes.contract_count
  when not matched and changes.contract_count > 0 then insert (chain_id, contract_count)
    values (changes.chain_id, changes.contract_count)`

/**
 * Updates the rows of trending campaigns, after their totals, records or flags have changed; `keys` is a query of them.
 */
export const refreshTrendingCampaigns = (keys: string) => `select refresh_trending_campaigns(array(${keys}))`

/** Before any stored row changes. */
export const countBefore: Step[] = stepsFor(['campaign', 'withdrawnCampaign'], snapshotContractTotals('before'))

/** After the facts and the state of incentives. */
export const changeTotals: Step[] = [
  ...stepsFor(['claim', 'withdrawnClaim'], populating('counted_changes', countChanges), campaignTotals),
  ...stepsFor(['campaign', 'claim', 'withdrawnCampaign', 'withdrawnClaim'], snapshotContractTotals('after')),
  ...stepsFor(
    ['campaign', 'incentive', 'claim', 'withdrawnClaim', 'token', 'actionTemplate'],
    refreshTrendingCampaigns('select key from touched_campaigns'),
  ),
]

/** After the facets, by which the next newest campaign of a contract is looked for. */
export const changeContractTotals: Step[] = [
  ...stepsFor(['campaign', 'claim', 'withdrawnCampaign', 'withdrawnClaim'], contractTotals),
  ...stepsFor(['campaign', 'withdrawnCampaign'], contractCounts),
]

/**
 * Minimum number of claims that have entered or left a window for a write. A slide over so many takes 15 to 25 ms; each campaign
 * that has changed since costs trending 0.02 ms each time it is read.
 */
const WORTHWHILE_CHANGES = 25

/**
 * Maximum number of claims that enter, or leave, one of the windows in a slide. Each costs some 0.1 ms, during which
 * batches wait: in a long catch-up, so many enter, and as many leave each of the four windows, which takes 20 ms.
 */
const MAX_CHANGES_AT_ONCE = 30

/** The delay before a slide is repeated that found a batch or an import at work. */
const TRY_AGAIN_MS = 200

/**
 * Slides the stored windows on, if a write pays off; returns whether there may be more to do. Only a batch may have to wait for it, for the time of a slide; it does not wait for a batch,
 * and has to be called again.
 */
export async function slideWindows(database: Database) {
  const { rows } = await database.execute<{ hasMore: boolean | null }>(
    sql`select advance_claim_windows(${WORTHWHILE_CHANGES}, ${MAX_CHANGES_AT_ONCE}) as "hasMore"`,
  )
  const isBusy = rows[0]?.hasMore === null
  if (isBusy) await sleep(TRY_AGAIN_MS)
  return isBusy || rows[0]?.hasMore === true
}
