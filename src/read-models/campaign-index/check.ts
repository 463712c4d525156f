import { comparing, type Sample, within } from '../../database/find-data-differences.ts'

/** As the target of a step: any contract, which is the contract of no campaign. */
const ANY_CONTRACT = `0x${'0'.repeat(40)}`

/** Facets that are missing or too many. Collections are only here. */
export const differingFacetRows = (sample: Sample) => `
  select campaign_key, due.kind is null as is_surplus, kind, chain_id, value, block_timestamp
  from (
    select facet.*, block_timestamp
    from (
      select 'target' as kind, (definition ->> 'chainId')::bigint as chain_id, definition ->> 'targetContract' as value,
        campaign_key
      from action_steps where definition ->> 'targetContract' <> '${ANY_CONTRACT}' and ${within(sample, 'campaign_key')}
      union
      select 'token', chain_id, asset, campaign_key from incentives
      where asset is not null and ${within(sample, 'campaign_key')}
      union
      select 'token', action_token_chain_id, action_token_address, key from campaigns
      where action_token_address is not null and ${within(sample, 'key')}
      union
      select 'channel', 0, fold_case(channel), key from campaigns, unnest(distribution_channels) channel
      where ${within(sample, 'key')}
    ) facet
    join campaigns on key = campaign_key
  ) due
  full join (
    select * from campaign_facets where kind <> 'collection' and ${within(sample, 'campaign_key')}
  ) stored using (campaign_key, kind, chain_id, value, block_timestamp)
  where due.kind is null or stored.kind is null`

/** Campaigns with other contracts, tokens or channels than their rows have. */
const differingFacets = (sample: Sample) => `
  select distinct id as what from (${differingFacetRows(sample)}) differing join campaigns on key = campaign_key`

export const examineCampaignIndex = comparing({ 'contracts, tokens and channels of campaigns': differingFacets })
