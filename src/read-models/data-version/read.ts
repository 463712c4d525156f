import { desc, max, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from '../../database/connection/open-database.ts'
import {
  createFollowedChainReader,
  followedAsText,
  NOTHING_FOLLOWED,
  parseAsOf,
} from '../../database/lookups/followed-chains.ts'
import { campaigns } from '../../database/tables/campaigns.ts'
import type { DataVersion, DataVersionReader, Dependencies } from './data-version.ts'
import { dataVersions } from './tables.ts'

export { createCurrentValues } from './current-values.ts'
export type { DataVersion, DataVersionReader, Dependencies } from './data-version.ts'

interface Change {
  epoch: string
  /** Undefined if it may concern any campaign. */
  campaignKeys: ReadonlySet<number> | undefined
  recordKeys: ReadonlySet<number> | undefined
  claimants: ReadonlySet<number> | undefined
  affectsLists: boolean
}

/** The content of a revision's row. */
type Named = Pick<Change, 'epoch' | 'affectsLists'> &
  Record<'campaignKeys' | 'recordKeys' | 'claimants', readonly number[] | null>

/** The newest revision that has been read, and what was read with it. */
interface Known {
  revision: number
  epoch: string
  listsVersion: string
  /** Milliseconds since 1970 for which the next change was read. */
  queriedAt: number
  nextChangeAt: number
}

/** Matches no revision: at first, everything is new. */
const NOTHING_KNOWN: Known = {
  revision: Number.MAX_SAFE_INTEGER,
  epoch: '00000000-0000-0000-0000-000000000000',
  listsVersion: '',
  queriedAt: 0,
  nextChangeAt: 0,
}

/** As many revisions as the database stores. */
const MAX_CHANGES = 1000

/**
 * Reads the committed revision of the public data, whichever process has written it (on a standby the replayed one),
 * and remembers what the revisions since the first read were about.
 */
export function createDataVersionReader(lookups: Database, clock: () => Date): DataVersionReader {
  const newest = prepareNewest(lookups)
  const news = prepareNewRevisions(lookups)
  const toAsOf = createAsOfParser()
  const changes = new Map<number, Change>()
  let known = NOTHING_KNOWN
  let history = 0

  /** Whether the rows begin with the newest known revision; not if that is lost. */
  function isContinued(rows: { revision: number; epoch: string }[]) {
    const isOther = rows.some(({ revision, epoch }) => {
      const known = changes.get(revision)
      return known !== undefined && known.epoch !== epoch
    })
    return !isOther && rows.some(({ revision }) => changes.has(revision))
  }

  function storeChanges(rows: { revision: number; change: Change }[]) {
    for (const { revision, change } of rows) if (!changes.has(revision)) changes.set(revision, change)
    for (const revision of changes.keys()) {
      if (changes.size <= MAX_CHANGES) break
      changes.delete(revision)
    }
  }

  async function read(): Promise<DataVersion> {
    const before = known
    const historyBefore = history
    const now = clock().getTime()
    // The clock may have been set back.
    const isInstantDue = now >= before.nextChangeAt || now < before.queriedAt
    if (!isInstantDue) {
      const [there] = await newest.execute()
      if (there?.revision === before.revision && there.epoch === before.epoch) {
        const asOf = toAsOf(there.followed)
        return toVersion(before, historyBefore, asOf)
      }
    }
    const rows = await news.execute({
      revision: before.revision,
      epoch: before.epoch,
      isInstantDue,
      now: new Date(now).toISOString(),
    })
    const last = rows.at(-1)
    if (last === undefined) throw new TypeError('the database has no revision of the data')
    const { revision, epoch, listsVersion, isNew } = last
    const asOf = toAsOf(last.followed)
    if (!isNew) return toVersion({ ...before, revision, epoch, listsVersion }, historyBefore, asOf)
    if (!isContinued(rows)) {
      changes.clear()
      history += 1
    }
    storeChanges(rows.map(({ revision, ...named }) => ({ revision, change: toChange(named) })))
    const nextChangeAt = Math.min(last.nextStart ?? Number.POSITIVE_INFINITY, last.nextEnd ?? Number.POSITIVE_INFINITY)
    known = { revision, epoch, listsVersion, queriedAt: now, nextChangeAt }
    return toVersion(known, history, asOf)
  }

  return {
    read,

    stateOf(stamp) {
      const [revision, epoch] = stamp.split(' ')
      return changes.get(Number(revision))?.epoch === epoch ? { revision: Number(revision), history } : undefined
    },

    hasChanged(earlier, later, dependencies) {
      // If revisions have been lost, responses made from them must not be served.
      if (earlier.history !== later.history || earlier.revision > later.revision) return true
      if (isFinalByNow(dependencies, later)) return true
      for (let revision = earlier.revision + 1; revision <= later.revision; revision += 1) {
        if (concerns(changes.get(revision), dependencies)) return true
      }
      return false
    },
  }
}

const toVersion = ({ queriedAt: _, ...known }: Known, history: number, asOf: DataVersion['asOf']): DataVersion => ({
  ...known,
  history,
  asOf,
})

function concerns(change: Change | undefined, dependencies: Dependencies | undefined) {
  if (change?.campaignKeys === undefined || dependencies === undefined) return true
  const { campaignKeys, recordKeys, claimants, affectsLists } = change
  return (
    (dependencies.onLists && affectsLists) ||
    dependencies.campaignKeys === 'all' ||
    dependencies.campaignKeys.some((key) => campaignKeys.has(key)) ||
    dependencies.recordKeys?.some((key) => (recordKeys ?? campaignKeys).has(key)) ||
    dependencies.claimants?.some((address) => claimants?.has(toAddressSuffix(address)) ?? true) ||
    false
  )
}

const toChange = ({ epoch, campaignKeys, recordKeys, claimants, affectsLists }: Named): Change => ({
  ...{ epoch, affectsLists },
  campaignKeys: toSet(campaignKeys),
  recordKeys: toSet(recordKeys),
  claimants: toSet(claimants),
})

const toSet = (values: readonly number[] | null) => (values === null ? undefined : new Set(values))

/** The last 32 bits of an address, as revisions identify claimants. */
const toAddressSuffix = (address: string) => Number.parseInt(address.slice(-8), 16) | 0

/** Whether a block that the response shows as not final has become final: that takes no revision. */
function isFinalByNow(dependencies: Dependencies | undefined, { asOf }: DataVersion) {
  for (const [chainId, block] of dependencies?.pendingBlocks ?? []) {
    if ((asOf.finalizedBlocks.get(chainId) ?? -1) >= block) return true
  }
  return false
}

/** In a select: the newest revision in the snapshot of the statement. */
export const dataRevision = sql<number>`(select max(${dataVersions.revision})::float8 from ${dataVersions})`

/** In a select: the newest revision in the snapshot of the statement, with its epoch (see `stateOf`). */
export const revisionStamp = sql<string>`(
  select revision || ' ' || epoch from data_versions order by revision desc limit 1)`

/** In a select: which lists the snapshot of the statement is of. */
export const listsVersion = sql<string>`(
  select lists_version from data_versions order by revision desc limit 1)`

/** The state of the data, for metrics. */
export interface DataMetrics {
  /** Null until the first write. */
  revision: number | null
  /** Whole seconds since the block that is shown of each followed chain; null if there is none yet. */
  chains: { chainId: number; lagSeconds: number | null }[]
}

/** Reads them from an index, and from a row for each chain. */
export function createDataMetricsReader(database: Database, clock: () => Date) {
  const newest = database
    .select({ revision: max(dataVersions.revision) })
    .from(dataVersions)
    .prepare('data_revision')
  const listChains = createFollowedChainReader(database, clock)
  return async (): Promise<DataMetrics> => {
    const [[row], chains] = await Promise.all([newest.execute(), listChains()])
    return { revision: row?.revision ?? null, chains }
  }
}

/** Parses the state of chains, which changes less often than it is read. */
function createAsOfParser() {
  let lastText = '{}'
  let lastAsOf = NOTHING_FOLLOWED
  return (text: string) => {
    if (text !== lastText) {
      lastText = text
      lastAsOf = parseAsOf(text)
    }
    return lastAsOf
  }
}

/** The fast path of almost every request: it costs PostgreSQL a sixth of the full query. */
const prepareNewest = (database: Database) =>
  database
    .select({ revision: dataVersions.revision, epoch: dataVersions.epoch, followed: followedAsText })
    .from(dataVersions)
    .orderBy(desc(dataVersions.revision))
    .limit(1)
    .prepare('newest_revision')

/**
 * The newest known revision, or the newest of all if that is lost, and all after it; known ones are not read again. A
 * `case` does not evaluate what it does not need.
 */
function prepareNewRevisions(database: Database) {
  const { revision, epoch, listsVersion, campaignKeys, recordKeys, claimants, affectsLists } = dataVersions
  const now = sql`${sql.placeholder('now')}::timestamptz`
  const knownRevision = sql`${sql.placeholder('revision')}::bigint`
  const isNew = sql<boolean>`(${revision} <> ${knownRevision} or ${epoch} <> ${sql.placeholder('epoch')}::uuid
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
      epoch,
      listsVersion,
      isNew,
      campaignKeys: ifNew(campaignKeys),
      recordKeys: ifNew(recordKeys),
      claimants: ifNew(claimants),
      affectsLists,
      nextStart: next(campaigns.startAt),
      nextEnd: next(campaigns.endAt),
      followed: followedAsText,
    })
    .from(dataVersions)
    .where(sql`${revision} >= least(${knownRevision}, (select max(revision) from ${dataVersions}))`)
    .orderBy(revision)
    .prepare('data_version')
}
