import { setImmediate as nextTurn } from 'node:timers/promises'
import type { OpenSnapshot } from '../../database/exported-records/export-snapshots.ts'
import { CampaignIndex } from './campaign-index.ts'
import { copiedLines, indexedLines, parseLine } from './indexed-rows.ts'

/** An index, and the state of the data that it shows. */
export interface IndexState {
  index: CampaignIndex
  revision: number
  /** Which lists are the same (see `data_versions`). */
  listsVersion: string
  /** The epochs of this revision and those before it, as far as they are known: they tell one history from another. */
  epochs: ReadonlyMap<number, string>
}

/** The content of a row of data_versions. */
export interface Revision {
  revision: number
  epoch: string
  listsVersion: string
}

/** How long the statements of a load may take. */
const MAX_LOAD_MS = 300_000

/** As many campaigns are added at once, in some milliseconds, and requests are answered in between. */
const LINES_AT_ONCE = 250

/** All campaigns, of one snapshot. */
export async function loadIndex(openSnapshot: OpenSnapshot): Promise<IndexState> {
  const snapshot = await openSnapshot(MAX_LOAD_MS)
  try {
    const revisions = await snapshot.query<Revision>(`
      select revision::float8 as revision, epoch::text, lists_version::text as "listsVersion"
      from data_versions order by revision`)
    const newest = revisions.at(-1)
    if (newest === undefined) throw new TypeError('the database has no revision of the data')
    const [counted] = await snapshot.query<{ count: number }>('select count(*)::float8 as count from campaigns')
    const index = new CampaignIndex(counted?.count)
    const lines: string[] = []
    for await (const more of copiedLines(snapshot.stream([`copy (${indexedLines()}) to stdout`]))) {
      lines.push(...more)
      while (lines.length >= LINES_AT_ONCE) {
        index.apply(lines.splice(0, LINES_AT_ONCE).map(parseLine))
        // What has been received already is iterated without a turn for others.
        await nextTurn()
      }
    }
    index.apply(lines.map(parseLine))
    return {
      index,
      revision: newest.revision,
      listsVersion: newest.listsVersion,
      epochs: new Map(revisions.map(({ revision, epoch }) => [revision, epoch])),
    }
  } finally {
    snapshot.close()
  }
}
