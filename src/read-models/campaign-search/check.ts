import { type Sample, within } from '../../database/find-data-differences.ts'

/** The kinds that follow from other rows of a campaign; the collection is only here. */
const IS_DERIVED = `kind <> 'collection'`

/** The facets that campaigns have by their other rows. `campaigns` is a relation with the column `key`. */
export const facetsOf = (campaigns: string, isCurrentIncentive = 'true') => `
  select 'target' as kind, (step.definition ->> 'chainId')::bigint as chain_id, step.definition ->> 'targetContract' as value,
    step.campaign_key
  from action_steps step join ${campaigns} changed on changed.key = step.campaign_key
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
  select campaign_key, due.kind is null as is_surplus, kind, chain_id, value
  from (${facetsOf(campaigns)}) due
  full join (
    select stored.* from campaign_facets stored join ${campaigns} changed on changed.key = stored.campaign_key where stored.${IS_DERIVED}
  ) stored using (campaign_key, kind, chain_id, value)
  where due.kind is null or stored.kind is null`

/*
 * Compares the data behind pages and totals with the campaigns. Each query returns the differences; none if all is
 * well.
 */

/** Campaigns with other contracts, tokens or channels than their rows have. */
export const differingFacets = (sample: Sample) => `
  select distinct id as what
  from (${differingFacetRows(`(select key from campaigns where ${within(sample, 'key')})`)}) differing
  join campaigns on key = campaign_key`

/** Campaigns without exactly one correct bit. */
export const campaignsWithWrongBits = (sample: Sample) => `
  select id as what
  from campaigns left join campaign_bits assigned on campaign_key = key
  where ${within(sample, 'key')} and (
    (assigned.block_timestamp, assigned.chain_id, assigned.core_address, assigned.identifier)
      is distinct from (campaigns.block_timestamp, campaigns.chain_id, campaigns.core_address, campaigns.identifier)
    or segment is distinct from (
      select max(segment) from bitmap_segments where bitmap_segments.segment <= campaigns.block_timestamp)
    or bit >= (select used_bits from bitmap_segments where bitmap_segments.segment = assigned.segment)
    or exists (
      select from campaign_bits other
      where other.segment = assigned.segment and other.bit = assigned.bit and other.campaign_key <> key))`

/** Segments that contain some of the campaigns: possibly an old one, and the newest, which changes most. */
const segmentsOf = (sample: Sample) =>
  sample === null
    ? 'select segment from bitmap_segments'
    : `select max(segment) as segment from bitmap_segments
      union
      (select segment from campaign_bits where campaign_key = any($1::bigint[]) order by campaign_key limit 1)`

/** Bitmaps of those segments that differ, bit by bit, from the campaigns. */
export const differingBitmaps = (sample: Sample) => `
  with segments as (
    select segment, empty from bitmap_segments where segment in (${segmentsOf(sample)})
  ), due as (
    select facet.key as facet_key, assigned.segment, bit_or(set_bit(segments.empty, assigned.bit, 1)) as bits
    from segments
    join campaign_bits assigned on assigned.segment = segments.segment and assigned.bit < length(segments.empty)
    cross join lateral (
      select * from all_campaign_facets found where found.campaign_key = assigned.campaign_key offset 0
    ) membership
    join indexed_facets facet on facet.kind = membership.kind and facet.chain_id = membership.chain_id
      and facet.value = membership.value
    group by facet.key, assigned.segment
  )
  select kind || case chain_id when 0 then '' else ' ' || chain_id end || case value when '' then '' else ' ' || value end
    || ' segment ' || segment as what
  from due
  full join (select facet_key, segment, bits from facet_bitmaps where segment in (select segment from segments)) stored
    using (facet_key, segment)
  join indexed_facets on indexed_facets.key = facet_key
  where case when due.bits is null then bit_count(stored.bits) > 0 else stored.bits is distinct from due.bits end
  union all
  select 'length segment ' || segment
  from facet_bitmaps join segments using (segment) where length(bits) <> length(empty)
  group by segment
  union all
  select 'campaigns of ' || kind || ' ' || chain_id || ' ' || value from indexed_facets
  where campaigns <> (select coalesce(sum(bit_count(bits)), 0) from facet_bitmaps where facet_key = key)`
