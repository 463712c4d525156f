import { aboutCampaigns, type Ingredient } from '../read-models/steps.ts'
import type { Ask } from './connection.ts'
import { mergeSteps } from './merge.ts'
import { emptyWideTables } from './working-tables.ts'

/**
 * Turns what is staged into rows and derived figures.
 * @param plan told of each working table that has been filled, before statements are planned that depend on its size.
 */
export async function mergeStaged(
  ask: Ask,
  ingredients: ReadonlySet<Ingredient>,
  plan?: (table: string) => Promise<unknown>,
) {
  for (const { of, needs, sql, fills } of mergeSteps) {
    if (!of.some((ingredient) => ingredients.has(ingredient))) continue
    if (needs !== undefined && (await ask(`select from ${needs} limit 1`)).rows.length === 0) continue
    await ask(sql)
    if (fills !== undefined) await plan?.(fills)
  }
  if ([...ingredients].every((ingredient) => aboutCampaigns.includes(ingredient))) await ask(nameTouchedCampaigns)
  for (const { of, truncate } of emptyWideTables) if (ingredients.has(of)) await ask(truncate)
}

/** From this number of campaigns on a revision may as well be about all of them. */
const MOST_NAMED = 1000

/** Says what this revision of the data is about: else it could be about anything, and no kept answer outlives it. */
export const nameTouchedCampaigns = `update data_revisions
  set campaign_keys = (select coalesce(array_agg(key), '{}') from touched_campaigns),
    alters_lists = exists (select from staged_campaign) or exists (select from withdrawn_campaign)
      or exists (select from flipped_campaigns)
  where revision = (select max(revision) from data_revisions)
    -- Its own: a batch that has written nothing has none.
    and xmin = pg_current_xact_id()::xid
    and (select count(*) from touched_campaigns) <= ${MOST_NAMED}`
