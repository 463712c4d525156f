/*
 * Totals of claims by campaign and by contract, for all time and in each window up to the instant that `claim_windows`
 * names. Those of a touched campaign are counted anew. A contract may be the target of a great many campaigns, so its
 * totals change by the difference that the touched ones make: what they add after the import, less what they added before.
 */

const contributions = `
  select claim_windows.window_seconds, target.chain_id, target.value as address, count(*) as campaign_count,
    max(campaigns.block_timestamp) as newest, coalesce(sum(totals.claim_count), 0) as claim_count,
    coalesce(sum(totals.amount_usd), 0) as amount_usd
  from touched_campaigns
  join campaigns using (key)
  join campaign_facets target on target.campaign_key = key and target.kind = 'target'
  cross join claim_windows
  left join campaign_claim_totals totals
    on totals.campaign_key = key and totals.window_seconds = claim_windows.window_seconds
  group by claim_windows.window_seconds, target.chain_id, target.value`

/** Notes what the touched campaigns add to the totals of their contracts at this moment. */
export const countForContracts = (moment: 'before' | 'after') => [
  `analyze touched_campaigns`,
  `create temporary table counted_${moment} on commit drop as ${contributions}`,
]

export const claimTotalStatements = [
  `merge into campaign_claim_totals totals
  using (
    select touched.key, claim_windows.window_seconds, coalesce(counted.claim_count, 0) as claim_count,
      coalesce(counted.amount_usd, 0) as amount_usd
    from touched_campaigns touched
    cross join claim_windows
    left join (
      select claims.campaign_key, claim_windows.window_seconds, count(*) as claim_count,
        coalesce(sum(claims.amount_usd), 0) as amount_usd
      from claims
      join claim_windows on window_seconds = 0
        or block_timestamp > as_of - window_seconds and block_timestamp <= as_of
      where claims.campaign_key in (select key from touched_campaigns)
      group by claims.campaign_key, claim_windows.window_seconds
    ) counted on counted.campaign_key = touched.key and counted.window_seconds = claim_windows.window_seconds
  ) figures
  on totals.campaign_key = figures.key and totals.window_seconds = figures.window_seconds
  when matched and figures.claim_count = 0 then delete
  when matched and (totals.claim_count, totals.amount_usd) is distinct from (figures.claim_count, figures.amount_usd)
    then update set claim_count = figures.claim_count, amount_usd = figures.amount_usd
  when not matched and figures.claim_count > 0 then insert (window_seconds, campaign_key, claim_count, amount_usd)
    values (figures.window_seconds, figures.key, figures.claim_count, figures.amount_usd)`,
  ...countForContracts('after'),
  `merge into contract_claim_totals totals
  using (
    select window_seconds, chain_id, address,
      coalesce(later.campaign_count, 0) - coalesce(earlier.campaign_count, 0) as campaign_count,
      coalesce(later.claim_count, 0) - coalesce(earlier.claim_count, 0) as claim_count,
      coalesce(later.amount_usd, 0) - coalesce(earlier.amount_usd, 0) as amount_usd,
      coalesce(later.newest, 0) as newest_now, coalesce(earlier.newest, 0) as newest_before
    from counted_before earlier
    full join counted_after later using (window_seconds, chain_id, address)
    where (later.campaign_count, later.claim_count, later.amount_usd, later.newest)
      is distinct from (earlier.campaign_count, earlier.claim_count, earlier.amount_usd, earlier.newest)
  ) changes
  on totals.chain_id = changes.chain_id and totals.address = changes.address
    and totals.window_seconds = changes.window_seconds
  when matched and totals.campaign_count + changes.campaign_count = 0 then delete
  when matched then update set campaign_count = totals.campaign_count + changes.campaign_count,
    claim_count = totals.claim_count + changes.claim_count, amount_usd = totals.amount_usd + changes.amount_usd,
    newest_block_timestamp = case
      when newest_now >= newest_block_timestamp then newest_now
      when newest_before < newest_block_timestamp then newest_block_timestamp
      -- The newest campaign has left the contract, or has become older: only now is it necessary to look at all.
      else (
        select max(campaigns.block_timestamp) from campaign_facets target
        join campaigns on campaigns.key = target.campaign_key
        where target.kind = 'target' and target.chain_id = changes.chain_id and target.value = changes.address
      ) end
  when not matched then insert
    (window_seconds, chain_id, address, campaign_count, newest_block_timestamp, claim_count, amount_usd)
    values (changes.window_seconds, changes.chain_id, changes.address, changes.campaign_count, changes.newest_now,
      changes.claim_count, changes.amount_usd)`,
  `merge into contract_counts counts
  using (
    select chain_id, count(totals.address) as contract_count
    from (
      select chain_id from counted_before earlier full join counted_after later using (window_seconds, chain_id, address)
      where earlier.campaign_count is null or later.campaign_count is null
      group by chain_id
    ) touched
    left join contract_claim_totals totals using (chain_id)
    where totals.window_seconds = 0 or totals.window_seconds is null
    group by chain_id
  ) figures
  on counts.chain_id = figures.chain_id
  when matched and figures.contract_count = 0 then delete
  when matched then update set contract_count = figures.contract_count
  when not matched then insert (chain_id, contract_count) values (figures.chain_id, figures.contract_count)`,
]
