import { sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from './client.ts'
import { campaigns } from './tables/campaigns.ts'
import { dataRevisions } from './tables/data-revisions.ts'

/** A state of the data that was committed when it was asked for. */
export interface DataVersion {
  revision: number
  /** Which of the histories this process has seen: they differ after a failover or a restored backup. */
  history: number
  /** Milliseconds since 1970 at which the next campaign starts or ends. */
  nextChangeAt: number
}

/** What an answer depends on, where that is less than all of the data. */
export interface Dependencies {
  /** Campaigns that it shows. */
  campaignKeys: readonly number[]
  /** Whether it also depends on which campaigns there are, and how they are found. */
  onLists: boolean
  /** Milliseconds since 1970 at which it changes although no data does; absent: when the next campaign starts or ends. */
  changesAt?: number
}

export interface DataVersionReader {
  /** Three index lookups, and the revisions that are new to this process. */
  read(): Promise<DataVersion>
  /** Whether what was right at an earlier version may not be right at a later one; `undefined` depends on everything. */
  hasChanged(earlier: DataVersion, later: DataVersion, dependencies: Dependencies | undefined): boolean
}

interface Change {
  identity: string
  /** Undefined where it may be about anything. */
  campaignKeys: ReadonlySet<number> | undefined
  altersLists: boolean
}

/** As many revisions as the database keeps. */
const MOST_REMEMBERED = 1000

/**
 * Reads which revision of the public data is committed, whoever has made it, and on a replica which one has been replayed;
 * and remembers what the revisions since the first reading were about.
 */
export function createDataVersionReader(database: Database, clock: () => Date): DataVersionReader {
  const statement = prepare(database)
  const changes = new Map<number, Change>()
  let newest = Number.MAX_SAFE_INTEGER
  let history = 0

  /** The rows begin with the newest revision that is known, unless it is lost. */
  function remember(rows: { revision: number; change: Change }[]) {
    const isContinued = rows.some(({ revision }) => changes.has(revision))
    const isOther = rows.some(({ revision, change }) => {
      const known = changes.get(revision)
      return known !== undefined && known.identity !== change.identity
    })
    if (!isContinued || isOther) {
      changes.clear()
      history += 1
      newest = 0
    }
    for (const { revision, change } of rows) {
      if (!changes.has(revision)) changes.set(revision, change)
      newest = Math.max(newest, revision)
    }
    for (const revision of changes.keys()) {
      if (changes.size <= MOST_REMEMBERED) break
      changes.delete(revision)
    }
  }

  return {
    async read() {
      const rows = await statement.execute({ newest, now: clock().toISOString() })
      const last = rows.at(-1)
      if (last === undefined) throw new TypeError('the database has no revision of the data')
      remember(
        rows.map(({ revision, identity, campaignKeys, altersLists }) => ({
          revision,
          change: { identity, campaignKeys: campaignKeys ? new Set(campaignKeys) : undefined, altersLists },
        })),
      )
      const nextChangeAt = Math.min(
        last.nextStart ?? Number.POSITIVE_INFINITY,
        last.nextEnd ?? Number.POSITIVE_INFINITY,
      )
      return { revision: last.revision, history, nextChangeAt }
    },

    hasChanged(earlier, later, dependencies) {
      // Where revisions have been lost, what was made of them must not be given.
      if (earlier.history !== later.history || earlier.revision > later.revision) return true
      for (let revision = earlier.revision + 1; revision <= later.revision; revision += 1) {
        if (concerns(changes.get(revision), dependencies)) return true
      }
      return false
    },
  }
}

function concerns(change: Change | undefined, dependencies: Dependencies | undefined) {
  if (change?.campaignKeys === undefined || dependencies === undefined) return true
  const { campaignKeys, altersLists } = change
  return (dependencies.onLists && altersLists) || dependencies.campaignKeys.some((key) => campaignKeys.has(key))
}

function prepare(database: Database) {
  const now = sql`${sql.placeholder('now')}::timestamptz`
  const next = (column: PgColumn) =>
    sql<
      number | null
    >`(select (extract(epoch from min(${column})) * 1000)::float8 from ${campaigns} where ${column} > ${now})`
  return database
    .select({
      revision: dataRevisions.revision,
      identity: dataRevisions.identity,
      campaignKeys: dataRevisions.campaignKeys,
      altersLists: dataRevisions.altersLists,
      nextStart: next(campaigns.startAt),
      nextEnd: next(campaigns.endAt),
    })
    .from(dataRevisions)
    .where(
      sql`${dataRevisions.revision} >= least(${sql.placeholder('newest')}::bigint, (select max(revision) from ${dataRevisions}))`,
    )
    .orderBy(dataRevisions.revision)
    .prepare('data_version')
}
