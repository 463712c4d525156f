import { populating, type Step, stepsFor, stepsUnlessEmpty } from '../steps.ts'
import { differingFacetRows, facetsOf } from './facets.ts'

/*
 * The bitmaps change with the campaigns whose records change: their bits are cleared while the stored rows still show
 * which maps have them, and set again when all rows are final. Claims and tokens change maps only if they flip a
 * campaign: exhaust it, for example, or make it claimable again.
 */

/** From this number of places on a span is divided, since it is always read whole. */
const maxPlaces = '2 * full_span()'

/** The maps that claims and tokens can change. */
const derivedKinds = `'whitelisted', 'active'`

const memberships = 'campaign_key bigint, kind text, chain_id bigint, value text'
const mapped = 'facet_key integer, campaign_key bigint'

export const mapTables = {
  memberships_before: memberships,
  mapped_before: mapped,
  memberships_after: memberships,
  mapped_after: mapped,
}

/**
 * The facets of the campaigns with touched records at this moment, as far as they have maps; for the others, whose
 * template may have changed, the action. In two steps, so that the size of each is known: the planner cannot estimate a
 * view of ten tables.
 */
const findAffected = (moment: 'before' | 'after') => [
  populating(
    `memberships_${moment}`,
    `insert into memberships_${moment}
    select membership.campaign_key, membership.kind, membership.chain_id, membership.value
    from touched_campaigns touched
    -- For each by itself: joined, all campaigns would be read ten times, however few are touched.
    cross join lateral (
      select * from campaign_memberships found
      where found.campaign_key = touched.key and (touched.is_record_touched or found.kind = 'action') offset 0
    ) membership`,
  ),
  populating(
    `mapped_${moment}`,
    `insert into mapped_${moment}
    select facet.key, campaign_key from memberships_${moment} join popular_facets facet using (kind, chain_id, value)`,
  ),
]

/** The bits of these campaigns in all maps. */
const affectedBits = (moment: 'before' | 'after') => `
  select facet_key, placed.since, bit_or(set_bit(span.blank, placed.place, 1)) as bits
  from mapped_${moment} mapped
  join campaign_places placed using (campaign_key)
  join campaign_spans span on span.since = placed.since
  group by facet_key, placed.since`

/** Before any stored row changes. */
export const clearBits = stepsFor(
  ['campaign', 'withdrawnCampaign', 'actionTemplate'],
  ...findAffected('before'),
  `update facet_maps map set bits = map.bits & ~touched.bits from (${affectedBits('before')}) touched
  where map.facet_key = touched.facet_key and map.since = touched.since`,
)

/** Only if they are newer than all others: else they belong into an existing span. */
const newSpans = `insert into campaign_spans (since, blank)
  select min(block_timestamp), repeat('0', full_span())::varbit
  from (
    -- Equal timestamps have equal ranks, so they stay together.
    select block_timestamp, (place_count + rank() over (order by block_timestamp) - 1) / full_span() as nth
    from staged_key join campaigns using (key)
    cross join (select since, place_count from campaign_spans order by since desc limit 1) newest
    where not exists (select from campaign_places where campaign_key = key) and block_timestamp > greatest(
      newest.since, (select max(block_timestamp) from campaign_places placed where placed.since = newest.since))
  ) later
  where nth > 0
  group by nth`

const newPlaces = `insert into campaign_places
    (campaign_key, since, place, block_timestamp, chain_id, core_address, identifier)
  select key, span.since, span.place_count + row_number() over (partition by span.since order by block_timestamp, key) - 1,
    block_timestamp, chain_id, core_address, identifier
  from staged_key
  join campaigns using (key)
  cross join lateral (
    select since, place_count from campaign_spans where since <= block_timestamp order by since desc limit 1) span
  where not exists (select from campaign_places where campaign_key = key)`

