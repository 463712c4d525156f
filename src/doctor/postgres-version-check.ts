import type { Query } from '../database/snapshot.ts'
import { type Finding, failed, ok } from '../schemas/check-findings.ts'

const OLDEST_VERSION = 15

/** Whether the schema can be installed on this version of the server. */
export async function examineVersion(query: Query): Promise<Finding> {
  const [row] = await query<{ version: number; isReplica: boolean }>(
    `select current_setting('server_version_num')::integer / 10000 as version, pg_is_in_recovery() as "isReplica"`,
  )
  const found = `PostgreSQL ${row?.version} responds${row?.isReplica ? ', a replica' : ''}`
  return (row?.version ?? 0) >= OLDEST_VERSION
    ? ok(found)
    : failed(found, `the service needs PostgreSQL ${OLDEST_VERSION} or newer`)
}
