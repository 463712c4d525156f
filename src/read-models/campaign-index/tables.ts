import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { blockTimestamp, campaignKey, chainId, instant } from '../../database/column-types.ts'
import { ofCampaign } from '../../database/tables/campaigns.ts'

/** Kinds of facets that a campaign may have several of. */
type SeveralFacetKind = 'target' | 'token' | 'collection' | 'channel'

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
    /** That of the campaign: the newest one of a contract is found by an index. */
    blockTimestamp: blockTimestamp().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.chainId, table.value, table.campaignKey] }),
    index('campaign_facets_by_campaign').on(table.campaignKey),
    index('campaign_facets_of_contracts')
      .on(table.chainId, table.value, table.blockTimestamp)
      .where(sql`${table.kind} = 'target'`),
    check('campaign_facets_kind_is_known', sql`${table.kind} in ('target', 'token', 'collection', 'channel')`),
    check('campaign_facets_value_is_lower_case', sql`${table.value} = lower(${table.value} collate "C")`),
  ],
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
