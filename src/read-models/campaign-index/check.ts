import { type Sample, within } from '../../database/find-data-differences.ts'

/** The kinds that follow from other rows of a campaign; the collection is only here. */
const IS_DERIVED = `kind <> 'collection'`

/** As the target of a step: any contract, which is the contract of no campaign. */
const ANY_CONTRACT = `0x${'0'.repeat(40)}`

/** The facets that campaigns have by their other rows. `campaigns` is a relation with the column `key`. */
export const facetsOf = (campaigns: string, isCurrentIncentive = 'true') => `
  select 'target' as kind, (step.definition ->> 'chainId')::bigint as chain_id, step.definition ->> 'targetContract' as value,
    step.campaign_key
  from action_steps step join ${campaigns} changed on changed.key = step.campaign_key
  where step.definition ->> 'targetContract' <> '${ANY_CONTRACT}'
  union
  select 'token', incentive.chain_id, incentive.asset, incentive.campaign_key
  from incentives incentive join ${campaigns} changed on changed.key = incentive.campaign_key
  where incentive.asset is not null and ${isCurrentIncentive}
  union
  select 'token', campaign.action_token_chain_id, campaign.action_token_address, campaign.key
  from campaigns campaign join ${campaigns} changed on changed.key = campaign.key
  where campaign.action_token_address is not null
  union
  select 'channel', 0, fold_case(channel), campaign.key
  from campaigns campaign join ${campaigns} changed on changed.key = campaign.key, unnest(campaign.distribution_channels) channel`

/** Facets that are missing or too many, of all campaigns or a part of them. */
export const differingFacetRows = (campaigns: string) => `
  select campaign_key, due.kind is null as is_surplus, kind, chain_id, value, block_timestamp
  from (
    select facet.*, block_timestamp from (${facetsOf(campaigns)}) facet join campaigns on key = campaign_key
  ) due
  full join (
    select stored.* from campaign_facets stored join ${campaigns} changed on changed.key = stored.campaign_key where stored.${IS_DERIVED}
  ) stored using (campaign_key, kind, chain_id, value, block_timestamp)
  where due.kind is null or stored.kind is null`

/** Campaigns with other contracts, tokens or channels than their rows have. */
export const differingFacets = (sample: Sample) => `
  select distinct id as what
  from (${differingFacetRows(`(select key from campaigns where ${within(sample, 'key')})`)}) differing
  join campaigns on key = campaign_key`
