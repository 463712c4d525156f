import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** Statements that change the schema, and their name in messages about waiting. */
interface SchemaChange {
  name: string
  statements: readonly string[]
}

export interface Migration extends SchemaChange {
  /** Hash of its text. */
  hash: string
  /** Milliseconds since 1970; a database has applied all migrations up to its newest. */
  madeAt: number
}

interface ChangeOptions {
  /** Runs in the same transaction, after the statements. */
  beforeCommit: () => Promise<void>
  /** Called once if transactions of others delay the change. */
  onBlocked: (reason: string) => void
}

/** Maximum wait for one lock: a later query queues behind it, and no query may wait for a second. */
const LOCK_TIMEOUT_MS = 300

/** The pause before another attempt, in which the queries queued behind this one proceed. */
const RETRY_MS = 1000

/** SQLSTATEs of a lock timeout and of a deadlock. */
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'

/** Applies a migration, and records it in the same transaction. */
export const applyMigration = (client: pg.Client, migration: Migration, { beforeCommit, onBlocked }: ChangeOptions) =>
  changeSchema(client, migration, {
    onBlocked,
    beforeCommit: async () => {
      await client.query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', [
        migration.hash,
        migration.madeAt,
      ])
      await beforeCommit()
    },
  })

/**
 * Changes the schema while others read and write, in a transaction of its own. It is repeated, as long as necessary,
 * when others hold a lock that it needs. Statements with `concurrently` run before that transaction, outside any; they
 * must be repeatable.
 */
export async function changeSchema(client: pg.Client, { name, statements }: SchemaChange, options: ChangeOptions) {
  const isConcurrent = (statement: string) => /^\s*(create|drop)( unique)? index concurrently /im.test(statement)
  let isReported = false
  const onBlocked = async (error: pg.DatabaseError) => {
    if (isReported) return
    isReported = true
    options.onBlocked(`${name} waits for other transactions to end (${error.message})${await describeOldest(client)}`)
  }
  // No query queues behind these, so they may wait for others as long as necessary.
  await untilUnblocked(onBlocked, async () => {
    for (const statement of statements.filter(isConcurrent)) await client.query(statement)
  })
  await untilUnblocked(onBlocked, async () => {
    await client.query(`begin; set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
    try {
      for (const statement of statements) if (!isConcurrent(statement)) await client.query(statement)
      await options.beforeCommit()
      await client.query('commit')
    } catch (error) {
      // If the connection is lost, so is the transaction.
      await client.query('rollback').catch(() => undefined)
      throw error
    }
  })
}

async function untilUnblocked(onBlocked: (error: pg.DatabaseError) => Promise<void>, work: () => Promise<void>) {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const isBlocked = error instanceof pg.DatabaseError && [LOCK_NOT_AVAILABLE, DEADLOCK].includes(error.code ?? '')
      if (!isBlocked) throw error
      await onBlocked(error)
    }
    await sleep(RETRY_MS)
  }
}

/** The oldest open transaction of this database, most often the one to wait for. */
async function describeOldest(client: pg.Client) {
  const { rows } = await client.query<{ pid: number; name: string; seconds: number }>(
    `select pid, application_name as name, extract(epoch from clock_timestamp() - xact_start)::integer as seconds
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
    order by xact_start limit 1`,
  )
  const [oldest] = rows
  if (oldest === undefined) return ''
  return `; the oldest is of process ${oldest.pid} (${oldest.name}), open for ${oldest.seconds} s`
}
