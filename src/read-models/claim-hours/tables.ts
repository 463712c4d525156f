import { sql } from 'drizzle-orm'
import { bigint, check, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { campaignKey, exactNumber } from '../../database/columns.ts'
import { campaigns } from '../../database/tables/campaigns/campaigns.ts'

/**
 * Claims of a popular campaign in an hour; no row where there are none. Copies of the view `popular_claim_hours`, changed by
 * the claims of each batch. A campaign is popular by the view `popular_campaigns`; the others have no rows.
 */
export const campaignClaimHours = pgTable(
  'campaign_claim_hours',
  {
    campaignKey: campaignKey()
      .notNull()
      .references(() => campaigns.key, { onDelete: 'cascade' }),
    /** Hours since 1970. */
    hour: bigint({ mode: 'number' }).notNull(),
    claimCount: bigint({ mode: 'number' }).notNull(),
    /** US dollars, exact; a claim of unknown value counts 0. */
    amountUsd: exactNumber().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.campaignKey, table.hour] }),
    check('campaign_claim_hours_have_claims', sql`${table.claimCount} > 0`),
    check('campaign_claim_hours_amount_is_not_negative', sql`${table.amountUsd} >= 0`),
  ],
)
