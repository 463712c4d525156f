import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { databaseUrl } from './servers/database-url.ts'

export interface TestDatabase extends AsyncDisposable {
  url: string
  /** Asks the database directly, past all of our code. */
  query: (sql: string, values?: unknown[]) => Promise<Record<string, unknown>[]>
}

/** A fresh, migrated database of its own for a test; or a copy of another, which nobody may use meanwhile. */
export async function createTestDatabase(template?: TestDatabase): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  const serverUrl = inject('serverUrl')
  const original = template === undefined ? inject('templateDatabase') : new URL(template.url).pathname.slice(1)
  await onServer(serverUrl, `create database ${name} template ${original} strategy file_copy`)
  const url = databaseUrl(serverUrl, name)
  return {
    url,
    async query(sql, values) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        return (await client.query<Record<string, unknown>>(sql, values)).rows
      } finally {
        await client.end()
      }
    },
    [Symbol.asyncDispose]: () => onServer(serverUrl, `drop database ${name} with (force)`),
  }
}

async function onServer(serverUrl: string, sql: string) {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** Makes every query of campaigns, or of another table, wait. */
export async function lockCampaigns(url: string, table = 'campaigns') {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`begin; lock table ${table} in access exclusive mode`)
  let isReleased = false
  async function release() {
    if (isReleased) return
    isReleased = true
    await client.query('rollback')
    await client.end()
  }
  return { release, [Symbol.asyncDispose]: release }
}
