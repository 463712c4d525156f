import { expect } from 'vitest'
import { campaignsWithWrongBits, differingBitmaps } from '../../../src/read-models/campaign-search/check.ts'
import { differingTrendingCampaigns } from '../../../src/read-models/claim-windows/check.ts'
import type { TestDatabase } from '../database.ts'
import { setDatabaseClock } from './database-clock.ts'

/** Builds bitmaps of a share of all facets, however few campaigns have them. In the same state it chooses the same facets. */
export const mapSomeFacets = (database: TestDatabase, share: number) =>
  database.query(
    `select build_facet_bitmap(kind, chain_id, value) from (
      select distinct kind, chain_id, value from all_campaign_facets
      where (kind, chain_id, value) not in (select kind, chain_id, value from indexed_facets)
    ) facets
    where abs(hashtextextended(concat_ws(' ', kind, chain_id, value), (select count(*) from indexed_facets)) % 1000) < 1000 * $1::numeric`,
    [share],
  )

const thresholds = {
  segment_page: 150,
  ending_page: 3000,
  max_candidates: 300,
  facet_counts: 1000,
  max_unindexed_campaigns: 150,
}

/** As if there were many campaigns: what is done with many is done with some, except by the functions that stay unchanged. */
export async function lowerThresholds(database: TestDatabase, unchanged: readonly (keyof typeof thresholds)[] = []) {
  for (const [name, usual] of Object.entries(thresholds)) {
    if (unchanged.some((one) => one === name)) continue
    const [found] = await database.query('select pg_get_functiondef($1::regproc) as definition', [name])
    const definition = String(found?.definition)
    expect(definition).toContain(String(usual))
    await database.query(definition.replace(String(usual), '3'))
  }
  await database.query('select rebuild_campaign_bitmaps(16)')
}

/** Compares what is kept for pages, totals and trending with the campaigns themselves. */
export async function expectMapsToAgree(database: Pick<TestDatabase, 'query'>) {
  expect(await database.query(campaignsWithWrongBits(null))).toEqual([])
  expect(await database.query(differingBitmaps(null))).toEqual([])
  expect(await database.query(differingTrendingCampaigns(null))).toEqual([])
}

/** Sets the clock by which the database moves the map of active campaigns on, and has it do so. */
export async function storeActivityOf(database: TestDatabase, seconds: number) {
  await setDatabaseClock(database, seconds)
  await database.query('alter function advance_active_bitmap set search_path = test_clock, pg_catalog, public')
  expect(await database.query('select advance_active_bitmap() as moved')).toEqual([{ moved: true }])
  expect(await database.query('select extract(epoch from as_of)::float8 as seconds from active_bitmap_state')).toEqual([
    { seconds },
  ])
}
