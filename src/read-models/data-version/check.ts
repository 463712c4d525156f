import type { Query } from '../../database/connection/snapshot.ts'
import { type Finding, failed, ok, REBUILD } from '../../schemas/check-findings.ts'

/** The newest revision of the data. */
interface Revision {
  revision: number
  epoch: string
}

export async function readRevision(query: Query): Promise<Revision | undefined> {
  const [row] = await query<Revision>(
    'select revision::float8 as revision, epoch::text from data_versions order by revision desc limit 1',
  )
  return row
}

/** Responses are cached as long as the revision allows: `earlier` is what it was a moment ago. */
export async function examineRevision(query: Query, earlier: Revision | undefined): Promise<Finding> {
  const [row] = await query<{
    newest: number | null
    count: number
    isContinued: boolean
    hasGaps: boolean
  }>(
    `select max(revision)::float8 as newest, count(*)::float8 as count,
      $1::bigint is null or min(revision) > $1 or coalesce(bool_or(revision = $1 and epoch = $2), false) as "isContinued",
      max(revision) - min(revision) + 1 <> count(*) as "hasGaps"
    from data_versions`,
    [earlier?.revision ?? null, earlier?.epoch ?? null],
  )
  const newest = row?.newest ?? null
  if (row === undefined || newest === null) return failed('the data has no revision', REBUILD)
  if (row.isContinued && (earlier === undefined || newest >= earlier.revision)) {
    if (row.hasGaps) return failed(`between the ${row.count} revisions up to ${newest} some are missing`, REBUILD)
    return ok(`the data is at revision ${newest}, and none is missing among the last ${row.count}`)
  }
  return failed(
    `revision ${earlier?.revision} that was there a moment ago is lost`,
    'nothing if the database was just restored or has failed over; else find out who writes data_versions',
  )
}
