import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** How the name of the connection begins that each process holds for as long as it uses the server. */
const PRESENCE = 'reward-campaigns presence'

/** How long it is waited before the next attempt to come back; twice as long each time. */
const RECONNECT_MS = { first: 200, longest: 5000 }

export interface Presence {
  /** What the server knows the connection by. */
  name: string
  /** From now on the connection is not opened again. */
  letGo: () => void
  isLettingGo: () => boolean
  leave: () => Promise<void>
}

/**
 * Keeps a connection open that tells the other processes of this one, and opens it again when it is cut. Where that does
 * not work, the server may be gone: `bringBack` sees to that.
 */
export async function holdPresence(url: string, bringBack: (self: Presence) => Promise<void>): Promise<Presence> {
  const name = `${PRESENCE} ${randomUUID()}`
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
        // It may not start at once: what was killed has to be gone first.
        await bringBack(presence).catch(() => undefined)
        await sleep(waitMs, undefined, { ref: false })
      }
    }
  }

  const presence: Presence = {
    name,
    letGo() {
      isLeaving = true
    },
    isLettingGo: () => isLeaving,
    async leave() {
      isLeaving = true
      await current.end().catch(() => undefined)
    },
  }
  current = await connect()
  return presence
}

/** Asked on a connection of its own: the presence may have been cut just now. A server that is away is left alone. */
export async function isUsedByOthers(url: string, ownName: string) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const others = await client.query(
      'select from pg_stat_activity where starts_with(application_name, $1) and application_name <> $2',
      [PRESENCE, ownName],
    )
    return others.rows.length > 0
  } catch {
    return true
  } finally {
    await client.end().catch(() => undefined)
  }
}
