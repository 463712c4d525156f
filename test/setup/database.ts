import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { createSaving, type Line } from './save-records.ts'
import { databaseUrl } from './servers/database-url.ts'

export interface TestDatabase extends AsyncDisposable {
  url: string
  /** Asks the database directly, past all of our code. */
  query: (sql: string, values?: unknown[]) => Promise<Record<string, unknown>[]>
  /** Saves records on a connection that stays for the next ones. */
  save?: (...records: Line[]) => Promise<void>
}

/** What outlives a statement in its session: the next one must not find it. Statistics are complete when a session ends. */
const NEEDS_ITS_OWN_SESSION =
  /(^|;)\s*(set|begin|prepare|load|listen|alter (database|role))\b|\b(set_config|temp|temporary|pg_advisory_lock|pg_stat\w*)\b/i

/** Ends what asks a database directly, so that it can be copied. */
const closings = new Map<string, () => Promise<void>>()

/** A fresh, migrated database of its own for a test; or a copy of another, which nobody may use meanwhile. */
export async function createTestDatabase(template?: TestDatabase): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  const serverUrl = inject('serverUrl')
  const original = template === undefined ? inject('templateDatabase') : new URL(template.url).pathname.slice(1)
  await closings.get(original)?.()
  await onServer(serverUrl, `create database ${name} template ${original} strategy file_copy`)
  const url = databaseUrl(serverUrl, name)
  // To connect takes the server longer than most of what tests ask: a connection that is free is used again.
  let free: pg.Client | undefined
  async function connect() {
    const client = new pg.Client({ connectionString: url, application_name: 'test' })
    client.on('error', () => {
      if (free === client) free = undefined
    })
    await client.connect()
    return client
  }
  const saving = createSaving(url)
  async function close() {
    const client = free
    free = undefined
    await Promise.all([saving.close(), client?.end().catch(() => undefined)])
  }
  closings.set(name, close)
  return {
    url,
    save: (...records) => saving.save(records),
    async query(sql, values) {
      const isAlone = NEEDS_ITS_OWN_SESSION.test(sql)
      if (isAlone) await close()
      const used = free
      free = undefined
      const client = used ?? (await connect())
      let isReusable = false
      try {
        const { rows } = await client.query<Record<string, unknown>>(sql, values)
        isReusable = free === undefined && !isAlone
        return rows
      } finally {
        if (isReusable) free = client
        else await client.end()
      }
    },
    async [Symbol.asyncDispose]() {
      closings.delete(name)
      await close()
      await onServer(serverUrl, `drop database ${name} with (force)`)
    },
  }
}

/** With what the types of the driver leave out. */
interface IdleClient extends pg.Client {
  ref(): void
  unref(): void
}

/** Connections that create and drop databases, and are free. They keep no process up. */
const idle: IdleClient[] = []

async function onServer(serverUrl: string, sql: string) {
  const client = idle.pop() ?? ((await connectToServer(serverUrl)) as IdleClient)
  client.ref()
  try {
    await client.query(sql)
  } finally {
    client.unref()
    idle.push(client)
  }
}

async function connectToServer(serverUrl: string) {
  const client = new pg.Client({ connectionString: serverUrl })
  // At the end of a run the server stops before the process does.
  client.on('error', () => undefined)
  await client.connect()
  return client
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
