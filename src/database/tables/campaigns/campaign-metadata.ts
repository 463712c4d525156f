import { jsonb, pgTable, text } from 'drizzle-orm/pg-core'

/**
 * What a `campaignMetadata` record says of a campaign: what no chain tells. Kept whether the campaign is there yet or not,
 * and laid over what the campaign's own record says, key by key, whenever either of them is written.
 */
export const campaignMetadata = pgTable('campaign_metadata', {
  /** ID of the campaign, lower-case. No foreign key: the metadata may come first. */
  id: text().primaryKey(),
  /** Names and values of the columns that it decides on, as they are staged. */
  chosen: jsonb().$type<Record<string, unknown>>().notNull(),
  /** The same columns as the campaign's own record has them; null as long as there is none. */
  own: jsonb().$type<Record<string, unknown>>(),
})
