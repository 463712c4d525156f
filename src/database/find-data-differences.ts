import type { Query } from './connection/snapshot.ts'

/** Campaigns by their keys; null stands for all. */
export type Sample = readonly string[] | null

/** A condition of a query, with the sample as its one parameter. */
export const within = (sample: Sample, column: string) => (sample === null ? 'true' : `${column} = any($1::bigint[])`)
const valuesOf = (sample: Sample) => (sample === null ? [] : [sample])

const MAX_NAMED = 3

/** What is stored otherwise than it should be. */
export interface Differences {
  count: number
  /** Some examples. */
  named: string[]
}

/** The differences found by a query, whose rows show `what` differs. */
export async function findDifferences(query: Query, sql: string, sample: Sample): Promise<Differences> {
  const rows = await query<{ what: string; count: number }>(
    `select what, count(*) over ()::float8 as count from (${sql}) differing order by what limit ${MAX_NAMED}`,
    valuesOf(sample),
  )
  return { count: rows[0]?.count ?? 0, named: rows.map(({ what }) => what) }
}

/** Some campaigns, from anywhere in their order. */
export async function pickCampaigns(query: Query, count: number): Promise<string[]> {
  const [row] = await query<{ keys: string[] | null }>(
    `select array_agg(distinct key)::text[] as keys
    from (
      select least + floor(random() * (greatest - least + 1)) as at
      from (select min(key) as least, max(key) as greatest from campaigns) bounds, generate_series(1, $1)
    ) starting
    cross join lateral (select key from campaigns where key >= at::bigint order by key limit 1) picked`,
    [count],
  )
  return row?.keys ?? []
}
