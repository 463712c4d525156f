import { setTimeout as sleep } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import { withoutAbort } from '../../abort-context.ts'
import { DatabaseUnreachableError, isDatabaseUnreachable } from '../../database/connection/database-errors.ts'
import type { Database } from '../../database/connection/open-database.ts'
import type { OpenSnapshot } from '../../database/exported-records/export-snapshots.ts'
import { coalesceNext } from '../../single-flight.ts'
import type { CampaignIndex } from './campaign-index.ts'
import { indexedLines, parseLine } from './indexed-rows.ts'
import { type IndexState, loadIndex, type Revision } from './load.ts'

/** A state of the data: a revision, and which history it is of. */
interface Version {
  revision: number
  epoch: string
  /** How often a history has been lost that this process had heard of. */
  history: number
}

/** An index that was loaded when so many histories had been lost. */
interface FollowedState extends IndexState {
  history: number
}

/** As many revisions as the database stores. */
const MAX_EPOCHS = 1000

/** How long is waited for a server that is behind the one that has told of a revision, and between looks. */
const [MAX_BEHIND_MS, LOOK_AGAIN_MS] = [2000, 20]

/** What was read of an index, and which state that shows. */
interface Shown<Value> extends Pick<IndexState, 'revision' | 'listsVersion'> {
  value: Value
}

export interface CampaignIndexReader {
  /**
   * What a function reads of an index that shows a version, or a later one of its history; it must not wait. Most often
   * there is nothing to wait for either; else a statement reads the campaigns that have changed. Where it is not known which
   * have, all are loaded again, and readers of earlier versions go on with the index that is there.
   */
  read<Value>(version: Version, use: (index: CampaignIndex) => Value): Promise<Shown<Value>>
  /** Loads all campaigns, if that has not been done. */
  start(): Promise<void>
}

/** Follows the campaigns of a database. */
export function followCampaigns(database: Database, openSnapshot: OpenSnapshot): CampaignIndexReader {
  const readNews = prepareNews(database)
  let state: FollowedState | undefined
  let loading: Promise<FollowedState> | undefined
  /** How many histories had been lost when a version was last asked for; 0 before. An index of an earlier one may show what is lost. */
  let history = 0

  /** One at a time: all that ask for a new index share it, as long as it can be of what they ask for. */
  function load() {
    const begunAt = history
    loading ??= loadIndex(openSnapshot)
      // Its session may have been terminated, as that of any statement, which is also sent again.
      .catch((error: unknown) => {
        if (!isDatabaseUnreachable(error)) throw error
        return loadIndex(openSnapshot)
      })
      .then((loaded) => {
        state = { ...loaded, history: begunAt || history }
        return state
      })
      .finally(() => {
        loading = undefined
      })
    return loading
  }

  async function follow() {
    // What is loaded is of later than what is there, and most often of what is asked for.
    if (state === undefined || state.history < history || loading !== undefined) {
      await load()
      return
    }
    const before = state
    const rows = await readNews.execute({ revision: before.revision })
    // Meanwhile another statement, or a load, may have come before this one.
    if (state !== before) return
    const news = rows.flatMap(({ revision, epoch, listsVersion, ...row }) =>
      revision === null || epoch === null || listsVersion === null ? [] : [{ revision, epoch, listsVersion, ...row }],
    )
    const lines = rows.flatMap(({ line }) => line ?? [])
    const next = applied(before, news, lines)
    if (next === undefined) await load()
    else state = { ...next, history: before.history }
  }

  // Whoever asks first shares it with others, so it goes on when that client has left.
  const followNext = coalesceNext(() => withoutAbort(follow))

  return {
    async read(version, use) {
      const giveUpAt = performance.now() + MAX_BEHIND_MS
      // What was loaded before anybody asked is of the first.
      if (history === 0 && state !== undefined) state = { ...state, history: version.history }
      history = Math.max(history, version.history)
      while (state === undefined || !shows(state, version)) {
        await followNext()
        if (state !== undefined && shows(state, version)) break
        if (performance.now() > giveUpAt) {
          throw new DatabaseUnreachableError(
            `it is at revision ${state?.revision}, and was at ${version.revision} before`,
          )
        }
        await sleep(LOOK_AGAIN_MS)
      }
      const { index, revision, listsVersion } = state
      return { value: use(index), revision, listsVersion }
    },
    async start() {
      if (state === undefined) await load()
    },
  }
}

/** Not if it is of a history that was lost since: it may have gone on from a revision that both have. */
const shows = ({ epochs, history }: FollowedState, version: Version) =>
  epochs.get(version.revision) === version.epoch && history >= version.history

/** A revision, and the campaigns that lists differ by. */
interface News extends Revision {
  /** Null if they may be any. */
  listedKeys: number[] | null
}

/**
 * The state after some revisions, the first of which is the one that the index shows; undefined if that is lost, or if one of the
 * others may be about anything.
 */
function applied(state: IndexState, [first, ...news]: readonly News[], lines: readonly string[]) {
  if (first === undefined || first.revision !== state.revision || state.epochs.get(first.revision) !== first.epoch)
    return undefined
  const keys = news.map(({ listedKeys }) => listedKeys)
  if (keys.includes(null)) return undefined
  const { index } = state
  const campaigns = lines.map(parseLine)
  const there = new Set(campaigns.map(({ key }) => key))
  const gone = new Set(keys.flatMap((listed) => listed ?? []).filter((key) => !there.has(key)))
  index.apply(campaigns, [...gone])
  const { revision, listsVersion } = news.at(-1) ?? first
  const epochs = [...state.epochs, ...news.map(({ revision, epoch }) => [revision, epoch] as const)]
  return { index, revision, listsVersion, epochs: new Map(epochs.slice(-MAX_EPOCHS)) }
}

/**
 * Of one snapshot: the revision that an index shows, or the newest of all if that is lost, and those after it; and the campaigns
 * that these are about, each as a line.
 */
function prepareNews(database: Database) {
  const revision = sql`${sql.placeholder('revision')}::bigint`
  const keys = sql`any (array(select distinct unnest(listed_keys) from news where revision > ${revision}))`
  const lines = linesOf(keys)
  return database
    .select({
      revision: sql<number | null>`news.revision::float8`,
      epoch: sql<string | null>`news.epoch::text`,
      listsVersion: sql<string | null>`news.lists_version::text`,
      listedKeys: sql<number[] | null>`news.listed_keys::float8[]`,
      line: sql<string | null>`news.line`,
    })
    .from(
      sql`(
        with news as materialized (
          select revision, epoch, lists_version, listed_keys from data_versions
          where revision >= least(${revision}, (select max(revision) from data_versions))
        )
        select *, null as line from news
        union all
        select null, null, null, null, line from (${lines}) changed
      ) as news`,
    )
    .orderBy(sql`news.revision`)
    .prepare('follow_campaigns')
}

/** The lines of some campaigns. */
function linesOf(keys: SQL) {
  const [before, ...after] = indexedLines((column) => `${column} = <keys>`).split('<keys>')
  return after.reduce((text, part) => text.append(keys).append(sql.raw(part)), sql.raw(before ?? ''))
}