/** The maps of derived columns that differ for a campaign that a claim or a token has flipped. */
const flippedBits = (isThere: boolean) => `
  select facet.key as facet_key, placed.since, bit_or(set_bit(span.blank, placed.place, 1)) as bits
  from flipped_campaigns flipped
  join touched_campaigns touched on touched.key = flipped.key and not touched.is_record_touched
  join campaign_places placed on placed.campaign_key = flipped.key
  join campaign_spans span on span.since = placed.since
  cross join popular_facets facet
  -- For each by itself, as above.
  left join lateral (
    select true as is_there from campaign_memberships found
    where found.campaign_key = flipped.key and found.kind in (${derivedKinds}) and found.kind = facet.kind offset 0
  ) membership on true
  where facet.kind in (${derivedKinds}) and is_there is ${isThere ? 'not' : ''} null
  group by facet.key, placed.since`

const spansOfStaged = 'select distinct since from staged_key join campaign_places on campaign_key = key'

/** After all rows and derived columns are final. From here on searches find the new state. */
export const putIntoMaps: Step[] = [
  ...stepsFor(
    ['campaign'],
    // Their bits have been cleared in all maps.
    `delete from campaign_places placed using staged_key join campaigns using (key)
    where placed.campaign_key = staged_key.key and placed.block_timestamp <> campaigns.block_timestamp`,
    newSpans,
    newPlaces,
    populating(
      'campaign_spans',
      `update campaign_spans span set place_count = own.place_count,
        blank = case when own.place_count > length(blank) then repeat('0', 2 * own.place_count)::varbit else blank end
      from (
        select since, max(place) + 1 as place_count from staged_key join campaign_places on campaign_key = key group by since
      ) own
      where span.since = own.since and span.place_count < own.place_count`,
    ),
    // Maps of one span are equally long.
    `update facet_maps map set bits = map.bits || substring(grown.blank from length(map.bits) + 1)
    from (
      select span.since, span.blank from (${spansOfStaged}) staged
      join campaign_spans span using (since)
      join facet_maps all_campaigns on all_campaigns.facet_key = built_in_facet('all') and all_campaigns.since = span.since
      where length(all_campaigns.bits) < length(span.blank)
      offset 0
    ) grown
    where map.since = grown.since`,
  ),
  ...stepsFor(
    ['campaign', 'withdrawnCampaign', 'actionTemplate'],
    ...findAffected('after'),
    `insert into facet_maps as map (facet_key, since, bits) ${affectedBits('after')}
    on conflict (facet_key, since) do update set bits = map.bits | excluded.bits`,
  ),
  ...stepsUnlessEmpty(
    'flipped_campaigns',
    ['incentive', 'claim', 'withdrawnClaim', 'token'],
    `insert into facet_maps as map (facet_key, since, bits) ${flippedBits(true)}
    on conflict (facet_key, since) do update set bits = map.bits | excluded.bits`,
    `update facet_maps map set bits = map.bits & ~missing.bits from (${flippedBits(false)}) missing
    where map.facet_key = missing.facet_key and map.since = missing.since`,
  ),
  ...stepsFor(
    ['campaign', 'actionTemplate'],
    populating(
      'popular_facets',
      `select map_facet(kind, chain_id, value) from (
        select kind, chain_id, value from memberships_after
        except
        select kind, chain_id, value from popular_facets
        offset 0
      ) found where cardinality(campaign_keys_of(kind, chain_id, value)) > max_unmapped_campaigns()`,
    ),
  ),
]

/** Last of all: it may rebuild the totals of popular creators, to which no difference may be added afterwards. */
export const divideSpans = stepsFor(
  ['campaign'],
  // Many campaigns of the same instant cannot be divided.
  `select rebuild_campaign_maps() where exists (
  select from campaign_spans span where place_count > ${maxPlaces} and place_count - ${maxPlaces} > (
    select max(equal_count) from (
      select count(*) as equal_count from campaign_places placed where placed.since = span.since
      group by block_timestamp) equals))`,
  // If no process serves from this server, as behind a standby.
  'select advance_campaign_activity(50)',
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
  `delete from campaign_facets kept using differing_facets other
  where is_surplus
    and (kept.kind, kept.chain_id, kept.value, kept.campaign_key) = (other.kind, other.chain_id, other.value, other.campaign_key)`,
  `insert into campaign_facets (kind, chain_id, value, campaign_key)
  select kind, chain_id, value, campaign_key from differing_facets where not is_surplus`,
]
