import { desc, max, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from '../../database/connection/client.ts'
import {
  type AsOf,
  createFollowedChainReader,
  followedAsText,
  NOTHING_FOLLOWED,
  parseAsOf,
} from '../../database/lookups/followed-chains.ts'
import { campaigns } from '../../database/tables/campaigns/campaigns.ts'
import { dataRevisions } from './tables.ts'

/** A state of the data that was committed when it was asked for. */
export interface DataVersion {
  revision: number
  /** Which of the histories this process has seen: they differ after a failover or a restored backup. */
  history: number
  /** Milliseconds since 1970 at which the next campaign starts or ends. */
  nextChangeAt: number
  /** How far followed chains are, in the same snapshot: blocks without effects take no revision. */
  asOf: AsOf
}

/** What a response depends on, where that is less than all of the data. */
export interface Dependencies {
  /** Campaigns that it shows, with figures of their claims. */
  campaignKeys: readonly number[] | 'all'
  /** Whether it also depends on which campaigns there are, and how they are found. */
  onLists: boolean
  /** Campaigns of whose claims it shows nothing, but what else there is: they may be claimed as long as none is spent. */
  recordKeys?: readonly number[]
  /** Whose claims and signatures it depends on. */
  claimants?: readonly string[]
  /** By chain, the first block of which it says that it is not final. */
  pendingBlocks?: ReadonlyMap<number, number>
  /** Milliseconds since 1970 at which it changes although no data does; absent: when the next campaign starts or ends. */
  changesAt?: number
}

export interface DataVersionReader {
  /**
   * The version that is committed, of whatever history. One index lookup; where there are revisions that are new to this
   * process, or a campaign has started or ended, then a second statement reads those revisions and when the next one does.
   */
  read(): Promise<DataVersion>
  /** Whether what was right at an earlier version may not be right at a later one; `undefined` depends on everything. */
  hasChanged(earlier: DataVersion, later: DataVersion, dependencies: Dependencies | undefined): boolean
}

interface Change {
  identity: string
  /** Undefined where it may be about anything. */
  campaignKeys: ReadonlySet<number> | undefined
  recordKeys: ReadonlySet<number> | undefined
  claimants: ReadonlySet<number> | undefined
  altersLists: boolean
}

/** What a row says of its revision. */
type Named = Pick<Change, 'identity' | 'altersLists'> &
  Record<'campaignKeys' | 'recordKeys' | 'claimants', readonly number[] | null>

/** The newest revision that has been read, and what was read with it. */
interface Known {
  revision: number
  identity: string
  /** Milliseconds since 1970 for which the next change was asked. */
  askedAt: number
  nextChangeAt: number
}

const NO_IDENTITY = '00000000-0000-0000-0000-000000000000'

/** As many revisions as the database keeps. */
const MAX_REMEMBERED = 1000

/**
 * Reads which revision of the public data is committed, anyone who has made it, and on a standby which one has been replayed;
 * and remembers what the revisions since the first reading were about.
 */
export function createDataVersionReader(lookups: Database, clock: () => Date): DataVersionReader {
  const { newest, news, toAsOf } = createRevisionSource(lookups)
  const changes = new Map<number, Change>()
  /** Of no revision that there is: at first, everything is new. */
  let known: Known = { revision: Number.MAX_SAFE_INTEGER, identity: NO_IDENTITY, askedAt: 0, nextChangeAt: 0 }
  let history = 0

  /** The rows begin with the newest revision that is known, unless it is lost. */
  function isContinued(rows: { revision: number; identity: string }[]) {
    const isOther = rows.some(({ revision, identity }) => {
      const known = changes.get(revision)
      return known !== undefined && known.identity !== identity
    })
    return !isOther && rows.some(({ revision }) => changes.has(revision))
  }

  function remember(rows: { revision: number; change: Change }[]) {
    for (const { revision, change } of rows) if (!changes.has(revision)) changes.set(revision, change)
    for (const revision of changes.keys()) {
      if (changes.size <= MAX_REMEMBERED) break
      changes.delete(revision)
    }
  }

  async function read(): Promise<DataVersion> {
    const asked = known
    const askedHistory = history
    const now = clock().getTime()
    // The clock may have been set back.
    const isInstantDue = now >= asked.nextChangeAt || now < asked.askedAt
    if (!isInstantDue) {
      const [there] = await newest.execute()
      if (there?.revision === asked.revision && there.identity === asked.identity) {
        const asOf = toAsOf(there.followed)
        return { revision: asked.revision, history: askedHistory, nextChangeAt: asked.nextChangeAt, asOf }
      }
    }
    const rows = await news.execute({
      revision: asked.revision,
      identity: asked.identity,
      isInstantDue,
      now: new Date(now).toISOString(),
    })
    const last = rows.at(-1)
    if (last === undefined) throw new TypeError('the database has no revision of the data')
    const { revision, identity, isNew } = last
    const asOf = toAsOf(last.followed)
    if (!isNew) return { revision, history: askedHistory, nextChangeAt: asked.nextChangeAt, asOf }
    if (!isContinued(rows)) {
      changes.clear()
      history += 1
    }
    remember(rows.map(({ revision, ...named }) => ({ revision, change: toChange(named) })))
    const nextChangeAt = Math.min(last.nextStart ?? Number.POSITIVE_INFINITY, last.nextEnd ?? Number.POSITIVE_INFINITY)
    known = { revision, identity, askedAt: now, nextChangeAt }
    return { revision, history, nextChangeAt, asOf }
  }

  return {
    read,

    hasChanged(earlier, later, dependencies) {
      // Where revisions have been lost, what was made of them must not be given.
      if (earlier.history !== later.history || earlier.revision > later.revision) return true
      if (isFinalByNow(dependencies, later)) return true
      for (let revision = earlier.revision + 1; revision <= later.revision; revision += 1) {
        if (concerns(changes.get(revision), dependencies)) return true
      }
      return false
    },
  }
}

function concerns(change: Change | undefined, dependencies: Dependencies | undefined) {
  if (change?.campaignKeys === undefined || dependencies === undefined) return true
  const { campaignKeys, recordKeys, claimants, altersLists } = change
  return (
    (dependencies.onLists && altersLists) ||
    dependencies.campaignKeys === 'all' ||
    dependencies.campaignKeys.some((key) => campaignKeys.has(key)) ||
    dependencies.recordKeys?.some((key) => (recordKeys ?? campaignKeys).has(key)) ||
    dependencies.claimants?.some((address) => claimants?.has(toMark(address)) ?? true) ||
    false
  )
}

const toChange = ({ identity, campaignKeys, recordKeys, claimants, altersLists }: Named): Change => ({
  ...{ identity, altersLists },
  campaignKeys: toSet(campaignKeys),
  recordKeys: toSet(recordKeys),
  claimants: toSet(claimants),
})

const toSet = (values: readonly number[] | null) => (values === null ? undefined : new Set(values))

/** The last 32 bits of an address, as revisions name claimants. */
const toMark = (address: string) => Number.parseInt(address.slice(-8), 16) | 0

/** Whether a block has become final of which a response says that it is not: that takes no revision. */
function isFinalByNow(dependencies: Dependencies | undefined, { asOf }: DataVersion) {
  for (const [chainId, block] of dependencies?.pendingBlocks ?? []) {
    if ((asOf.finalizedBlocks.get(chainId) ?? -1) >= block) return true
  }
  return false
}

/** What the database is asked, and what it has said of chains last: that changes less often than it is asked. */
function createRevisionSource(lookups: Database) {
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
  const { revision, identity, campaignKeys, recordKeys, claimants, altersLists } = dataRevisions
  const now = sql`${sql.placeholder('now')}::timestamptz`
  const knownRevision = sql`${sql.placeholder('revision')}::bigint`
  const isNew = sql<boolean>`(${revision} <> ${knownRevision} or ${identity} <> ${sql.placeholder('identity')}::uuid
    or ${sql.placeholder('isInstantDue')}::boolean)`
  const ifNew = (column: PgColumn) =>
    sql`case when ${isNew} then ${column} end`.mapWith(
      (value): number[] | null => column.mapFromDriverValue(value) as number[] | null,
    )
  const next = (column: PgColumn) =>
    sql<number | null>`case when ${isNew} then
      (select (extract(epoch from min(${column})) * 1000)::float8 from ${campaigns} where ${column} > ${now}) end`
  return database
    .select({
      revision,
      identity,
      isNew,
      campaignKeys: ifNew(campaignKeys),
      recordKeys: ifNew(recordKeys),
      claimants: ifNew(claimants),
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

/** In a select: the newest revision at the moment of the statement. */
export const dataRevision = sql<number>`(select max(${dataRevisions.revision})::float8 from ${dataRevisions})`

/** Reads which state of the lists is committed: equal ones have the same campaigns, found alike. One index lookup. */
export function createListsVersionReader(lookups: Database) {
  const newest = lookups
    .select({ listsVersion: dataRevisions.listsVersion })
    .from(dataRevisions)
    .orderBy(desc(dataRevisions.revision))
    .limit(1)
    .prepare('lists_version')
  return async () => (await newest.execute())[0]?.listsVersion
}

/** How far the data is, for anyone who measures it. */
export interface DataMetrics {
  /** Null as long as nothing was ever written. */
  revision: number | null
  /** Whole seconds since the block that is shown of each followed chain; null as long as there is none. */
  chains: { chainId: number; lagSeconds: number | null }[]
}

/** Reads them from an index, and from a row for each chain. */
export function createDataMetricsReader(database: Database, clock: () => Date) {
  const newest = database
    .select({ revision: max(dataRevisions.revision) })
    .from(dataRevisions)
    .prepare('figure_of_revision')
  const listChains = createFollowedChainReader(database, clock)
  return async (): Promise<DataMetrics> => {
    const [[row], chains] = await Promise.all([newest.execute(), listChains()])
    return { revision: row?.revision ?? null, chains }
  }
}
