import { populating, type Step, stepsFor, stepsUnlessEmpty } from '../steps.ts'
import { differingFacetRows, facetsOf } from './check.ts'

/*
 * The bitmaps change with the campaigns whose records change: their bits are cleared while the stored rows still show
 * which bitmaps have them, and set again when all rows are final. Claims and tokens change bitmaps only if they flip a
 * campaign: exhaust it, for example, or make it claimable again.
 */

/** From this number of bits on a segment is split, since it is always read whole. */
const maxBits = '2 * segment_size()'

/** The bitmaps that claims and tokens can change. */
const derivedKinds = `'whitelisted', 'active'`

const facetColumns = 'campaign_key bigint, kind text, chain_id bigint, value text'
const indexedColumns = 'facet_key integer, campaign_key bigint'

export const bitmapTables = {
  facets_before: facetColumns,
  indexed_before: indexedColumns,
  facets_after: facetColumns,
  indexed_after: indexedColumns,
}

/**
 * The facets of the campaigns with touched records at this moment, as far as they have bitmaps; for the others, whose
 * template may have changed, the action. In two statements, so that the size of each is known: the planner cannot estimate a
 * view of ten tables.
 */
const findAffected = (moment: 'before' | 'after') => [
  populating(
    `facets_${moment}`,
    `insert into facets_${moment}
    select membership.campaign_key, membership.kind, membership.chain_id, membership.value
    from touched_campaigns touched
    -- For each by itself: joined, all campaigns would be read ten times, however few are touched.
    cross join lateral (
      select * from all_campaign_facets found
      where found.campaign_key = touched.key and (touched.is_record_touched or found.kind = 'action') offset 0
    ) membership`,
  ),
  populating(
    `indexed_${moment}`,
    `insert into indexed_${moment}
    select facet.key, campaign_key from facets_${moment} join indexed_facets facet using (kind, chain_id, value)`,
  ),
]

/** The bits of these campaigns in all bitmaps. */
const affectedBits = (moment: 'before' | 'after') => `
  select facet_key, assigned.segment, bit_or(set_bit(segments.empty, assigned.bit, 1)) as bits
  from indexed_${moment} mapped
  join campaign_bits assigned using (campaign_key)
  join bitmap_segments segments on segments.segment = assigned.segment
  group by facet_key, assigned.segment`

/** Before any stored row changes. */
export const clearBits = stepsFor(
  ['campaign', 'withdrawnCampaign', 'actionTemplate'],
  ...findAffected('before'),
  `update facet_bitmaps bitmap set bits = bitmap.bits & ~touched.bits from (${affectedBits('before')}) touched
  where bitmap.facet_key = touched.facet_key and bitmap.segment = touched.segment`,
)

/** Only if they are newer than all others: else they belong into an existing segment. */
const newSegments = `insert into bitmap_segments (segment, empty)
  select min(block_timestamp), repeat('0', segment_size())::varbit
  from (
    -- Equal timestamps have equal ranks, so they stay together.
    select block_timestamp, (used_bits + rank() over (order by block_timestamp) - 1) / segment_size() as nth
    from staged_key join campaigns using (key)
    cross join (select segment, used_bits from bitmap_segments order by segment desc limit 1) newest
    where not exists (select from campaign_bits where campaign_key = key) and block_timestamp > greatest(
      newest.segment, (select max(block_timestamp) from campaign_bits assigned where assigned.segment = newest.segment))
  ) later
  where nth > 0
  group by nth`

const newBits = `insert into campaign_bits
    (campaign_key, segment, bit, block_timestamp, chain_id, core_address, identifier)
  select key, segments.segment, segments.used_bits + row_number() over (partition by segments.segment order by block_timestamp, key) - 1,
    block_timestamp, chain_id, core_address, identifier
  from staged_key
  join campaigns using (key)
  cross join lateral (
    select segment, used_bits from bitmap_segments where segment <= block_timestamp order by segment desc limit 1) segments
  where not exists (select from campaign_bits where campaign_key = key)`

/** The bitmaps of derived columns that differ for a campaign that a claim or a token has flipped. */
const flippedBits = (isThere: boolean) => `
  select facet.key as facet_key, assigned.segment, bit_or(set_bit(segments.empty, assigned.bit, 1)) as bits
  from flipped_campaigns flipped
  join touched_campaigns touched on touched.key = flipped.key and not touched.is_record_touched
  join campaign_bits assigned on assigned.campaign_key = flipped.key
  join bitmap_segments segments on segments.segment = assigned.segment
  cross join indexed_facets facet
  -- For each by itself, as above.
  left join lateral (
    select true as is_there from all_campaign_facets found
    where found.campaign_key = flipped.key and found.kind in (${derivedKinds}) and found.kind = facet.kind offset 0
  ) membership on true
  where facet.kind in (${derivedKinds}) and is_there is ${isThere ? 'not' : ''} null
  group by facet.key, assigned.segment`

