import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The parts of the schema besides tables and views. */
export interface SchemaObject {
  kind: 'function' | 'index' | 'constraint' | 'trigger'
  /** Its SQL name: quoted if necessary, and with the types of its parameters. */
  name: string
  /** Its table; null for a function. */
  table: string | null
  /** SQL that creates it; equal objects have equal SQL. */
  definition: string
}

/** An object that differs from this version. */
export interface SchemaDifference extends SchemaObject {
  state: 'missing' | 'different'
}

/**
 * The `SchemaObject`s of a database. An invalid index, or a disabled trigger, has a definition of its own, so it
 * differs.
 */
export const schemaObjects = `
  with tables as (
    select pg_class.oid, format('%I.%I', nspname, relname) as name from pg_class
    join pg_namespace on pg_namespace.oid = relnamespace and nspname = 'public'
    where relkind = 'r'
  )
  select 'function' as kind, oid::regprocedure::text as name, null as "table", pg_get_functiondef(oid) as definition
  from pg_proc
  where pronamespace = 'public'::regnamespace and prokind = 'f'
    and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
  union all
  select 'index', quote_ident(relname), tables.name, pg_get_indexdef(indexrelid) || case when indisvalid and indisready then '' else ' -- not valid' end
  from pg_index join tables on tables.oid = indrelid join pg_class on pg_class.oid = indexrelid
  where not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
  union all
  -- What may not be null is another kind of constraint from PostgreSQL 18 on.
  select 'constraint', quote_ident(conname), tables.name,
    format('alter table %s add constraint %I %s', tables.name, conname, pg_get_constraintdef(pg_constraint.oid))
  from pg_constraint join tables on tables.oid = conrelid
  where contype in ('p', 'u', 'c', 'f')
  union all
  select 'trigger', quote_ident(tgname), tables.name, pg_get_triggerdef(pg_trigger.oid)
    || case tgenabled when 'O' then '' else ' -- ' || case tgenabled when 'D' then 'disabled' else tgenabled::text end end
  from pg_trigger join tables on tables.oid = tgrelid
  where not tgisinternal
  order by kind, "table", name`

const FILE = join(import.meta.dirname, '../../migrations/meta/_schema.json')

/** The schema objects of this version; a test compares them with what the migrations create. */
const readSchemaObjects = (): SchemaObject[] => JSON.parse(readFileSync(FILE, 'utf8'))

/**
 * The objects that a database lacks, or has in another form than this version, in an order in which they can be
 * restored; additional ones are left alone.
 */
export function compareObjects(there: readonly SchemaObject[]): SchemaDifference[] {
  const keyOf = ({ kind, name, table }: SchemaObject) => `${kind} ${name} ${table}`
  const definitions = new Map(there.map((object) => [keyOf(object), object.definition]))
  const differences = readSchemaObjects().flatMap((object): SchemaDifference[] => {
    const definition = definitions.get(keyOf(object))
    if (definition === object.definition) return []
    return [{ ...object, state: definition === undefined ? 'missing' : 'different' }]
  })
  const rank = ({ kind, definition }: SchemaObject) =>
    ['function', 'index', 'constraint', 'trigger'].indexOf(kind) + (/ FOREIGN KEY /.test(definition) ? 0.5 : 0)
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
    case 'function':
      return [[definition]]
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
    case 'trigger':
      return [[`drop trigger if exists ${name} on ${table}; ${definition}`]]
  }
}
