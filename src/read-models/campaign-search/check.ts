import { type Sample, within } from '../../database/find-differences.ts'
import { differingFacetRows } from './facets.ts'

/*
 * Compares the data behind pages and totals with the campaigns. Each query returns the differences; none if all is
 * well.
 */

/** Campaigns with other contracts, tokens or channels than their rows tell. */
export const differingFacets = (sample: Sample) => `
  select distinct id as what
  from (${differingFacetRows(`(select key from campaigns where ${within(sample, 'key')})`)}) differing
  join campaigns on key = campaign_key`

/** Campaigns without exactly one correct place. */
export const misplacedCampaigns = (sample: Sample) => `
  select id as what
  from campaigns left join campaign_places placed on campaign_key = key
  where ${within(sample, 'key')} and (
    (placed.block_timestamp, placed.chain_id, placed.core_address, placed.identifier)
      is distinct from (campaigns.block_timestamp, campaigns.chain_id, campaigns.core_address, campaigns.identifier)
    or since is distinct from (
      select max(since) from campaign_spans where campaign_spans.since <= campaigns.block_timestamp)
    or place >= (select place_count from campaign_spans where campaign_spans.since = placed.since)
    or exists (
      select from campaign_places other
      where other.since = placed.since and other.place = placed.place and other.campaign_key <> key))`

/** Spans that contain some of the campaigns: possibly an old one, and the newest, which changes most. */
const spansOf = (sample: Sample) =>
  sample === null
    ? 'select since from campaign_spans'
    : `select max(since) as since from campaign_spans
      union
      (select since from campaign_places where campaign_key = any($1::bigint[]) order by campaign_key limit 1)`

/** Maps of those spans that differ, bit by bit, from the campaigns. */
export const differingMaps = (sample: Sample) => `
  with spans as (
    select since, blank from campaign_spans where since in (${spansOf(sample)})
  ), due as (
    select facet.key as facet_key, placed.since, bit_or(set_bit(span.blank, placed.place, 1)) as bits
    from spans span
    join campaign_places placed on placed.since = span.since and placed.place < length(span.blank)
    cross join lateral (
      select * from campaign_memberships found where found.campaign_key = placed.campaign_key offset 0
    ) membership
    join popular_facets facet on facet.kind = membership.kind and facet.chain_id = membership.chain_id
      and facet.value = membership.value
    group by facet.key, placed.since
  )
  select kind || case chain_id when 0 then '' else ' ' || chain_id end || case value when '' then '' else ' ' || value end
    || ' since ' || since as what
  from due
  full join (select facet_key, since, bits from facet_maps where since in (select since from spans)) kept
    using (facet_key, since)
  join popular_facets on popular_facets.key = facet_key
  where case when due.bits is null then bit_count(kept.bits) > 0 else kept.bits is distinct from due.bits end
  union all
  select 'length since ' || since
  from facet_maps join spans using (since) where length(bits) <> length(blank)
  group by since
  union all
  select 'campaigns of ' || kind || ' ' || chain_id || ' ' || value from popular_facets
  where campaigns <> (select coalesce(sum(bit_count(bits)), 0) from facet_maps where facet_key = key)`