const segmentsOfStaged = 'select distinct segment from staged_key join campaign_bits on campaign_key = key'

/** After all rows and derived columns are final. From here on searches find the new state. */
export const setBits: Step[] = [
  ...stepsFor(
    ['campaign'],
    // Their bits have been cleared in all bitmaps.
    `delete from campaign_bits assigned using staged_key join campaigns using (key)
    where assigned.campaign_key = staged_key.key and assigned.block_timestamp <> campaigns.block_timestamp`,
    newSegments,
    newBits,
    populating(
      'bitmap_segments',
      `update bitmap_segments segments set used_bits = own.used_bits,
        empty = case when own.used_bits > length(empty) then repeat('0', 2 * own.used_bits)::varbit else empty end
      from (
        select segment, max(bit) + 1 as used_bits from staged_key join campaign_bits on campaign_key = key group by segment
      ) own
      where segments.segment = own.segment and segments.used_bits < own.used_bits`,
    ),
    // Bitmaps of one segment are equally long.
    `update facet_bitmaps bitmap set bits = bitmap.bits || substring(grown.empty from length(bitmap.bits) + 1)
    from (
      select segments.segment, segments.empty from (${segmentsOfStaged}) staged
      join bitmap_segments segments using (segment)
      join facet_bitmaps all_campaigns on all_campaigns.facet_key = built_in_facet('all') and all_campaigns.segment = segments.segment
      where length(all_campaigns.bits) < length(segments.empty)
      offset 0
    ) grown
    where bitmap.segment = grown.segment`,
  ),
  ...stepsFor(
    ['campaign', 'withdrawnCampaign', 'actionTemplate'],
    ...findAffected('after'),
    `insert into facet_bitmaps as bitmap (facet_key, segment, bits) ${affectedBits('after')}
    on conflict (facet_key, segment) do update set bits = bitmap.bits | excluded.bits`,
  ),
  ...stepsUnlessEmpty(
    'flipped_campaigns',
    ['incentive', 'claim', 'withdrawnClaim', 'token'],
    `insert into facet_bitmaps as bitmap (facet_key, segment, bits) ${flippedBits(true)}
    on conflict (facet_key, segment) do update set bits = bitmap.bits | excluded.bits`,
    `update facet_bitmaps bitmap set bits = bitmap.bits & ~missing.bits from (${flippedBits(false)}) missing
    where bitmap.facet_key = missing.facet_key and bitmap.segment = missing.segment`,
  ),
  ...stepsFor(
    ['campaign', 'actionTemplate'],
    populating(
      'indexed_facets',
      `select build_facet_bitmap(kind, chain_id, value) from (
        select kind, chain_id, value from facets_after
        except
        select kind, chain_id, value from indexed_facets
        offset 0
      ) found where cardinality(campaign_keys_for_facet(kind, chain_id, value)) > max_unindexed_campaigns()`,
    ),
  ),
]

/** After the facets of the batch are in the bitmaps. */
export const splitSegments = stepsFor(
  ['campaign'],
  // Many campaigns of the same instant cannot be divided.
  `select rebuild_campaign_bitmaps() where exists (
  select from bitmap_segments segments where used_bits > ${maxBits} and used_bits - ${maxBits} > (
    select max(equal_count) from (
      select count(*) as equal_count from campaign_bits assigned where assigned.segment = segments.segment
      group by block_timestamp) equals))`,
  // If no process serves from this server, as behind a standby.
  'select advance_active_bitmap(50)',
)

/** The facets of staged campaigns, whose other rows are written; incentives that they no longer have may still be there. */
export const insertStagedFacets = `insert into campaign_facets (kind, chain_id, value, campaign_key)
  ${facetsOf('staged_key', 'position = any (incentive_positions)')}
  union
  select 'collection', nft_collection_chain_id, nft_collection_address, key
  from staged_campaign join staged_key using (id) where nft_collection_address is not null`

/** Facets by the other rows of all campaigns. Writes only what differs. */
export const recomputeFacets = [
  `create temp table differing_facets on commit drop as ${differingFacetRows('campaigns')}`,
  `delete from campaign_facets stored using differing_facets other
  where is_surplus
    and (stored.kind, stored.chain_id, stored.value, stored.campaign_key) = (other.kind, other.chain_id, other.value, other.campaign_key)`,
  `insert into campaign_facets (kind, chain_id, value, campaign_key)
  select kind, chain_id, value, campaign_key from differing_facets where not is_surplus`,
]
