import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { campaignKey } from '../../database/columns.ts'
import { campaigns } from '../../database/tables/campaigns/campaigns.ts'

/**
 * JSON of what the record of a campaign says, made when that changes by `make_campaign_documents`, which says what stands
 * where. U+0001, which JSON text never has, marks the places of what changes without the record. Stored as it is, neither
 * compressed nor moved aside while a row fits a page.
 */
export const campaignDocuments = pgTable('campaign_documents', {
  campaignKey: campaignKey()
    .primaryKey()
    .references(() => campaigns.key, { onDelete: 'cascade' }),
  /** What the list and the detail have in common, from the opening brace on. */
  body: text().notNull(),
  /** As the list has it; null where the campaign has none. */
  allowList: text(),
  /** Null where there are none. */
  actionSteps: text(),
  /** As the detail has it, where that differs. */
  detailAllowList: text(),
  /** The last fields of the detail, up to the closing brace. */
  detail: text().notNull(),
  /** Another one, at random, whenever any of the above is written. */
  version: uuid().notNull().default('00000000-0000-0000-0000-000000000000'),
})
