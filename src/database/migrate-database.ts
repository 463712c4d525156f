import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { applyMigration, type Migration } from './apply-migration.ts'
import { orUnreachable, SchemaBehindError } from './connection/database-errors.ts'
import { type Database, RESPONSE_TIMEOUT_MS, withClient } from './connection/open-database.ts'
import {
  findServingRoles,
  grantReading,
  requireServingRole,
  revokeOtherRights,
  revokeWritingFunctions,
} from './serving-role.ts'

const MIGRATIONS_FOLDER = join(import.meta.dirname, '../../migrations')

/** The advisory lock of a migrating process: several may start at once, one migrates. */
const MIGRATION_LOCK = 7_201_002

/** How often to check whether the lock is free. */
const POLL_INTERVAL_MS = 200

export interface MigrationOptions {
  /** Gets the rights that `serve` needs, and no others. */
  servingRole?: string | undefined
  /** Called once if another process migrates. */
  onWait?: () => void
  /** Called once for each migration that has to wait for transactions of others. */
  onBlocked?: (reason: string) => void
}

/**
 * Brings the schema up to date, one migration after the other, each in a transaction of its own together with the
 * rights of the serving roles; does nothing if the schema is current. Safe with many processes at once: one migrates,
 * the others call `onWait` and wait. A migration may take any time; everything before it is bounded.
 * @returns how many migrations were applied.
 * @throws ServingRoleError before anything is done, if the role cannot serve.
 * @throws DatabaseUnreachableError if the server does not respond.
 */
export async function migrateDatabase(url: string, options: MigrationOptions = {}) {
  const { servingRole, onWait = () => undefined, onBlocked = () => undefined } = options
  return await withClient(url, 'reward-campaigns migrate', async (client) => {
    await takeLock(client, onWait)
    if (servingRole !== undefined) await requireServingRole(client, servingRole)
    await orUnreachable(client.query(createJournal))
    const pending = await listPending(client)
    const roles = new Set(await findServingRoles(client))
    if (servingRole !== undefined) roles.add(servingRole)
    for (const migration of pending) {
      await orUnreachable(
        applyMigration(client, migration, {
          onBlocked,
          beforeCommit: async () => {
            await revokeWritingFunctions(client, 'public')
            for (const role of roles) await grantReading(client, role)
          },
        }),
      )
    }
    if (servingRole !== undefined) await revokeOtherRights(client, servingRole)
    return pending.length
  })
}

/** The migrations that `migrateDatabase` would apply. Writes nothing. */
export const listPendingMigrations = (url: string): Promise<Migration[]> =>
  withClient(url, 'reward-campaigns migrate', listPending)

/** As Drizzle's own migrator creates and reads it. */
const createJournal = `create schema if not exists drizzle;
  create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`

async function listPending(client: pg.Client) {
  const { last } = await readApplied(drizzle(client))
  return readMigrations().filter(({ madeAt }) => madeAt > last)
}

/** Tries repeatedly instead of waiting once: so a server that no longer responds is noticed. */
async function takeLock(client: pg.Client, onWait: () => void) {
  const query = {
    text: 'select pg_try_advisory_lock($1) as "isMine"',
    values: [MIGRATION_LOCK],
    query_timeout: RESPONSE_TIMEOUT_MS,
  }
  for (let looks = 0; ; looks += 1) {
    const { rows } = await orUnreachable(client.query<{ isMine: boolean }>(query))
    if (rows[0]?.isMine === true) return
    if (looks === 0) onWait()
    await sleep(POLL_INTERVAL_MS)
  }
}

/** The migrations of this version, in their order. */
export function readMigrations(): Migration[] {
  const journal: { entries: { tag: string }[] } = JSON.parse(
    readFileSync(join(MIGRATIONS_FOLDER, 'meta/_journal.json'), 'utf8'),
  )
  return readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).map(({ sql, hash, folderMillis }, index) => ({
    name: journal.entries[index]?.tag ?? '',
    statements: sql,
    hash,
    madeAt: folderMillis,
  }))
}

/** @throws SchemaBehindError unless every migration of this version has been applied. */
export async function requireCurrentSchema(database: Database) {
  // Newer migrations than the known ones do not matter.
  if ((await compareSchema(database)) !== 'behind') return
  throw new SchemaBehindError(
    'the schema of the database is behind this version: run `reward-campaigns migrate`, or set MIGRATE_ON_START=true for `serve`',
  )
}

/** When the newest migration of this version was made, in milliseconds since 1970. */
let newest: number | undefined

/** How the schema of a database compares with that of this version. */
export async function compareSchema(database: Database): Promise<'behind' | 'current' | 'newer'> {
  newest ??= readMigrations().at(-1)?.madeAt ?? 0
  const { last } = await readApplied(database)
  if (last === newest) return 'current'
  return last < newest ? 'behind' : 'newer'
}

/** When the last applied migration was made. */
async function readApplied(database: Database) {
  const known = await database.execute<{ exists: boolean }>(
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as "exists"`,
  )
  if (known.rows[0]?.exists !== true) return { last: 0 }
  const { rows } = await database.execute<{ last: string | null }>(
    sql`select max(created_at) as last from drizzle.__drizzle_migrations`,
  )
  return { last: Number(rows[0]?.last ?? 0) }
}

/** What others have to wait for while a migration of an existing database is applied. */
interface MigrationLocks {
  /** Tables and views that can be neither read nor written meanwhile. */
  blocksReading: string[]
  /** Tables that can be read but not written; `imports` if every import waits. */
  blocksWriting: string[]
}

/** The locks of each migration by its name, as recorded by a test; those of tables that it creates are left out. */
export const readMigrationLocks = (): Record<string, MigrationLocks> =>
  JSON.parse(readFileSync(join(MIGRATIONS_FOLDER, 'meta/_locks.json'), 'utf8'))
