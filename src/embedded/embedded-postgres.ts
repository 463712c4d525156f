import pg from 'pg'
import { lock } from 'proper-lockfile'
import { openCluster } from './embedded-cluster.ts'
import { acquireLease, isUsedByOthers, type Lease } from './embedded-lease.ts'

const DATABASE = 'reward_campaigns'

export interface EmbeddedServer {
  url: string
  /** Releases the server; the last process to release it stops it. */
  close: () => Promise<void>
}

export interface EmbeddedServerOptions {
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
  { serverSettings = {}, leaving, onCreate, onRestart }: EmbeddedServerOptions = {},
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
    await ensureDatabase(serverUrl)
    const url = `${serverUrl}/${DATABASE}`
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

async function ensureDatabase(serverUrl: string) {
  const client = new pg.Client({ connectionString: `${serverUrl}/postgres` })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const found = await client.query('select from pg_database where datname = $1', [DATABASE])
    if (found.rows.length === 0) await client.query(`create database ${DATABASE}`)
  } finally {
    await client.end()
  }
}
