import { desc, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from './client.ts'
import { followedAsText, NOTHING_FOLLOWED, parseAsOf } from './followed-chains.ts'
import { campaigns } from './tables/campaigns.ts'
import { dataRevisions } from './tables/data-revisions.ts'

/** What the database is asked, and what it has said of chains last: that changes less often than it is asked. */
export function createRevisionSource(lookups: Database) {
  let lastText = '{}'
  let lastAsOf = NOTHING_FOLLOWED
  return {
    newest: prepareNewest(lookups),
    news: prepareNews(lookups),
    toAsOf(text: string) {
      if (text !== lastText) {
        lastText = text
        lastAsOf = parseAsOf(text)
      }
      return lastAsOf
    },
  }
}

/** What nearly every request waits for, with nothing but that: a sixth of what the news cost PostgreSQL. */
const prepareNewest = (database: Database) =>
  database
    .select({ revision: dataRevisions.revision, identity: dataRevisions.identity, followed: followedAsText })
    .from(dataRevisions)
    .orderBy(desc(dataRevisions.revision))
    .limit(1)
    .prepare('newest_revision')

/**
 * The newest revision that is known, or the newest of all where that is lost, and all after it; what is known of them is
 * not read again. A `case` does not ask what it does not need.
 */
function prepareNews(database: Database) {
  const { revision, identity, campaignKeys, altersLists } = dataRevisions
  const now = sql`${sql.placeholder('now')}::timestamptz`
  const knownRevision = sql`${sql.placeholder('revision')}::bigint`
  const isNew = sql<boolean>`(${revision} <> ${knownRevision} or ${identity} <> ${sql.placeholder('identity')}::uuid
    or ${sql.placeholder('isInstantDue')}::boolean)`
  const next = (column: PgColumn) =>
    sql<number | null>`case when ${isNew} then
      (select (extract(epoch from min(${column})) * 1000)::float8 from ${campaigns} where ${column} > ${now}) end`
  return database
    .select({
      revision,
      identity,
      isNew,
      campaignKeys: sql<number[] | null>`case when ${isNew} then ${campaignKeys} end`.mapWith(campaignKeys),
      altersLists,
      nextStart: next(campaigns.startAt),
      nextEnd: next(campaigns.endAt),
      followed: followedAsText,
    })
    .from(dataRevisions)
    .where(sql`${revision} >= least(${knownRevision}, (select max(revision) from ${dataRevisions}))`)
    .orderBy(revision)
    .prepare('data_version')
}
