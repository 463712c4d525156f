import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
} from 'drizzle-orm/pg-core'
import { address, baseUnits, blockTimestamp, campaignKey, chainId, instant } from '../../database/columns.ts'
import { ofCampaign } from '../../database/tables/campaigns/campaigns.ts'

/** Kinds of facets that a campaign may have several of. */
type SeveralFacetKind = 'target' | 'token' | 'collection' | 'channel'

/** All kinds of facets: with several values, with one, and flags (see `popularFacets`). */
export type FacetKind =
  | SeveralFacetKind
  | 'owner'
  | 'creator'
  | 'budget'
  | 'autocampaign'
  | 'chain'
  | 'id'
  | 'reward'
  | 'incentive'
  | 'action'
  | 'word'
  | 'ending'
  /** Any token of a chain. */
  | 'tokens'
  | 'all'
  | 'whitelisted'
  | 'active'
  | 'template'

/**
 * A facet of a campaign: the target contract of an action step, a token it pays or deals in, the NFT collection it
 * deals in, or a distribution channel (case folded, chain 0). Derived from the other rows of a campaign, except the collection,
 * which is only here.
 */
export const campaignFacets = pgTable(
  'campaign_facets',
  {
    kind: text().$type<SeveralFacetKind>().notNull(),
    chainId: chainId().notNull(),
    value: text().notNull(),
    campaignKey: ofCampaign().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.chainId, table.value, table.campaignKey] }),
    index('campaign_facets_by_campaign').on(table.campaignKey),
    check('campaign_facets_kind_is_known', sql`${table.kind} in ('target', 'token', 'collection', 'channel')`),
    check('campaign_facets_value_is_lower_case', sql`${table.value} = lower(${table.value} collate "C")`),
  ],
)

/*
 * Which campaigns have which facets, as bitmaps, so that pages and totals of any combination are found by `and`, `or`
 * and counting bits. All of it is derived by the import, and recomputed by `rebuild_campaign_maps`.
 */

const bits = customType<{ data: string }>({ dataType: () => 'varbit' })

/** The first block timestamp of a span. */
const since = () => blockTimestamp()

/**
 * A span of time, up to the start of the next one: the campaigns with its block timestamps each have a place in it.
 * About 8,192 campaigns; the first span begins at 0, and the newest one grows until it is full. Equal timestamps are in
 * one span.
 */
export const campaignSpans = pgTable(
  'campaign_spans',
  {
    since: since().primaryKey(),
    /** How many places have been assigned; those of withdrawn campaigns are not reused. */
    placeCount: integer().notNull().default(0),
    /** As many zeros as the maps of the span have bits. */
    blank: bits().notNull(),
  },
  (table) => [check('campaign_spans_have_room', sql`${table.placeCount} between 0 and length(${table.blank})`)],
)

/** Which bit of the maps of which span stands for a campaign, with everything that campaigns are sorted by. */
export const campaignPlaces = pgTable(
  'campaign_places',
  {
    campaignKey: ofCampaign().primaryKey(),
    since: since().notNull(),
    place: integer().notNull(),
    blockTimestamp: blockTimestamp().notNull(),
    chainId: chainId().notNull(),
    coreAddress: address().notNull(),
    identifier: baseUnits().notNull(),
  },
  (table) => [
    // Read alone, from any span on, in the order of pages.
    index('campaign_places_by_recency').on(
      table.since,
      table.blockTimestamp.desc().nullsFirst(),
      table.chainId,
      table.coreAddress,
      table.identifier,
      table.place,
      table.campaignKey,
    ),
    // For the campaigns of some bits.
    index('campaign_places_by_place').on(table.since, table.place),
    check('campaign_places_are_not_negative', sql`${table.place} >= 0`),
  ],
)

/**
 * Facets of many campaigns (more than 150 at some time), which have maps, and the four flags, which always have maps.
 * Other facets are looked up in their tables.
 */
export const popularFacets = pgTable(
  'popular_facets',
  {
    key: integer().primaryKey().generatedAlwaysAsIdentity(),
    kind: text().$type<FacetKind>().notNull(),
    chainId: chainId().notNull(),
    value: text().notNull(),
    /** How many campaigns have a bit in its maps. Counted by triggers on these. */
    campaigns: integer().notNull().default(0),
  },
  (table) => [unique('popular_facets_are_unique').on(table.kind, table.chainId, table.value)],
)

/** The campaigns of a span with a facet: bit n is the campaign at place n. No row: none. */
export const facetMaps = pgTable(
  'facet_maps',
  {
    facetKey: integer()
      .notNull()
      .references(() => popularFacets.key, { onDelete: 'cascade' }),
    since: since().notNull(),
    bits: bits().notNull(),
  },
  (table) => [primaryKey({ columns: [table.facetKey, table.since] }), index('facet_maps_by_span').on(table.since)],
)

/**
 * The instant at which the campaigns with a bit in the map `active` are active. A query for another instant checks
 * those that start or end in between. Advanced by `advance_campaign_activity`.
 */
export const campaignActivity = pgTable(
  'campaign_activity',
  {
    isTheOnlyRow: boolean().primaryKey().default(true),
    asOf: instant().notNull(),
  },
  (table) => [check('campaign_activity_has_one_row', sql`${table.isTheOnlyRow}`)],
)

/**
 * The sort values of a campaign until a revision changed them: walks that began earlier place it there. Written by a
 * trigger on campaigns, kept for a day at least; the campaign may be gone.
 */
export const formerPositions = pgTable(
  'former_positions',
  {
    campaignKey: campaignKey().notNull(),
    revision: bigint({ mode: 'number' }).notNull(),
    blockTimestamp: blockTimestamp().notNull(),
    startAt: instant(),
    endAt: instant(),
    isExhausted: boolean().notNull(),
    changedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.campaignKey, table.revision] }),
    index('former_positions_by_revision').on(table.revision),
  ],
)
