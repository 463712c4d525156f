import { type Sample, within } from '../../database/find-data-differences.ts'
import { type Step, stepsFor, stepsUnlessEmpty } from '../steps.ts'

/** The sums of the changed claims of busy claimants. */
const changes = (from: string, keys: string) => `
  select claimant, ${keys}, sum(direction) as claim_count, sum(direction * amount) as amount,
    sum(direction * coalesce(amount_usd, 0)) as amount_usd,
    coalesce(sum(direction) filter (where amount_usd is null), 0) as unvalued_count
  from ${from}
  where exists (select from claimant_asset_totals busy where busy.claimant = changes.claimant)
  group by claimant, ${keys}`

const isOther = '(changes.claim_count, changes.amount, changes.amount_usd, changes.unvalued_count) <> (0, 0, 0, 0)'
const moved = `claim_count = totals.claim_count + changes.claim_count, amount = totals.amount + changes.amount,
    amount_usd = totals.amount_usd + changes.amount_usd, unvalued_count = totals.unvalued_count + changes.unvalued_count`
const totalColumns = 'claim_count, amount, amount_usd, unvalued_count'
const changedTotals = 'changes.claim_count, changes.amount, changes.amount_usd, changes.unvalued_count'

/** Changes by `claim_changes`; the last claim is looked up in the claims, since it may have been withdrawn. */
const changeByIncentive = `merge into claimant_incentive_totals totals
  using (
    select summed.*, (
      select max(block_timestamp) from claims
      where claims.campaign_key = summed.campaign_key and claims.incentive_position = summed.incentive_position
        and claims.claimant = summed.claimant) as last_timestamp
    from (${changes('claim_changes changes', 'chain_id, campaign_key, incentive_position')}) summed
  ) changes
  on totals.campaign_key = changes.campaign_key and totals.position = changes.incentive_position
    and totals.claimant = changes.claimant
  when matched and totals.claim_count + changes.claim_count = 0 then delete
  when matched and (${isOther} or totals.last_timestamp <> changes.last_timestamp)
    then update set ${moved}, last_timestamp = changes.last_timestamp
  when not matched and changes.claim_count > 0 then insert
    (claimant, campaign_key, position, chain_id, ${totalColumns}, last_timestamp)
    values (changes.claimant, changes.campaign_key, changes.incentive_position, changes.chain_id, ${changedTotals},
      changes.last_timestamp)`

/** After the totals by incentive: a claimant without a row here is no longer busy. */
const changeByAsset = `merge into claimant_asset_totals totals
  using (${changes(
    `(
      select changed.*, coalesce(asset, '') as asset
      from claim_changes changed join incentives on incentives.campaign_key = changed.campaign_key and position = incentive_position
    ) changes`,
    'chain_id, asset',
  )}) changes
  on totals.claimant = changes.claimant and totals.chain_id = changes.chain_id and totals.asset = changes.asset
  when matched and totals.claim_count + changes.claim_count = 0 then delete
  when matched and ${isOther} then update set ${moved}
  when not matched and changes.claim_count > 0 then insert (claimant, chain_id, asset, ${totalColumns})
    values (changes.claimant, changes.chain_id, changes.asset, ${changedTotals})`

/** For claimants of an incentive that now pays another token; earlier claims count as that token. */
const ofReassigned = `claimant = any (array(
    select claimant from reassigned_incentive join claimant_incentive_totals using (campaign_key, position)))`

/**
 * After claims are stored, and before incentives are withdrawn, which define the token. First of all earlier claims are
 * counted as the new token.
 */
export const changeClaimantTotals: Step[] = [
  ...stepsUnlessEmpty(
    'reassigned_incentive',
    ['campaign'],
    `delete from claimant_asset_totals where ${ofReassigned}`,
    `insert into claimant_asset_totals (claimant, chain_id, asset, ${totalColumns})
    select * from claims_by_claimant_and_asset where ${ofReassigned}`,
  ),
  ...stepsFor(
    ['claim', 'withdrawnClaim'],
    changeByIncentive,
    changeByAsset,
    // Of those with more claims than before: a price can give hundreds of thousands of claims another value.
    'select refresh_claimant_totals(array(select claimant from claim_changes group by claimant having sum(direction) > 0))',
  ),
]

/** Busy claimants without totals, looked for among all claims. */
const missing = `
  select claimant from claims group by claimant
  having count(*) >= busy_claimant_claims()
  except select claimant from claimant_asset_totals`

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
