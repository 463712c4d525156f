import { type Finding, failed, ok, REBUILD } from '../schemas/check-findings.ts'
import type { Query } from './connection/snapshot.ts'

/** Campaigns by their keys; null stands for all. */
export type Sample = readonly string[] | null

/**
 * A condition of a query, with the sample as its one parameter. In the text: of everything, a check is planned as if there were no
 * condition, and some compare more then.
 */
export const within = (sample: Sample, column: string) => (sample === null ? 'true' : `${column} = any($1::bigint[])`)
const MAX_NAMED = 3

/** What is compared, and SQL that returns what of it differs from the facts, as `what`; by a sample, as its one parameter, or whole. */
type Comparisons = Readonly<Record<string, (sample: Sample) => string>>

/** A check of derived data, by a sample or of all. */
export type DataCheck = (query: Query, sample: Sample) => Promise<Finding>

/** A check that makes some comparisons. Its finding names some of what differs, and counts all of it. */
export const comparing =
  (comparisons: Comparisons): DataCheck =>
  async (query, sample) => {
    const extent = sample === null ? 'everything' : `a sample by ${sample.length} campaigns`
    const differences: string[] = []
    for (const [subject, toSql] of Object.entries(comparisons)) {
      const sql = toSql(sample)
      const rows = await query<{ what: string; count: number }>(
        `select what, count(*) over ()::float8 as count from (${sql}) differing order by what limit ${MAX_NAMED}`,
        sample !== null && sql.includes('$1') ? [sample] : [],
      )
      const [first] = rows
      if (first === undefined) continue
      const named = rows.map(({ what }) => what).join('; ')
      differences.push(`${subject} differ from the facts (${extent}), ${first.count} in all: ${named}`)
    }
    if (differences.length > 0) return failed(differences.join('; '), REBUILD)
    return ok(`${Object.keys(comparisons).join(', ')} are what the facts say (${extent})`)
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
