import { setTimeout as sleep } from 'node:timers/promises'
import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { applyMigration, changeSchema } from './apply-migration.ts'
import { orUnreachable, UnreleasedSchemaError } from './connection/database-errors.ts'
import { RESPONSE_TIMEOUT_MS, withClient } from './connection/open-database.ts'
import { applySources, findChangedSources, functionsOfTables } from './schema-sources.ts'
import { isBaseline, readMigrations, readNewestMigrations } from './schema-version.ts'
import {
  findServingRoles,
  grantReading,
  requireServingRole,
  revokeOtherRights,
  revokeWritingFunctions,
} from './serving-role.ts'

/** The advisory lock of a migrating process: several may start at once, one migrates. */
const MIGRATION_LOCK = 7_201_002

/** How often to check whether the lock is free. */
const POLL_INTERVAL_MS = 200

/** Their name in messages. */
const SOURCES = 'functions, views and triggers'

export interface MigrationOptions {
  /** Gets the rights that `serve` needs, and no others. */
  servingRole?: string | undefined
  /** Called once if another process migrates. */
  onWait?: () => void
  /** Called once for each migration that has to wait for transactions of others. */
  onBlocked?: (reason: string) => void
}

/** What `migrateDatabase` has done. */
export interface AppliedChanges {
  /** The number of migrations. */
  migrations: number
  /** The functions, views and triggers that were applied from their sources, or dropped. */
  objects: string[]
}

/**
 * Brings the schema up to date: one migration after the other, each in a transaction of its own together with the
 * rights of the serving roles; with the last, or alone, the functions, views and triggers whose source has changed. Does nothing if
 * the schema is current. Safe with many processes at once: one migrates, the others call `onWait` and wait. A migration may
 * take any time; everything before it is bounded.
 * @throws ServingRoleError before anything is done, if the role cannot serve.
 * @throws UnreleasedSchemaError before anything is done, if an unreleased version has made the schema.
 * @throws DatabaseUnreachableError if the server does not respond.
 */
export async function migrateDatabase(url: string, options: MigrationOptions = {}): Promise<AppliedChanges> {
  const { servingRole, onWait = () => undefined, onBlocked = () => undefined } = options
  return await withClient(url, 'reward-campaigns migrate', async (client) => {
    await takeLock(client, onWait)
    if (servingRole !== undefined) await requireServingRole(client, servingRole)
    const { pending, isNewer } = await findPending(client)
    await orUnreachable(client.query(createJournal))
    const roles = new Set(await findServingRoles(client))
    if (servingRole !== undefined) roles.add(servingRole)
    const grantRights = async () => {
      await revokeWritingFunctions(client, 'public')
      for (const role of roles) await grantReading(client, role)
    }

    let objects: string[] = []
    for (const [index, migration] of pending.entries()) {
      const isLast = index === pending.length - 1
      const statements = isBaseline(migration)
        ? [...functionsOfTables(), ...migration.statements]
        : migration.statements
      await orUnreachable(
        applyMigration(
          client,
          { ...migration, statements },
          {
            onBlocked,
            beforeCommit: async () => {
              if (isLast) objects = await applySources(client)
              await grantRights()
            },
          },
        ),
      )
    }
    if (pending.length === 0 && !isNewer) {
      const change = { name: SOURCES, statements: [] }
      await orUnreachable(
        changeSchema(client, change, {
          onBlocked,
          beforeCommit: async () => {
            objects = await applySources(client)
            if (objects.length > 0) await grantRights()
          },
        }),
      )
    }
    if (servingRole !== undefined) await revokeOtherRights(client, servingRole)
    return { migrations: pending.length, objects }
  })
}

/** What `migrateDatabase` would apply, and what others cannot read or write meanwhile. */
export interface PendingChange {
  name: string
  /** Tables and views that can be neither read nor written. */
  blocksReading: string[]
  /** Tables that can be read but not written; `imports` if every import waits. */
  blocksWriting: string[]
}

/** What `migrateDatabase` would apply. Writes nothing. @throws UnreleasedSchemaError as that does. */
export const listPendingChanges = (url: string): Promise<PendingChange[]> =>
  withClient(url, 'reward-campaigns migrate', async (client) => {
    const { pending, isNewer } = await findPending(client)
    const changes = pending.map(({ name, locks }) => ({ name, ...locks }))
    if (isNewer || pending.some(isBaseline)) return changes
    const changed = await findChangedSources(client)
    if (changed.length === 0) return changes
    const tablesOf = (kind: string) =>
      changed.flatMap((name) => (name.startsWith(kind) ? [name.split(' on ')[1] ?? name.slice(kind.length)] : []))
    return [
      ...changes,
      {
        name: SOURCES,
        blocksReading: [...new Set([...tablesOf('view '), ...tablesOf('trigger ')])],
        blocksWriting: [],
      },
    ]
  })

async function findPending(client: pg.Client) {
  const { last, hasBaseline } = await orUnreachable(readNewestMigrations(drizzle(client)))
  if (last > 0 && !hasBaseline) {
    throw new UnreleasedSchemaError(
      'an unreleased version has made this database, and there is no way from it: export its data with that version, ' +
        'and import it into an empty database (docs/guides/upgrading.md)',
    )
  }
  const migrations = readMigrations()
  return {
    pending: migrations.filter(({ madeAt }) => madeAt > last),
    isNewer: last > (migrations.at(-1)?.madeAt ?? 0),
  }
}

/** As Drizzle's own migrator creates and reads it. */
const createJournal = `create schema if not exists drizzle;
  create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`

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
