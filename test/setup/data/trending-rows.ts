import { expect } from 'vitest'
import { differingTrendingCampaigns } from '../../../src/read-models/claim-windows/check.ts'
import type { TestDatabase } from '../database.ts'

/** Compares what is kept for trending with the campaigns themselves. */
export async function expectTrendingToAgree(database: Pick<TestDatabase, 'query'>) {
  expect(await database.query(differingTrendingCampaigns(null))).toEqual([])
}
