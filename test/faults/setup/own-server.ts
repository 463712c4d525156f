import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { type Cluster, openCluster } from '../../../packages/embedded-postgres/src/embedded-cluster.ts'
import { importRecords } from '../../../src/import/importer.ts'
import { toRecordSource } from '../../../src/import/sources.ts'
import type { ImportRecord } from '../../../src/ingest/records.ts'
import { makePreparedFolder } from '../../setup/servers/prepared-folder.ts'
import { makeServerFolder } from '../../setup/servers/server-folder.ts'

/** A PostgreSQL of a test's own, which nobody starts again by himself. */
export interface OwnServer extends AsyncDisposable {
  url: string
  save: (...records: ImportRecord[]) => Promise<void>
  query: (sql: string) => Promise<Record<string, unknown>[]>
  /** As if its machine had lost its power. */
  kill: () => Promise<void>
  stop: () => Promise<void>
  start: () => Promise<void>
  /** Another server at the same address, with what this one has now. Both must have been stopped before one is started. */
  copy: () => Promise<OwnServer>
}

const openOwnCluster = (folder: string, settings: Record<string, string>) =>
  openCluster(folder, { fsync: 'off', shared_buffers: '32MB', ...settings })

/** Starts a server with a migrated database. */
export async function startOwnServer(settings: Record<string, string> = {}): Promise<OwnServer> {
  const cluster = await openOwnCluster(await makePreparedFolder('own-server'), settings)
  const password = await cluster.create()
  const port = await cluster.start()
  return toOwnServer(cluster, `postgres://postgres:${password}@127.0.0.1:${port}/reward_campaigns`, settings)
}

function toOwnServer(cluster: Cluster, url: string, settings: Record<string, string>): OwnServer {
  return {
    url,
    save: async (...records) => void (await importRecords(url, [toRecordSource('test records', records)])),
    async query(sql) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        return (await client.query<Record<string, unknown>>(sql)).rows
      } finally {
        await client.end()
      }
    },
    async kill() {
      const [pid] = (await readFile(join(cluster.folder, 'postgres/postmaster.pid'), 'utf8')).split('\n')
      process.kill(Number(pid), 'SIGKILL')
    },
    stop: cluster.stop,
    start: () => cluster.startOn(Number(new URL(url).port)),
    async copy() {
      const folder = await makeServerFolder('own-server')
      // With the account that the files belong to.
      await promisify(execFile)('cp', ['-a', `${cluster.folder}/.`, folder])
      return toOwnServer(await openOwnCluster(folder, settings), url, settings)
    },
    async [Symbol.asyncDispose]() {
      await cluster.stop().catch(() => undefined)
      await rm(cluster.folder, { recursive: true, force: true })
    },
  }
}
