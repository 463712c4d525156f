import { sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from './client.ts'
import { campaigns } from './tables/campaigns.ts'
import { dataVersion } from './tables/data-version.ts'

/**
 * What identifies the committed data that public answers are made of: the identity of its newest revision, which differs
 * as soon as any transaction has written some of it, whoever made it, and on a replica as soon as that has been replayed.
 * `validUntil` is the next instant (milliseconds since 1970) at which a campaign starts or ends. Three index lookups.
 */
export function createDataVersionReader(database: Database, clock: () => Date) {
  const now = sql`${sql.placeholder('now')}::timestamptz`
  const next = (column: PgColumn) =>
    sql<
      number | null
    >`(select (extract(epoch from min(${column})) * 1000)::float8 from ${campaigns} where ${column} > ${now})`
  const statement = database
    .select({
      version: dataVersion.identity,
      nextStart: next(campaigns.startAt),
      nextEnd: next(campaigns.endAt),
    })
    .from(dataVersion)
    .prepare('data_version')

  return async () => {
    const [row] = await statement.execute({ now: clock().toISOString() })
    if (row === undefined) throw new TypeError('the database returned no version')
    const validUntil = Math.min(row.nextStart ?? Number.POSITIVE_INFINITY, row.nextEnd ?? Number.POSITIVE_INFINITY)
    return { version: row.version, validUntil }
  }
}
