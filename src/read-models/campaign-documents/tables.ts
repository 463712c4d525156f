import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { ofCampaign } from '../../database/tables/campaigns.ts'

/**
 * JSON of a campaign's record, made when it changes by `make_campaign_documents`, which defines its content. U+0001,
 * which never occurs in JSON text, marks placeholders for values that change without the record. Stored inline and
 * uncompressed while a row fits a page.
 */
export const campaignDocuments = pgTable('campaign_documents', {
  campaignKey: ofCampaign().primaryKey(),
  /** The common part of the list and the detail, from the opening brace on. */
  body: text().notNull(),
  /** The form of the list; null if the campaign has none. */
  allowList: text(),
  /** Null if there are none. */
  actionSteps: text(),
  /** The form of the detail, if that differs. */
  detailAllowList: text(),
  /** The last fields of the detail, up to the closing brace. */
  detail: text().notNull(),
  /** Replaced by a random value whenever any of the above is written. */
  version: uuid().notNull().default('00000000-0000-0000-0000-000000000000'),
})
