import { sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/client.ts'
import { campaigns } from '../../database/tables/campaigns/campaigns.ts'
import { claimsByInterval } from '../../read-models/claim-hours/read.ts'
import { toWholeSeconds } from '../../read-models/claim-windows/read.ts'
import type { Dependencies } from '../../read-models/data-version/read.ts'
import { INTERVALS, type ListActivityQuery, type ListActivityResponse } from './activity-schemas.ts'

export interface ActivityRepository {
  /**
   * The claims of some campaigns, at most 50, in a time range that ends at the present, interval by interval, and in the
   * one before; by chain ID, core address, identifier, ascending. Campaigns that are not known are left out. Reads the
   * claims that are counted; of popular campaigns a row for an hour.
   */
  list(query: ListActivityQuery): Promise<{ body: ListActivityResponse; dependencies: Dependencies }>
}

export function createActivityRepository(database: Database, clock: () => Date): ActivityRepository {
  const statement = prepareList(database)

  return {
    async list({ campaignId: ids = [], timeRange }) {
      const { count, seconds } = INTERVALS[timeRange]
      const until = toWholeSeconds(clock())
      const since = until - count * seconds
      const rows = await statement.execute({ ids, seconds, since, until, sinceBefore: since - count * seconds })
      return {
        body: {
          timeRange,
          since: toInstant(since),
          until: toInstant(until),
          intervalSeconds: seconds,
          campaigns: rows.map(({ id, places, counts, totalClaims, totalAmountClaimedUsd, ...before }) => ({
            id,
            claims: toClaims(count, places, counts),
            totalClaims,
            totalAmountClaimedUsd,
            previous: { totalClaims: before.claimsBefore, totalAmountClaimedUsd: before.amountUsdBefore },
          })),
        },
        // One that is not known may come.
        dependencies: { campaignKeys: rows.map(({ key }) => key), onLists: rows.length < ids.length },
      }
    },
  }
}

const toInstant = (seconds: number) => new Date(seconds * 1000).toISOString()

/** Claims in each interval, of which only those with any have a place, from 0. */
function toClaims(intervals: number, places: readonly number[], counts: readonly number[]) {
  const claims = Array.from({ length: intervals }, () => 0)
  for (const [index, place] of places.entries()) claims[place] = counts[index] ?? 0
  return claims
}

/** The place of the range before, which is an interval as a whole. */
const BEFORE = sql.raw('-1')

function prepareList(database: Database) {
  const isIn = sql`place <> ${BEFORE}`
  const isBefore = sql`place = ${BEFORE}`
  const counted = sql`(
    select coalesce(array_agg(place) filter (where ${isIn}), '{}') as places,
      coalesce(array_agg(claim_count) filter (where ${isIn}), '{}') as counts,
      coalesce(sum(claim_count) filter (where ${isIn}), 0) as total_claims,
      coalesce(sum(amount_usd) filter (where ${isIn}), 0) as total_amount_usd,
      coalesce(sum(claim_count) filter (where ${isBefore}), 0) as claims_before,
      coalesce(sum(amount_usd) filter (where ${isBefore}), 0) as amount_usd_before
    from ${claimsByInterval(sql`${campaigns.key}`)}
  )`
  return database
    .select({
      key: sql<number>`${campaigns.key}::float8`,
      id: campaigns.id,
      places: sql<number[]>`places`,
      counts: sql<number[]>`counts`,
      totalClaims: sql<number>`total_claims::float8`,
      totalAmountClaimedUsd: sql<number>`round(total_amount_usd, 6)::float8`,
      claimsBefore: sql<number>`claims_before::float8`,
      amountUsdBefore: sql<number>`round(amount_usd_before, 6)::float8`,
    })
    .from(campaigns)
    .crossJoin(sql`lateral ${counted} as counted`)
    .where(sql`${campaigns.id} = any(${sql.placeholder('ids')}::text[])`)
    .orderBy(campaigns.chainId, campaigns.coreAddress, campaigns.identifier)
    .prepare('list_activity')
}
