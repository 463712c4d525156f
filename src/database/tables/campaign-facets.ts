import { sql } from 'drizzle-orm'
import { check, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { campaignKey, chainId } from '../columns.ts'
import { campaigns } from './campaigns.ts'

/** What a campaign can be found by that it may have several of. */
type SeveralFacetKind = 'target' | 'token' | 'collection' | 'channel'

/** All that a campaign can be found by: what it has several of, one of, or is (see campaign-maps). */
export type FacetKind =
  | SeveralFacetKind
  | 'owner'
  | 'creator'
  | 'budget'
  | 'autocampaign'
  | 'chain'
  | 'all'
  | 'whitelisted'
  | 'active'
  | 'template'

/**
 * One thing a campaign can be found by: the target contract of an action step, a token it pays or deals in, the NFT
 * collection it deals in, or a distribution channel (its case folded, chain 0). Derived from the campaign record.
 */
export const campaignFacets = pgTable(
  'campaign_facets',
  {
    kind: text().$type<SeveralFacetKind>().notNull(),
    chainId: chainId().notNull(),
    value: text().notNull(),
    campaignKey: campaignKey()
      .notNull()
      .references(() => campaigns.key, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.chainId, table.value, table.campaignKey] }),
    index('campaign_facets_by_campaign').on(table.campaignKey),
    check('campaign_facets_kind_is_known', sql`${table.kind} in ('target', 'token', 'collection', 'channel')`),
    check('campaign_facets_value_is_lower_case', sql`${table.value} = lower(${table.value} collate "C")`),
  ],
)
