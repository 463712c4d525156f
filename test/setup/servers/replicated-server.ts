import { execFile } from 'node:child_process'
import { chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { type Cluster, openCluster } from '../../../packages/embedded-postgres/src/embedded-cluster.ts'
import { query } from '../../../packages/embedded-postgres/test/setup/servers.ts'
import { waitFor } from '../wait-for.ts'
import { makePreparedFolder } from './prepared-folder.ts'
import { makeServerFolder } from './server-folder.ts'

const run = promisify(execFile)

/**
 * What a server needs for a test of seconds: it may lose everything, takes little memory, and keeps what a replica that is
 * late has not read yet, also when another one is made.
 */
const SETTINGS = { fsync: 'off', shared_buffers: '32MB', max_connections: '100', wal_keep_size: '1GB' }

/** A PostgreSQL of its own, which nobody starts again by himself. */
export interface StandaloneServer extends AsyncDisposable {
  url: string
  port: number
  query: (sql: string, values?: unknown[]) => Promise<Record<string, unknown>[]>
  /** What it has written into its log. */
  log: () => Promise<string>
  /** As if its machine had lost its power. */
  kill: () => Promise<void>
  start: () => Promise<void>
  stop: () => Promise<void>
}

export interface PrimaryServer extends StandaloneServer {
  /** A hot standby that streams from it, and has replayed all that was there. */
  openReplica: (settings?: Record<string, string>) => Promise<StandaloneServer>
}

/** A server with a migrated database, whose replicas stream from it. */
export async function openPrimary(): Promise<PrimaryServer> {
  const folder = await makePreparedFolder('reward-campaigns-primary')
  const cluster = await openCluster(folder, SETTINGS)
  const password = await cluster.create()
  const primary = await toServer(cluster, password)
  return {
    ...primary,
    async openReplica(settings = {}) {
      const copy = await makeServerFolder('reward-campaigns-replica')
      await copyCluster(primary.url, join(folder, 'postgres'), join(copy, 'postgres'))
      await writeFile(join(copy, 'password'), password, { mode: 0o600 })
      const source = `host=127.0.0.1 port=${primary.port} user=postgres password=${password}`
      const replica = await toServer(
        await openCluster(copy, {
          ...SETTINGS,
          primary_conninfo: source,
          wal_retrieve_retry_interval: '100',
          ...settings,
        }),
        password,
      )
      await caughtUp(primary, replica)
      return replica
    },
  }
}

async function toServer(cluster: Cluster, password: string): Promise<StandaloneServer> {
  const port = await cluster.start()
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/reward_campaigns`
  async function kill() {
    const [pid] = (await readFile(join(cluster.folder, 'postgres/postmaster.pid'), 'utf8')).split('\n')
    process.kill(Number(pid), 'SIGKILL')
  }
  return {
    url,
    port,
    query: (sql, values) => query(url, sql, values),
    log: () => readFile(join(cluster.folder, 'postgres/server.log'), 'utf8'),
    kill,
    start: () => cluster.startOn(port),
    stop: () => cluster.stop(),
    async [Symbol.asyncDispose]() {
      await cluster.stop().catch(() => undefined)
      await rm(cluster.folder, { recursive: true, force: true })
    },
  }
}

/** A copy of the files of a server that runs, in backup mode, which becomes a standby where it is started. */
async function copyCluster(url: string, source: string, target: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`select pg_backup_start('a replica', true)`)
    await mkdir(target)
    await run('cp', ['-a', `${source}/.`, target])
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    await rm(join(target, 'postmaster.pid'))
    const { uid, gid } = await stat(source)
    for (const [name, text] of [
      ['backup_label', rows[0]?.labelfile ?? ''],
      ['standby.signal', ''],
    ] as const) {
      await writeFile(join(target, name), text)
      await chown(join(target, name), uid, gid)
    }
  } finally {
    await client.end()
  }
}

/** Waits until a replica has replayed what its primary has written by now. */
export async function caughtUp(primary: StandaloneServer, replica: StandaloneServer) {
  const [row] = await primary.query('select pg_current_wal_lsn()::text as lsn')
  await waitFor(async () => {
    const [there] = await replica.query(`select pg_last_wal_replay_lsn() >= '${row?.lsn}' as "isThere"`)
    return there?.isThere === true ? true : undefined
  })
}
