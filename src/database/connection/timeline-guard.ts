import pg from 'pg'

/** How long the state that a server has reported stays valid. */
const RECHECK_MS = 1000

/** Limits the log: otherwise each connection attempt would add a line. */
const LOG_AGAIN_MS = 60_000

/**
 * What a server reports of itself. A primary knows the timeline that it writes; a standby, which may have begun to follow
 * a new primary, knows one that existed at least. Every role may query it.
 */
const QUERY_SERVER = `select system_identifier::text as system, pg_is_in_recovery() as "isStandby",
    host(inet_server_addr()) || ':' || inet_server_port() as address,
    case when pg_is_in_recovery() then greatest(
      (select timeline_id from pg_control_checkpoint()), (select min_recovery_end_timeline from pg_control_recovery()))
    else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint end::integer as timeline
  from pg_control_system()`

/** The server behind a connection. */
export interface ServerState {
  /** The same for a primary, its standbys and their copies. */
  system: string
  isStandby: boolean
  /** Absent if the connection is a socket of this machine. */
  address: string | null
  timeline: number
}

/** A primary that was replaced: its history was left when a standby was promoted. */
export class OlderTimelineError extends Error {
  override readonly name = 'OlderTimelineError'
}

/** Finds out which server a connection leads to, and remembers the newest timeline. */
export type TimelineGuard = ReturnType<typeof createTimelineGuard>

/**
 * The same address may lead to another server than a moment ago, and after a failover the old primary may come back
 * there. Its timeline shows that, because each promotion raises it: a primary with an older timeline than this process has
 * seen is left. Another system (a dump restored elsewhere) has timelines of its own, and is accepted.
 */
export function createTimelineGuard(onOlder: (server: ServerState, newest: number) => void) {
  const checkedAt = new WeakMap<pg.PoolClient, number>()
  let newest: { system: string; timeline: number } | undefined
  let newestAt = 0
  let reportedAt = Number.NEGATIVE_INFINITY
  let server: ServerState | undefined
  let closedConnections = 0

  function closeConnection(state: ServerState, timeline: number) {
    closedConnections += 1
    if (performance.now() - reportedAt >= LOG_AGAIN_MS) {
      reportedAt = performance.now()
      onOlder(state, timeline)
    }
    throw new OlderTimelineError(
      `the server is a primary of timeline ${state.timeline}, which ${timeline} has replaced`,
    )
  }

  return {
    /**
     * Queries the server of a connection that is new, was not checked for a second, or not since a newer timeline was seen.
     * @throws OlderTimelineError if it is a primary that has been replaced.
     */
    async check(client: pg.PoolClient) {
      const at = checkedAt.get(client)
      if (at !== undefined && at >= newestAt && performance.now() - at < RECHECK_MS) return
      const state = await queryServer(client)
      if (state !== undefined) {
        if (newest?.system !== state.system || newest.timeline < state.timeline) {
          newest = state
          newestAt = performance.now()
        } else if (!state.isStandby && state.timeline < newest.timeline) closeConnection(state, newest.timeline)
      }
      server = state
      checkedAt.set(client, performance.now())
    },
    /** The server that was checked last and is not left; undefined if there is none, or it does not say. */
    get server() {
      return server
    },
    /** Connections that were left since the start. */
    get closedConnections() {
      return closedConnections
    },
  }
}

/** Returns `undefined` if the server has no timelines or denies the query, as some managed services do. */
async function queryServer(client: pg.PoolClient) {
  try {
    const { rows } = await client.query<ServerState>(QUERY_SERVER)
    return rows[0]
  } catch (error) {
    const isRefused = error instanceof pg.DatabaseError && /^(0A|42)...$/.test(error.code ?? '')
    if (isRefused) return undefined
    throw error
  }
}
