import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type { Migration } from './apply-migration.ts'
import { SchemaBehindError } from './connection/database-errors.ts'
import type { Database } from './connection/open-database.ts'
import { compareApplied } from './schema-sources.ts'
import { schemaSources } from './tables/schema-sources.ts'

const MIGRATIONS_FOLDER = join(import.meta.dirname, '../../migrations')

/** A migration of this version. */
interface KnownMigration extends Migration {
  /** What others have to wait for while it is applied; tables that it creates are left out. */
  locks: { blocksReading: string[]; blocksWriting: string[] }
}

/** The migrations of this version, in their order. */
export function readMigrations(): KnownMigration[] {
  const journal: { entries: { tag: string }[] } = JSON.parse(
    readFileSync(join(MIGRATIONS_FOLDER, 'meta/_journal.json'), 'utf8'),
  )
  return readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).map(({ sql, hash, folderMillis }, index) => ({
    name: journal.entries[index]?.tag ?? '',
    statements: sql,
    hash,
    madeAt: folderMillis,
    locks: {
      blocksReading: listAfter(sql, '-- blocks reading: '),
      blocksWriting: listAfter(sql, '-- blocks writing: '),
    },
  }))
}

/** The names in a comment of a migration that begins so; a test compares them with the locks that it takes. */
function listAfter(statements: string[], start: string) {
  const line = statements.flatMap((statement) => statement.split('\n')).find((line) => line.startsWith(start))
  return line?.slice(start.length).split(', ') ?? []
}

/** Whether it is the first, which makes all tables of an empty database. */
export const isBaseline = ({ name }: { name: string }) => name === readMigrations()[0]?.name

/** @throws SchemaBehindError unless every migration, function, view and trigger of this version has been applied. */
export async function requireCurrentSchema(database: Database) {
  // Those of a newer version do not matter.
  if ((await compareSchema(database)) !== 'behind') return
  throw new SchemaBehindError(
    'the schema of the database is behind this version: run `reward-campaigns migrate`, or set MIGRATE_ON_START=true for `serve`',
  )
}

/** When the first and the newest migration of this version were made, in milliseconds since 1970. */
let own: { first: number; last: number } | undefined

function ownMigrations() {
  if (own === undefined) {
    const migrations = readMigrations()
    own = { first: migrations[0]?.madeAt ?? 0, last: migrations.at(-1)?.madeAt ?? 0 }
  }
  return own
}

/** How the schema of a database compares with that of this version. */
export type SchemaState = 'behind' | 'current' | 'newer'

export async function compareSchema(database: Database): Promise<SchemaState> {
  const { last, hasBaseline } = await readNewestMigrations(database)
  if (last > ownMigrations().last) return 'newer'
  if (last < ownMigrations().last || !hasBaseline) return 'behind'
  const { name, sourceHash, version } = schemaSources
  return compareApplied(await database.select({ name, sourceHash, version }).from(schemaSources))
}

/** When the last applied migration was made, 0 if none was applied; and whether the first of this version is among them. */
export async function readNewestMigrations(database: Database) {
  const known = await database.execute<{ exists: boolean }>(
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as "exists"`,
  )
  if (known.rows[0]?.exists !== true) return { last: 0, hasBaseline: false }
  const { rows } = await database.execute<{ last: string | null; hasBaseline: boolean | null }>(
    sql`select max(created_at) as last, bool_or(created_at = ${ownMigrations().first}) as "hasBaseline"
      from drizzle.__drizzle_migrations`,
  )
  return { last: Number(rows[0]?.last ?? 0), hasBaseline: rows[0]?.hasBaseline ?? false }
}
