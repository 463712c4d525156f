import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { lock } from 'proper-lockfile'
import { openCluster } from './embedded-cluster.ts'
import { EmbeddedServerError } from './embedded-error.ts'

export { EmbeddedServerError } from './embedded-error.ts'
export { findBinaries } from './embedded-programs.ts'

export interface EmbeddedServer {
  url: string
  /** Releases the server; the last process to release it stops it. */
  close: () => Promise<void>
}

export interface EmbeddedServerOptions {
  /** Name of the database, which is created if there is none. */
  database: string
  /** Parameters of PostgreSQL that are added to the default ones, or replace them. */
  serverSettings?: Record<string, string>
  /** Aborted when this process is about to exit: from then on it does not restart a server that has died. */
  leaving?: AbortSignal
  /** Called before a new cluster is made, which takes seconds. */
  onCreate?: () => void
  /** Called when the server died while it was in use, and this process has restarted it. */
  onRestart?: () => void
}

/**
 * Uses the PostgreSQL server of a data folder: creates it if there is none, starts it if it does not run, and joins it
 * if another process has started it (or has died and left it running). Its data survives every kind of exit; a server
 * that dies while it is in use is restarted on the same port. The server is not a child of this process: `pg_ctl`
 * detaches it, so that it can serve several processes and recovers by itself after any of them is killed.
 */
export async function openEmbeddedServer(
  dataFolder: string,
  { database, serverSettings = {}, leaving, onCreate, onRestart }: EmbeddedServerOptions,
): Promise<EmbeddedServer> {
  const cluster = await openCluster(dataFolder, serverSettings)

  /** One process at a time joins, leaves, or restarts the server. */
  async function alone<T>(work: () => Promise<T>): Promise<T> {
    const release = await lockFolder(cluster.folder)
    try {
      return await work()
    } finally {
      await release()
    }
  }

  const { url, lease } = await alone(async () => {
    const password = await cluster.create(onCreate)
    const port = (await cluster.runningPort()) ?? (await cluster.start())
    const serverUrl = `postgres://postgres:${password}@127.0.0.1:${port}`
    await ensureDatabase(serverUrl, database).catch((error: unknown) => rethrowUnanswered(error, cluster.folder))
    const url = `${serverUrl}/${database}`
    return { url, lease: await acquireLease(url, (self) => alone(() => restartServer(self, port))) }
  })
  leaving?.addEventListener('abort', lease.stopReconnecting)

  /** All users notice that the server has died: one of them restarts it, the others find it running. */
  async function restartServer(self: Lease, port: number) {
    if (self.isReleased() || (await cluster.runningPort()) !== undefined) return
    await cluster.startOn(port)
    onRestart?.()
  }

  return {
    url,
    close() {
      lease.stopReconnecting()
      return alone(async () => {
        const isLast = !(await isUsedByOthers(url, lease.name))
        await lease.release()
        if (isLast) await cluster.stop()
      })
    },
  }
}

const lockFolder = (folder: string) =>
  lock(folder, {
    lockfilePath: `${folder}/lock`,
    stale: 10_000,
    retries: { retries: 600, minTimeout: 50, maxTimeout: 200 },
  })

/** Where the system does not tell which process has the number. */
function rethrowUnanswered(error: unknown, folder: string): never {
  if (!(error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED')) throw error
  throw new EmbeddedServerError(
    `the embedded PostgreSQL does not answer, though a process has the number in ${folder}/postgres/postmaster.pid: if that is no PostgreSQL, delete the file`,
    { cause: error },
  )
}

async function ensureDatabase(serverUrl: string, database: string) {
  const client = new pg.Client({ connectionString: `${serverUrl}/postgres` })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const found = await client.query('select from pg_database where datname = $1', [database])
    if (found.rows.length === 0) await client.query(`create database ${pg.escapeIdentifier(database)}`)
  } finally {
    await client.end()
  }
}

/** Prefix of the name of the connection that each process holds as long as it uses the server. */
const APPLICATION_NAME = 'embedded-postgres presence'

/** The delay before the first reconnection attempt; it doubles each time. */
const RECONNECT_MS = { first: 200, longest: 5000 }

interface Lease {
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
async function acquireLease(url: string, restart: (self: Lease) => Promise<void>): Promise<Lease> {
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
async function isUsedByOthers(url: string, ownName: string) {
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
