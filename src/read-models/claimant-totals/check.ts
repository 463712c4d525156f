import { type Sample, within } from '../../database/find-differences.ts'

/** Busy claimants without totals, looked for among all claims. */
const missing = `
  select claimant from claims group by claimant
  having count(*) >= busy_claimant_claims()
  except select claimant from claimant_asset_totals`

const totalColumns = 'claim_count, amount, amount_usd, unvalued_count'

/** Totals of claimants that differ from the claims, are missing, or should not exist. */
export const differingClaimantTotals = (sample: Sample) => `
  with sampled as materialized (
    select * from claimant_incentive_totals where ${within(sample, 'campaign_key')}
  ), due_by_incentive as (
    select * from claims_by_claimant_and_incentive
    where ${within(sample, 'campaign_key')} and claimant in (select claimant from claimant_asset_totals)
  )
  select claimant || ', ' || (select id from campaigns where key = campaign_key) || ', incentive ' || position as what
  from due_by_incentive due full join sampled stored using (claimant, campaign_key, position)
  where (${of('stored')}, stored.last_timestamp, stored.chain_id) is distinct from (${of('due')}, due.last_timestamp, due.chain_id)
  union all
  select claimant || ', ' || chain_id || ':' || asset
  from (select * from claims_by_claimant_and_asset ${ofSampled(sample)}) due
  full join (select * from claimant_asset_totals ${ofSampled(sample)}) stored using (claimant, chain_id, asset)
  where (${of('stored')}) is distinct from (${of('due')})
  ${sample === null ? `union all select claimant from (${missing}) busy` : ''}`

const of = (table: string) => totalColumns.replaceAll(/\w+/g, (column) => `${table}.${column}`)
const ofSampled = (sample: Sample) => (sample === null ? '' : 'where claimant in (select claimant from sampled)')
