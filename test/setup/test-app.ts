import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { buildApp } from '../../src/app.ts'
import { readSettings } from '../../src/config.ts'
import { openDatabase } from '../../src/database/client.ts'
import { importRecords } from '../../src/import/importer.ts'
import type { ImportRecord } from '../../src/import/records.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'

export interface TestApp extends AsyncDisposable {
  app: FastifyInstance
  database: TestDatabase
  /** Imports records the way an operator does. */
  save: (...records: ImportRecord[]) => Promise<void>
  get: (url: string, headers?: Record<string, string>) => Promise<LightMyRequestResponse>
  /** The moment of the next answers. */
  setNow: (now: Date) => void
}

/** The real app on a database of its own. `settings` are environment variables. */
export async function startTestApp(settings: Record<string, string> = {}): Promise<TestApp> {
  const database = await createTestDatabase()
  const opened = openDatabase({
    url: database.url,
    poolSize: 4,
    connectionTimeoutMs: 10_000,
    statementTimeoutMs: 30_000,
    onIdleError: () => undefined,
  })
  let now: Date | undefined
  const app = await buildApp({
    database: opened.database,
    settings: readSettings({ LOG_LEVEL: 'silent', MAX_EVENT_LOOP_DELAY_MS: '60000', ...settings }),
    isReady: async () => true,
    now: () => now ?? new Date(),
  })
  return {
    app: app as unknown as FastifyInstance,
    database,
    async save(...records) {
      await importRecords(database.url, [toRecordSource('test records', records)])
    },
    get: (url, headers = {}) => app.inject({ url, headers }),
    setNow(instant) {
      now = instant
    },
    async [Symbol.asyncDispose]() {
      await app.close()
      await opened.close()
      await database[Symbol.asyncDispose]()
    },
  }
}
