import { expect } from 'vitest'
import type { TestDatabase } from './database.ts'
import { setDatabaseClock } from './database-clock.ts'

/** Begins to keep maps of many things that campaigns can be found by, however few campaigns they have. */
export const mapSomeFacets = (database: TestDatabase, share: number) =>
  database.query(
    `select map_facet(kind, chain_id, value) from (
      select distinct kind, chain_id, value from campaign_memberships
      where (kind, chain_id, value) not in (select kind, chain_id, value from popular_facets)
    ) facets where random() < $1`,
    [share],
  )

/** Compares what is kept for pages and totals with the campaigns themselves. */
export async function expectMapsToAgree(database: TestDatabase) {
  const misplaced = await database.query(
    `select campaigns.id from campaigns left join campaign_places placed on campaign_key = key
    where (placed.block_timestamp, placed.chain_id, placed.core_address, placed.identifier)
        is distinct from (campaigns.block_timestamp, campaigns.chain_id, campaigns.core_address, campaigns.identifier)
      or since is distinct from (
        select max(since) from campaign_spans where campaign_spans.since <= campaigns.block_timestamp)
      or place >= (select place_count from campaign_spans where campaign_spans.since = placed.since)`,
  )
  expect(misplaced).toEqual([])
  const shared = await database.query(
    `select since, place from campaign_places group by since, place having count(*) > 1
    union all
    select since, length(bits) from facet_maps join campaign_spans using (since) where length(bits) <> length(blank)`,
  )
  expect(shared).toEqual([])
  const [agreed] = await database.query(
    `with kept as (
      select kind, facet.chain_id, value, campaign_key
      from popular_facets facet join facet_maps map on map.facet_key = facet.key
      join campaign_places placed on placed.since = map.since and get_bit(bits, place) = 1
    ), due as (
      select kind, chain_id, value, campaign_key from campaign_memberships join popular_facets using (kind, chain_id, value)
    )
    select (select count(*) from kept)::integer as kept, (select count(*) from due)::integer as due,
      (select coalesce(sum(bit_count(bits)), 0) from facet_maps)::integer as bits,
      (select coalesce(json_agg(missing), '[]') from (select * from due except select * from kept) missing) as missing`,
  )
  expect(agreed).toEqual({ kept: agreed?.due, due: agreed?.due, bits: agreed?.due, missing: [] })
}

/** Sets the clock by which the database moves the map of active campaigns on, and has it do so. */
export async function keepActivityOf(database: TestDatabase, seconds: number) {
  await setDatabaseClock(database, seconds)
  await database.query('alter function advance_campaign_activity set search_path = test_clock, pg_catalog, public')
  expect(await database.query('select advance_campaign_activity() as moved')).toEqual([{ moved: true }])
  expect(await database.query('select extract(epoch from as_of)::float8 as seconds from campaign_activity')).toEqual([
    { seconds },
  ])
}
