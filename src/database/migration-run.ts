import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** Statements that change the schema, and what they are called where somebody has to wait. */
interface SchemaChange {
  name: string
  statements: readonly string[]
}

export interface Migration extends SchemaChange {
  /** Of its text. */
  hash: string
  /** Milliseconds since 1970; a database has applied all migrations up to its newest. */
  madeAt: number
}

interface ChangeOptions {
  /** In the same transaction, after the statements. */
  beforeCommit: () => Promise<void>
  /** Told once that the transactions of others hold the change up. */
  onBlocked: (reason: string) => void
}

/** Longest wait for one lock: a query that comes meanwhile waits behind it, and none may wait for a second. */
const LOCK_TIMEOUT_MS = 300

/** Pause before another try, in which those who waited behind this one go on. */
const RETRY_MS = 1000

/** SQLSTATEs of a lock that was not given in time, and of a deadlock. */
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'

/** Applies a migration, which is written down in the same transaction. */
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
 * Changes the schema beside readers and writers, in a transaction of its own. It is tried again, for as long as that takes,
 * when others hold a lock that it needs. Statements that say `concurrently` run before that transaction, in no other; they
 * must be such that they can be run again.
 */
export async function changeSchema(client: pg.Client, { name, statements }: SchemaChange, options: ChangeOptions) {
  const isConcurrent = (statement: string) => /^\s*(create|drop)( unique)? index concurrently /im.test(statement)
  let isReported = false
  const onBlocked = async (error: pg.DatabaseError) => {
    if (isReported) return
    isReported = true
    options.onBlocked(`${name} waits for other transactions to end (${error.message})${await describeOldest(client)}`)
  }
  // Nobody waits for these, so they may wait for as long as others take.
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
      // Where the connection is gone, so is the transaction.
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

/** The transaction of this database that has been open for longest, most often the one to wait for. */
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
