import type { Query } from '../../database/connection/snapshot.ts'
import { type Finding, failed, ok, REBUILD } from '../../schemas/check-findings.ts'

/** Whether the newest changes are of revisions that there are. */
export async function examineChanges(query: Query): Promise<Finding> {
  const [row] = await query<{ count: number; newest: number | null; foreign: number }>(
    `select (select count(*)::float8 from (select from changes limit 100000) noted) as count,
      (select max(revision)::float8 from changes) as newest,
      (select count(*)::float8 from (
        select revision, epoch from changes
        where revision >= (select min(revision) from data_versions) and kind <> 'beginning'
      ) noted left join data_versions known using (revision)
      where known.epoch <> noted.epoch or revision > (select max(revision) from data_versions)) as foreign`,
  )
  if (row === undefined || row.newest === null) {
    return failed('the changes have no beginning, so nobody can follow them', REBUILD)
  }
  if (row.foreign > 0) {
    return failed(`${row.foreign} changes are of revisions that the data never had`, REBUILD)
  }
  return ok(
    `changes are kept up to revision ${row.newest} (${row.count < 100_000 ? row.count : 'more than 100000'} of them)`,
  )
}
