import { nameTouchedCampaigns } from '../read-models/data-version/maintain.ts'
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
