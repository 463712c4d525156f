import { once } from 'node:events'
import { desc, sql } from 'drizzle-orm'
import { askUntil } from './abandonment.ts'
import { DatabaseAwayError } from './failures.ts'
import { isSchemaCurrent } from './migrations.ts'
import type { DatabaseServer } from './servers.ts'
import { dataRevisions } from './tables/data-revisions.ts'

/** A server that has not said how it is by then is away. */
const PATIENCE_MS = 1000

/** How far a replica is. */
export interface ReplicaMeasurement {
  /** Whether it replays what a primary writes; one that has been promoted does not. */
  isInRecovery: boolean
  /** Bytes of the log that it has replayed. */
  position: number
  revision: number
  identity: string
}

/**
 * Measures a server, once at a time: one that has gone silent holds its question until the driver gives it up.
 * @throws DatabaseAwayError where it does not answer in time.
 */
export function measureInTime<Measurement>(measure: () => Promise<Measurement>) {
  let underWay: Promise<Measurement> | undefined
  return async (): Promise<Measurement> => {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    underWay ??= askUntil(signal, measure).finally(() => {
      underWay = undefined
    })
    const late = once(signal, 'abort').then(() => {
      throw new DatabaseAwayError('it does not answer')
    })
    return Promise.race([underWay, late])
  }
}

/** Bytes of the log that the primary has written; where it is itself a replica, that it has replayed. */
export async function readPosition({ lookups }: DatabaseServer): Promise<number> {
  const { rows } = await lookups.execute<{ position: number }>(
    sql`select pg_wal_lsn_diff(
      case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, '0/0')::float8 as position`,
  )
  return rows[0]?.position ?? 0
}

/** Undefined where the schema is behind. */
export async function readReplica(
  { lookups }: DatabaseServer,
  isSchemaKnown: boolean,
): Promise<ReplicaMeasurement | undefined> {
  if (!isSchemaKnown && !(await isSchemaCurrent(lookups))) return undefined
  const [row] = await lookups
    .select({
      isInRecovery: sql<boolean>`pg_is_in_recovery()`,
      position: sql<number>`coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0)::float8`,
      revision: dataRevisions.revision,
      identity: dataRevisions.identity,
    })
    .from(dataRevisions)
    .orderBy(desc(dataRevisions.revision))
    .limit(1)
  return row
}

/**
 * Whether a revision of a replica is one of the primary. Null where that cannot be told: the primary keeps the newest
 * thousand, and one that is itself a replica may be behind.
 */
export async function isOfSameHistory(
  { lookups }: DatabaseServer,
  { revision, identity }: ReplicaMeasurement,
): Promise<boolean | null> {
  const { rows } = await lookups.execute<{ isSame: boolean | null }>(
    sql`select case
        when exists (select from ${dataRevisions} where ${dataRevisions.revision} = ${revision})
          then exists (select from ${dataRevisions}
            where ${dataRevisions.revision} = ${revision} and ${dataRevisions.identity} = ${identity}::uuid)
        when ${revision} > (select max(${dataRevisions.revision}) from ${dataRevisions}) and not pg_is_in_recovery() then false
      end as "isSame"`,
  )
  return rows[0]?.isSame ?? null
}
