import { differingFacetRows, facetsOf } from './check.ts'

/** The facets of staged campaigns, whose other rows are written; incentives that they no longer have may still be there. */
export const insertStagedFacets = `insert into campaign_facets (kind, chain_id, value, campaign_key, block_timestamp)
  select kind, facet.chain_id, value, campaign_key, block_timestamp
  from (
    ${facetsOf('staged_key', 'position = any (incentive_positions)')}
    union
    select 'collection', nft_collection_chain_id, nft_collection_address, key
    from staged_campaign join staged_key using (id) where nft_collection_address is not null
  ) facet
  join campaigns on key = campaign_key`

/** Facets by the other rows of all campaigns. Writes only what differs. */
export const recomputeFacets = [
  `create temp table differing_facets on commit drop as ${differingFacetRows('campaigns')}`,
  `delete from campaign_facets stored using differing_facets other
  where is_surplus
    and (stored.kind, stored.chain_id, stored.value, stored.campaign_key) = (other.kind, other.chain_id, other.value, other.campaign_key)`,
  `insert into campaign_facets (kind, chain_id, value, campaign_key, block_timestamp)
  select kind, chain_id, value, campaign_key, block_timestamp from differing_facets where not is_surplus`,
]
