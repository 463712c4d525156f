import { compareObjects, type SchemaDifference, type SchemaObject, schemaObjects } from '../database/schema-objects.ts'
import type { Query } from '../database/snapshot.ts'
import { type Finding, failed, ok, REBUILD } from '../schemas/check-findings.ts'

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
