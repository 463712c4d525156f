import { migrateDatabase } from '../../src/database/migrations.ts'
import type { Standing } from '../../src/database/replica.ts'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import type { TestDatabase } from './database.ts'
import { waitFor } from './processes.ts'
import { openPrimary, type StandaloneServer } from './replicated-server.ts'
import { startTestApp, type TestApp } from './test-app.ts'

/** A migrated database with two replicas. */
export async function openReplicatedDatabase() {
  const primary = await openPrimary()
  await migrateDatabase(primary.url)
  const replicas: [StandaloneServer, StandaloneServer] = [await primary.openReplica(), await primary.openReplica()]
  return {
    primary,
    replicas,
    save: (...records: ImportRecord[]) => importRecords(primary.url, [toRecordSource('test records', records)]),
    /** The app on it, which asks these replicas once they are in order. */
    async startApp(urls: readonly string[], settings: Record<string, string> = {}): Promise<TestApp> {
      const shared: TestDatabase = { ...primary, [Symbol.asyncDispose]: async () => undefined }
      const api = await startTestApp({ ...settings, DATABASE_REPLICA_URLS: urls.join(',') }, shared)
      await reached(api, ...urls.map(() => 'used' as const))
      return api
    },
    async [Symbol.asyncDispose]() {
      for (const server of [...replicas, primary]) await server[Symbol.asyncDispose]()
    },
  }
}

/** Waits until the replicas of an app stand so, in their order. */
export const reached = ({ replicas }: TestApp, ...standings: Standing[]) =>
  waitFor(() => (replicas.every(({ standing }, index) => standing === standings[index]) ? true : undefined))

/** A replica that replays nothing, until it is told to resume. */
export async function pauseReplay(replica: StandaloneServer) {
  await replica.query('select pg_wal_replay_pause()')
  const resume = async () => void (await replica.query('select pg_wal_replay_resume()'))
  return { resume, [Symbol.asyncDispose]: resume }
}
