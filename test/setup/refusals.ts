import { expect } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { readSettings } from '../../src/config.ts'
import { openServingDatabase } from '../../src/database/connection/open-database.ts'

/** Nobody listens on this port. */
const NO_DATABASE = 'postgres://nobody@127.0.0.1:1/nothing'

type App = Awaited<ReturnType<typeof buildApp>>
let started: Promise<App> | undefined

/**
 * The real app, whose database is away: what it refuses, it refuses before anything is read. One for all tests of the process,
 * with which it ends.
 */
export function appWithoutDatabase(): Promise<App> {
  started ??= startWithoutDatabase()
  return started
}

async function startWithoutDatabase() {
  const settings = readSettings({ DATABASE_URL: NO_DATABASE, MAX_EVENT_LOOP_DELAY_MS: '0' })
  const { queries, lookups } = openServingDatabase({
    url: NO_DATABASE,
    poolSize: 1,
    connectionTimeoutMs: 1000,
    statementTimeoutMs: 1000,
    onIdleError: () => undefined,
  })
  return buildApp({
    database: queries.database,
    lookups: lookups.database,
    settings,
    isReady: async () => false,
    logStream: { write: () => undefined },
  })
}

/** The sentence with which a request is refused. */
export async function refusalOf(url: string): Promise<string> {
  const response = await (await appWithoutDatabase()).inject(url)
  expect(response.statusCode, `${url}: ${response.body}`).toBe(400)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  const body = response.json()
  expect(Object.keys(body)).toEqual(['error'])
  return body.error
}
