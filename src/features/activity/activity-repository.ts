import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../database/connection/open-database.ts'
import { campaigns } from '../../database/tables/campaigns.ts'
import { ALL_CAMPAIGNS, claimsByInterval } from '../../read-models/claim-hours/read.ts'
import { toWholeSeconds } from '../../read-models/claim-windows/read.ts'
import { type Dependencies, revisionStamp } from '../../read-models/data-version/read.ts'
import { toSecondFrom } from '../../schemas/parameters/shared-parameters.ts'
import { LAST_TIMESTAMP } from '../../schemas/primitives.ts'
import {
  CLAIMANTS_SECONDS,
  INTERVAL_SECONDS,
  INTERVALS,
  type ListActivityQuery,
  type ListActivityResponse,
} from './activity-schemas.ts'

export function createActivityRepository(database: Database, clock: () => Date) {
  const statement = prepareList(database)

  return {
    /**
     * The claims of some campaigns, at most 50, or without any of all together, interval by interval, and in the range
     * before; by chain ID, core address, identifier, ascending. Campaigns that are not known are left out. Reads the
     * claims that are counted, some 20 ms for 100,000; of all campaigns in more than 31 days, whole hours.
     */
    async list(
      query: ListActivityQuery,
    ): Promise<{ body: ListActivityResponse; dependencies: Dependencies; stamp?: string }> {
      const { campaignId: ids = [] } = query
      const { since, until, seconds, count } = rangeOf(query, clock())
      // The statement counts what is later than the start, up to the end.
      const after = query.interval === undefined ? since : since - 1
      const length = Math.max(0, until - since)
      const rows = await statement.execute({
        ...{ ids, seconds, sinceBefore: after - length, since: after, until: after + length },
      })
      return {
        body: {
          ...(query.interval === undefined ? { timeRange: query.timeRange } : { interval: query.interval }),
          since: toInstant(since),
          until: toInstant(until),
          intervalSeconds: seconds,
          campaigns: rows.map(({ id, positions, counts, amounts, claimants, unvalued, ...totals }) => ({
            ...(id !== null && { id }),
            claims: spread(count, positions, counts, 0),
            amountUsd: spread(count, positions, amounts, '0'),
            // Of all campaigns together, those of a long range are not counted.
            claimants: id === null && until - since > CLAIMANTS_SECONDS ? null : spread(count, positions, claimants, 0),
            unvaluedClaims: spread(count, positions, unvalued, 0),
            totalClaims: totals.totalClaims,
            totalAmountClaimedUsd: totals.totalAmountClaimedUsd,
            previous: { totalClaims: totals.claimsBefore, totalAmountClaimedUsd: totals.amountUsdBefore },
          })),
        },
        dependencies:
          ids.length === 0
            ? { campaignKeys: 'all', onLists: false }
            : // One that is not known may come.
              { campaignKeys: rows.map(({ key }) => key), onLists: rows.length < ids.length },
        ...(rows[0] && { stamp: rows[0].stamp }),
      }
    },
  }
}
export type ActivityRepository = ReturnType<typeof createActivityRepository>

const toInstant = (seconds: number) => new Date(seconds * 1000).toISOString()

/** The range of a query in Unix seconds, and the intervals in it, of which the last may be shorter than the others. */
export function rangeOf({ timeRange, since, until, interval }: ListActivityQuery, now: Date) {
  if (since === undefined || until === undefined || interval === undefined) {
    const { count, seconds } = INTERVALS[timeRange]
    const end = toWholeSeconds(now)
    return { since: end - count * seconds, until: end, seconds, count }
  }
  const seconds = INTERVAL_SECONDS[interval]
  // A response has no year of five digits.
  const [start, end] = [Math.min(toSecondFrom(since), LAST_TIMESTAMP), Math.min(toSecondFrom(until), LAST_TIMESTAMP)]
  return { since: start, until: end, seconds, count: Math.max(0, Math.ceil((end - start) / seconds)) }
}

/** What each interval has, of which only those with claims have a position, from 0. */
function spread<Value>(intervals: number, positions: readonly number[], values: readonly Value[], none: Value) {
  const all = Array.from({ length: intervals }, () => none)
  for (const [index, position] of positions.entries()) all[position] = values[index] ?? none
  return all
}

/** The position of the range before, which is an interval as a whole. */
const BEFORE = sql.raw('-1')

function prepareList(database: Database) {
  const isIn = sql`place <> ${BEFORE}`
  const isBefore = sql`place = ${BEFORE}`
  const listed = (value: SQL) => sql`coalesce(array_agg(${value}) filter (where ${isIn}), '{}')`
  const total = (column: SQL, part: SQL) => sql`coalesce(sum(${column}) filter (where ${part}), 0)`
  const [claims, amount] = [sql`claim_count`, sql`amount_usd`]
  const ids = sql`${sql.placeholder('ids')}::text[]`
  return database
    .select({
      stamp: revisionStamp,
      key: sql<number>`requested.key::float8`,
      id: sql<string | null>`requested.id`,
      positions: sql<number[]>`positions`,
      counts: sql<number[]>`counts::float8[]`,
      amounts: sql<string[]>`amounts`,
      claimants: sql<number[]>`claimants::float8[]`,
      unvalued: sql<number[]>`unvalued::float8[]`,
      totalClaims: sql<number>`total_claims::float8`,
      totalAmountClaimedUsd: sql<number>`round(total_amount_usd, 6)::float8`,
      claimsBefore: sql<number>`claims_before::float8`,
      amountUsdBefore: sql<number>`round(amount_usd_before, 6)::float8`,
    })
    .from(
      sql`(
        select key, id, chain_id, core_address, identifier from ${campaigns} where id = any(${ids})
        union all
        select ${sql.raw(String(ALL_CAMPAIGNS))}, null, null, null, null where cardinality(${ids}) = 0
      ) requested`,
    )
    .crossJoin(
      sql`lateral (
        select ${listed(sql`place`)} as positions, ${listed(claims)} as counts,
          ${listed(sql`trim_scale(round(${amount}, 6))::text`)} as amounts,
          ${listed(sql`coalesce(claimant_count, 0)`)} as claimants, ${listed(sql`unvalued_count`)} as unvalued,
          ${total(claims, isIn)} as total_claims, ${total(amount, isIn)} as total_amount_usd,
          ${total(claims, isBefore)} as claims_before, ${total(amount, isBefore)} as amount_usd_before
        from ${claimsByInterval(sql`requested.key`)}
      ) counted`,
    )
    .orderBy(sql`requested.chain_id, requested.core_address, requested.identifier`)
    .prepare('list_activity')
}
