import { jsonb, pgTable, primaryKey, smallint } from 'drizzle-orm/pg-core'
import type { ActionStep } from '../../../schemas/campaigns/action-steps.ts'
import { ofCampaign } from './campaigns.ts'

/** An action step of a campaign, in its order. Written with its campaign; its target is also a campaign facet. */
export const actionSteps = pgTable(
  'action_steps',
  {
    campaignKey: ofCampaign().notNull(),
    position: smallint().notNull(),
    definition: jsonb().$type<ActionStep>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.campaignKey, table.position] })],
)
