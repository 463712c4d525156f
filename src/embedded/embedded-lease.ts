import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** Prefix of the name of the connection that each process holds as long as it uses the server. */
const APPLICATION_NAME = 'reward-campaigns presence'

/** The delay before the first reconnection attempt; it doubles each time. */
const RECONNECT_MS = { first: 200, longest: 5000 }

export interface Lease {
  /** The name of the connection at the server. */
  name: string
  /** From now on the connection is not opened again. */
  stopReconnecting: () => void
  isReleased: () => boolean
  release: () => Promise<void>
}

/**
 * Holds a connection that shows this process to others, and reopens it when it is cut. If that fails, the server may
 * have died: `restart` restarts it.
 */
export async function acquireLease(url: string, restart: (self: Lease) => Promise<void>): Promise<Lease> {
  const name = `${APPLICATION_NAME} ${randomUUID()}`
  let isLeaving = false
  let current: pg.Client

  async function connect() {
    const client = new pg.Client({ connectionString: url, application_name: name, connectionTimeoutMillis: 5000 })
    client.on('error', () => undefined)
    await client.connect()
    client.once('end', () => void reconnect())
    return client
  }

  async function reconnect() {
    for (let waitMs = RECONNECT_MS.first; !isLeaving; waitMs = Math.min(waitMs * 2, RECONNECT_MS.longest)) {
      try {
        current = await connect()
        if (isLeaving) await current.end()
        return
      } catch {
        // It may not start at once: the killed processes must be gone first.
        await restart(lease).catch(() => undefined)
        await sleep(waitMs, undefined, { ref: false })
      }
    }
  }

  const lease: Lease = {
    name,
    stopReconnecting() {
      isLeaving = true
    },
    isReleased: () => isLeaving,
    async release() {
      isLeaving = true
      await current.end().catch(() => undefined)
    },
  }
  current = await connect()
  return lease
}

/** Queried on a separate connection: its connection may just have been cut. An unreachable server is left alone. */
export async function isUsedByOthers(url: string, ownName: string) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const others = await client.query(
      'select from pg_stat_activity where starts_with(application_name, $1) and application_name <> $2',
      [APPLICATION_NAME, ownName],
    )
    return others.rows.length > 0
  } catch {
    return true
  } finally {
    await client.end().catch(() => undefined)
  }
}
