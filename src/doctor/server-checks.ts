import type { Ask } from '../database/snapshot.ts'
import { type Finding, failed, ok, warning } from '../schemas/findings.ts'

/*
 * The server as it is, whatever stands in it. All from its catalogues and statistics: none of it grows with the data.
 */

const OLDEST_VERSION = 15

export async function examineVersion(ask: Ask): Promise<Finding> {
  const [row] = await ask<{ version: number; isReplica: boolean }>(
    `select current_setting('server_version_num')::integer / 10000 as version, pg_is_in_recovery() as "isReplica"`,
  )
  const found = `PostgreSQL ${row?.version} answers${row?.isReplica ? ', a replica' : ''}`
  return (row?.version ?? 0) >= OLDEST_VERSION
    ? ok(found)
    : failed(found, `the service needs PostgreSQL ${OLDEST_VERSION} or newer`)
}

/** From this size on it matters how a table is read. */
const SIZE_THAT_MATTERS = 8 * 1024 * 1024

/** So many rows may change before anybody has to look; of a larger table, half. */
const CHANGES_THAT_MATTER = 10_000

export async function examineStatistics(ask: Ask): Promise<Finding> {
  const rows = await ask<{ name: string; fault: string | null }>(
    `select relname as name, case
        when reltuples < 0 then 'never analysed'
        when n_mod_since_analyze > ${CHANGES_THAT_MATTER} + reltuples / 2 then 'changed by half since it was analysed'
        when n_dead_tup > ${CHANGES_THAT_MATTER} + reltuples then 'more dead rows than living ones'
      end as fault
    from pg_class join pg_stat_user_tables using (relname)
    where pg_class.oid = relid and schemaname = 'public' and pg_relation_size(relid) > ${SIZE_THAT_MATTERS}
    order by relname`,
  )
  const faulty = rows.filter(({ fault }) => fault !== null)
  return faulty.length === 0
    ? ok(`the planner knows all ${rows.length} tables that are not small`)
    : warning(
        faulty.map(({ name, fault }) => `${name}: ${fault}`).join(', '),
        `run \`vacuum (analyze) ${faulty.map(({ name }) => name).join(', ')}\`, and see that autovacuum works`,
      )
}

const CLOCK_WARNING_SECONDS = 2
const CLOCK_FAILURE_SECONDS = 60

/** Answers are made for the clock of the service, and kept totals move on with that of the database. */
export async function examineClock(ask: Ask, now: () => Date): Promise<Finding> {
  const before = now().getTime()
  const [row] = await ask<{ seconds: number }>('select extract(epoch from clock_timestamp())::float8 as seconds')
  const after = now().getTime()
  const there = (row?.seconds ?? 0) * 1000
  const seconds = Math.max(0, before - there, there - after) / 1000
  const found = `the clocks of the database and of this machine differ by ${seconds.toFixed(1)} s`
  if (seconds <= CLOCK_WARNING_SECONDS) return ok(found)
  const advice = 'have both set by NTP'
  return seconds <= CLOCK_FAILURE_SECONDS ? warning(found, advice) : failed(found, advice)
}

/** What `serve` may open, against what the server, the database and the role allow. */
export async function examineConnections(ask: Ask, needed: number): Promise<Finding> {
  const [row] = await ask<{ available: number }>(
    `select least(
        current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
          - coalesce(current_setting('reserved_connections', true), '0')::integer,
        nullif(datconnlimit, -1), nullif(rolconnlimit, -1)) as available
    from pg_database, pg_roles where datname = current_database() and rolname = current_user`,
  )
  const available = row?.available ?? 0
  const found = `serve opens up to ${needed} connections, and there are ${available}`
  const advice = 'lower DATABASE_POOL_SIZE, raise max_connections, or put a pooler in front'
  if (needed > available) return failed(found, advice)
  return 2 * needed > available
    ? warning(`${found}: not enough for it twice, as while one is replaced by another`, advice)
    : ok(found)
}

const MEGABYTE = 1_000_000
const SPACE_WARNING = 1000 * MEGABYTE
const SPACE_FAILURE = 100 * MEGABYTE

/** `freeBytes`: on the disk of the database, where that is one of this machine. */
export async function examineSpace(ask: Ask, freeBytes: number | null): Promise<Finding> {
  const [row] = await ask<{ bytes: number }>('select pg_database_size(current_database())::float8 as bytes')
  const size = `the database takes ${toMegabytes(row?.bytes ?? 0)} MB`
  if (freeBytes === null) return ok(`${size}; how much its disk has left can only be seen there`)
  const found = `${size}, and ${toMegabytes(freeBytes)} MB are left`
  const advice = 'make room on the disk of DATA_DIR'
  if (freeBytes < SPACE_FAILURE) return failed(found, advice)
  return freeBytes < SPACE_WARNING ? warning(found, advice) : ok(found)
}

const toMegabytes = (bytes: number) => Math.ceil(bytes / MEGABYTE)
