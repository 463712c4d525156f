import type { FastifyBaseLogger } from 'fastify'
import type { DatabaseOptions } from '../database/client.ts'
import { describeFailure } from '../database/failures.ts'
import { openReplicas, type Replicas } from '../database/replicas.ts'
import type { DatabaseServer } from '../database/servers.ts'
import type { Settings } from '../settings.ts'

type LaneOptions = Pick<DatabaseOptions, 'poolSize' | 'queueSize' | 'connectionTimeoutMs' | 'statementTimeoutMs'>

/** How many connections there are on each server, and how long they are waited for. */
export const toLaneOptions = (settings: Settings): LaneOptions => ({
  poolSize: settings.DATABASE_POOL_SIZE,
  queueSize: settings.DATABASE_QUEUE_SIZE,
  connectionTimeoutMs: settings.CONNECTION_TIMEOUT_MS,
  statementTimeoutMs: settings.STATEMENT_TIMEOUT_MS,
})

/** The replicas that are set, with what happens to them in the log; undefined where none are. */
export function openServingReplicas(
  settings: Settings,
  primary: DatabaseServer,
  log: () => Pick<FastifyBaseLogger, 'info' | 'warn'>,
): Replicas | undefined {
  const { DATABASE_REPLICA_URLS: urls, REPLICA_MAX_LAG_SECONDS } = settings
  if (urls === undefined) return undefined
  return openReplicas({
    ...toLaneOptions(settings),
    urls,
    primary,
    maxLagMs: REPLICA_MAX_LAG_SECONDS * 1000,
    onIdleError: (error, replica) =>
      log().warn({ replica, reason: describeFailure(error) }, 'a connection to a replica was lost'),
    onChange: ({ standing, ...change }) =>
      standing === 'used'
        ? log().info(change, 'a replica is used')
        : log().warn({ ...change, standing }, 'a replica is not used'),
  })
}

/** Whether public answers can be given without the database itself. */
export const areEnough = (replicas: Replicas | undefined, { SURFACES }: Settings) =>
  SURFACES.includes('public') && replicas?.all.some(({ standing }) => standing === 'used') === true
