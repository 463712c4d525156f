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
import { address, baseUnits, blockTimestamp, campaignKey, chainId, instant } from '../../database/column-types.ts'
import { ofCampaign } from '../../database/tables/campaigns.ts'

/** Kinds of facets that a campaign may have several of. */
type SeveralFacetKind = 'target' | 'token' | 'collection' | 'channel'

/** All kinds of facets: with several values, with one, and flags (see `indexedFacets`). */
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
 * and counting bits. All of it is derived by the import, and recomputed by `rebuild_campaign_bitmaps`.
 */

const bits = customType<{ data: string }>({ dataType: () => 'varbit' })

/** A segment is named by its first block timestamp. */
const segment = () => blockTimestamp()

/**
 * A range of block timestamps, up to the start of the next segment: each of its campaigns has one bit of its bitmaps.
 * About 8,192 campaigns; the first segment begins at 0, and the newest one grows until it is full. Equal timestamps are
 * in one segment.
 */
export const bitmapSegments = pgTable(
  'bitmap_segments',
  {
    segment: segment().primaryKey(),
    /** How many bits have been assigned; those of withdrawn campaigns are not reused. */
    usedBits: integer().notNull().default(0),
    /** A bitmap of the segment without campaigns: as many zeros as its bitmaps have bits. */
    empty: bits().notNull(),
  },
  (table) => [check('bitmap_segments_have_room', sql`${table.usedBits} between 0 and length(${table.empty})`)],
)

/** Which bit of which segment stands for a campaign, with everything that campaigns are sorted by. */
export const campaignBits = pgTable(
  'campaign_bits',
  {
    campaignKey: ofCampaign().primaryKey(),
    segment: segment().notNull(),
    bit: integer().notNull(),
    blockTimestamp: blockTimestamp().notNull(),
    chainId: chainId().notNull(),
    coreAddress: address().notNull(),
    identifier: baseUnits().notNull(),
  },
  (table) => [
    // Read alone, from any segment on, in the order of pages.
    index('campaign_bits_by_recency').on(
      table.segment,
      table.blockTimestamp.desc().nullsFirst(),
      table.chainId,
      table.coreAddress,
      table.identifier,
      table.bit,
      table.campaignKey,
    ),
    // For the campaigns of some bits.
    index('campaign_bits_by_bit').on(table.segment, table.bit),
    check('campaign_bits_are_not_negative', sql`${table.bit} >= 0`),
  ],
)

/**
 * Facets of many campaigns (more than 150 at some time), which have bitmaps, and the four flags, which always have.
 * Other facets are looked up in their tables.
 */
export const indexedFacets = pgTable(
  'indexed_facets',
  {
    key: integer().primaryKey().generatedAlwaysAsIdentity(),
    kind: text().$type<FacetKind>().notNull(),
    chainId: chainId().notNull(),
    value: text().notNull(),
    /** How many campaigns have a bit in its bitmaps. Counted by triggers on these. */
    campaigns: integer().notNull().default(0),
  },
  (table) => [unique('indexed_facets_are_unique').on(table.kind, table.chainId, table.value)],
)

/** The campaigns of a segment with a facet: bit n is the campaign with bit n in `campaign_bits`. No row: none. */
export const facetBitmaps = pgTable(
  'facet_bitmaps',
  {
    facetKey: integer()
      .notNull()
      .references(() => indexedFacets.key, { onDelete: 'cascade' }),
    segment: segment().notNull(),
    bits: bits().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.facetKey, table.segment] }),
    index('facet_bitmaps_by_segment').on(table.segment),
  ],
)

/**
 * The instant at which the campaigns with a bit in the bitmaps of `active` are active. A query for another instant checks
 * those that start or end in between. Moved on by `advance_active_bitmap`.
 */
export const activeBitmapState = pgTable(
  'active_bitmap_state',
  {
    isTheOnlyRow: boolean().primaryKey().default(true),
    asOf: instant().notNull(),
  },
  (table) => [check('active_bitmap_state_has_one_row', sql`${table.isTheOnlyRow}`)],
)

/**
 * The sort values of a campaign until a revision changed them: walks that began earlier sort it by these. Written by a
 * trigger on campaigns, stored for a day at least; the campaign may be gone.
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
