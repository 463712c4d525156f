import { sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from './client.ts'
import { campaigns } from './tables/campaigns.ts'

/**
 * What identifies the committed data: PostgreSQL's own snapshot, which differs as soon as any transaction that wrote
 * something has ended, whoever made it. `validUntil` is the next instant (milliseconds since 1970) at which a campaign
 * starts or ends. Two index lookups.
 */
export function createDataVersionReader(database: Database, clock: () => Date) {
  const now = sql`${sql.placeholder('now')}::timestamptz`
  const next = (column: PgColumn) =>
    sql<
      number | null
    >`(select (extract(epoch from min(${column})) * 1000)::float8 from ${campaigns} where ${column} > ${now})`
  const statement = database
    .select({
      version: sql<string>`pg_current_snapshot()::text`,
      nextStart: next(campaigns.startAt),
      nextEnd: next(campaigns.endAt),
    })
    .from(sql`(values (1)) as one`)
    .prepare('data_version')

  return async () => {
    const [row] = await statement.execute({ now: clock().toISOString() })
    if (row === undefined) throw new TypeError('the database returned no snapshot')
    const validUntil = Math.min(row.nextStart ?? Number.POSITIVE_INFINITY, row.nextEnd ?? Number.POSITIVE_INFINITY)
    return { version: row.version, validUntil }
  }
}
