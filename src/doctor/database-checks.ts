import { ASCII_LOCALE_ADVICE, describeAsciiLocale, findAsciiLocale } from '../database/database-locale.ts'
import { compareObjects, type SchemaDifference, type SchemaObject, schemaObjects } from '../database/schema-objects.ts'
import type { Query } from '../database/snapshot.ts'
import { type Finding, failed, ok, REBUILD, warning } from '../schemas/check-findings.ts'

const OLDEST_VERSION = 15

/** Whether the schema can be installed on this version of the server. */
export async function examineVersion(query: Query): Promise<Finding> {
  const [row] = await query<{ version: number; isReplica: boolean }>(
    `select current_setting('server_version_num')::integer / 10000 as version, pg_is_in_recovery() as "isReplica"`,
  )
  const found = `PostgreSQL ${row?.version} responds${row?.isReplica ? ', a replica' : ''}`
  return (row?.version ?? 0) >= OLDEST_VERSION
    ? ok(found)
    : failed(found, `the service needs PostgreSQL ${OLDEST_VERSION} or newer`)
}

/** Whether the locale of the database covers letters beyond ASCII. */
export async function examineLocale(query: Query): Promise<Finding> {
  const locale = await findAsciiLocale(query)
  return locale === undefined
    ? ok('the locale of the database covers letters beyond ASCII')
    : warning(describeAsciiLocale(locale), ASCII_LOCALE_ADVICE)
}

const MAX_NAMED = 3

/** Compares indexes, constraints, triggers and functions with those of this version. */
export async function examineSchemaObjects(query: Query, schema: 'behind' | 'current' | 'newer'): Promise<Finding> {
  if (schema === 'newer') return ok('a newer version has migrated the schema, so it may differ from this one')
  const there = await query<SchemaObject>(schemaObjects)
  const differences = compareObjects(there)
  if (differences.length === 0) return ok('all indexes, constraints, triggers and functions are those of this version')
  const named = differences.slice(0, MAX_NAMED).map(describe)
  const others = differences.length - named.length
  return failed(`${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`, REBUILD)
}

const describe = ({ kind, name, table, state }: SchemaDifference) =>
  `${kind} ${name}${table === null ? '' : ` of ${table}`} ${state === 'missing' ? 'is missing' : 'is not that of this version'}`
