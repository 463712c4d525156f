import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface SchemaObject {
  kind: 'index' | 'constraint'
  /** Its SQL name: quoted if necessary. */
  name: string
  /** Its table, with the schema. */
  table: string
  /** SQL that creates it. */
  definition: string
}

/** An index or a constraint of a database. */
export interface StoredSchemaObject extends SchemaObject {
  isValid: boolean
}

/** An object that differs from this version. */
export interface SchemaDifference extends SchemaObject {
  state: 'missing' | 'different'
}

/**
 * The indexes and constraints of a database, as SQL that creates them, and whether they are valid. All supported servers print the
 * same, and so do restored ones; tests try it.
 */
export const schemaObjects = `
  with tables as (
    select pg_class.oid, format('%I.%I', nspname, relname) as name from pg_class
    join pg_namespace on pg_namespace.oid = relnamespace and nspname = 'public'
    where relkind = 'r'
  )
  select 'index' as kind, quote_ident(relname) as name, tables.name as "table", pg_get_indexdef(indexrelid) as definition,
    indisvalid and indisready as "isValid"
  from pg_index join tables on tables.oid = indrelid join pg_class on pg_class.oid = indexrelid
  where not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
  union all
  -- What may not be null is another kind of constraint from PostgreSQL 18 on.
  select 'constraint', quote_ident(conname), tables.name,
    format('alter table %s add constraint %I %s', tables.name, conname, pg_get_constraintdef(pg_constraint.oid)), convalidated
  from pg_constraint join tables on tables.oid = conrelid
  where contype in ('p', 'u', 'c', 'f')
  order by kind, "table", name`

const FILE = join(import.meta.dirname, '../../migrations/meta/_schema.json')

/** Those of this version; a test compares them with what the migrations create. */
const readSchemaObjects = (): SchemaObject[] => JSON.parse(readFileSync(FILE, 'utf8'))

/**
 * The objects that a database lacks, or that are defined otherwise or not valid there, in an order in which they can be restored;
 * additional ones are left alone.
 */
export function compareObjects(there: readonly StoredSchemaObject[]): SchemaDifference[] {
  const keyOf = ({ kind, name, table }: SchemaObject) => `${kind} ${name} ${table}`
  const stored = new Map(there.map((object) => [keyOf(object), object]))
  const isSame = (one: StoredSchemaObject, { definition }: SchemaObject) => one.isValid && one.definition === definition
  const differences = readSchemaObjects().flatMap((object): SchemaDifference[] => {
    const own = stored.get(keyOf(object))
    if (own === undefined) return [{ ...object, state: 'missing' }]
    return isSame(own, object) ? [] : [{ ...object, state: 'different' }]
  })
  const rank = ({ kind, definition }: SchemaObject) => (kind === 'index' ? 0 : / FOREIGN KEY /.test(definition) ? 2 : 1)
  return differences.sort((a, b) => rank(a) - rank(b))
}

/** The index of a key until the key has it, which then gives it its own name. */
const KEY_INDEX = 'restored_key'

/**
 * Statements that turn an object into that of this version, by the changes in which they run (see changeSchema). None reads
 * a table while it keeps readers from it: the index of a key is made before, and rows are checked afterwards.
 */
export function toRestoration({ kind, name, table, definition }: SchemaObject): string[][] {
  switch (kind) {
    case 'index':
      return [
        [`drop index concurrently if exists public.${name}`, definition.replace(' INDEX ', ' INDEX CONCURRENTLY ')],
      ]
    case 'constraint': {
      const replace = (constraint: string) => `alter table ${table} drop constraint if exists ${name}; ${constraint}`
      const [, added, key, columns] = /^(.*) (PRIMARY KEY|UNIQUE) (\([^()]+\))$/.exec(definition) ?? []
      if (key === undefined)
        return [[replace(`${definition} not valid`)], [`alter table ${table} validate constraint ${name}`]]
      return [
        [
          `drop index concurrently if exists public.${KEY_INDEX}`,
          `create unique index concurrently ${KEY_INDEX} on ${table} ${columns}`,
          replace(`${added} ${key} using index ${KEY_INDEX}`),
        ],
      ]
    }
  }
}
