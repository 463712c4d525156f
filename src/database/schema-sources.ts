import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { version } from '../schemas/version.ts'
import { incentiveTraitsView } from './functions/incentive-traits.ts'

/** As many folders above as from the bundle. */
const SOURCES_FOLDER = join(import.meta.dirname, '../../src')

/** Of these, generated columns and indexes are made. */
const FUNCTIONS_OF_TABLES = 'database/tables/functions.sql'

/** A function, view or trigger that `migrate` replaces whenever its source changes. */
export interface SchemaSource {
  kind: 'function' | 'view' | 'trigger'
  /** Unique; a trigger's is followed by that of its table: `name on table`. */
  name: string
  /** The file, from `src`. */
  file: string
  sql: string
  /** SHA-256 of the SQL. */
  hash: string
}

type NamedObject = Pick<SchemaSource, 'kind' | 'name'>

const keyOf = ({ kind, name }: NamedObject) => `${kind} ${name}`

/** A source whose object is not what the source says. */
export interface SourceDifference {
  source: SchemaSource
  state: 'missing' | 'different'
}

let known: SchemaSource[] | undefined

/**
 * The sources of all functions, views and triggers of this version: functions first, then views, then triggers, each kind in the
 * order of the files, and `functions.sql` before the other files of its folder.
 */
export function readSchemaSources(): SchemaSource[] {
  known ??= [
    ...[...findFiles('database'), ...findFiles('read-models')].flatMap(readSources),
    ...toSources('schemas/campaigns/incentives.ts', incentiveTraitsView),
  ].sort(byKind)
  return known
}

const findFiles = (folder: string) =>
  readdirSync(join(SOURCES_FOLDER, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .sort((a, b) => toOrder(a).localeCompare(toOrder(b), 'en'))

/** `functions.sql` comes before the other files of its folder: these may use its functions where they are declared. */
const toOrder = (file: string) => file.replace(/(?<=[/])functions\.sql$/, '')

const readSources = (file: string) => toSources(file, readFileSync(join(SOURCES_FOLDER, file), 'utf8'))

/** The parts of a text, each with the comment above it. */
const toSources = (file: string, text: string) =>
  text.split(/(?<=;)\n+(?=(?:--[^\n]*\n)*create or replace )/).flatMap((part): SchemaSource[] => {
    const sql = part.trim()
    const [, kind, name, table] =
      /^create or replace (function|view|trigger) (\w+)(?:[^;]*? on (\w+))?/m.exec(sql) ?? []
    if (name === undefined) return []
    const hash = createHash('sha256').update(sql).digest('hex')
    if (kind === 'trigger') return [{ kind, name: `${name} on ${table}`, file, sql, hash }]
    return [{ kind: kind === 'view' ? kind : 'function', name, file, sql, hash }]
  })

const KINDS = ['function', 'view', 'trigger']

const byKind = (a: SchemaSource, b: SchemaSource) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind)

/** What a database has: of each object that it has or that was applied, both as far as there are. */
export interface StoredObject {
  name: string
  kind: SchemaSource['kind']
  exists: boolean
  /** It belongs to the owner of the tables, and a trigger is enabled. */
  isIntact: boolean
  /** Null if it was never applied from a source. */
  sourceHash: string | null
  version: string | null
}

/**
 * The functions, views and triggers of a database, with what was recorded when they were applied. Compares hashes of bodies, never
 * text that the server prints: that differs between versions, and after a restore.
 */
export const storedObjects = `
  with there as (
    select 'function' as kind, proname::text as name, md5(prosrc) as body_hash, proowner as owner, true as is_enabled
    from pg_proc
    where pronamespace = 'public'::regnamespace and prokind = 'f'
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
    union all
    select 'view', relname::text, null, relowner, true from pg_class
    where relkind = 'v' and relnamespace = 'public'::regnamespace
    union all
    select 'trigger', tgname || ' on ' || relname, null, relowner, tgenabled = 'O' from pg_trigger
    join pg_class on pg_class.oid = tgrelid and relnamespace = 'public'::regnamespace
    where not tgisinternal
  )
  select name, kind, there.name is not null as "exists", source_hash as "sourceHash", version,
    coalesce(is_enabled and there.body_hash is not distinct from applied.body_hash
      and owner = (select relowner from pg_class where oid = to_regclass('public.campaigns')), false) as "isIntact"
  from there full join schema_sources applied using (kind, name)`

/** The objects that are missing, or not what the sources of this version say; others are left alone. */
export function compareSources(stored: readonly StoredObject[]): SourceDifference[] {
  const byName = new Map(stored.map((object) => [keyOf(object), object]))
  return readSchemaSources().flatMap((source): SourceDifference[] => {
    const object = byName.get(keyOf(source))
    if (object?.exists !== true) return [{ source, state: 'missing' }]
    return object.sourceHash === source.hash && object.isIntact ? [] : [{ source, state: 'different' }]
  })
}

/**
 * How what was applied compares with the sources of this version, whether or not the objects are still as they were applied.
 * @param applied the rows of `schema_sources`.
 */
export function compareApplied(applied: readonly { name: string; sourceHash: string; version: string }[]) {
  const hashes = new Map(applied.map(({ name, sourceHash }) => [name, sourceHash]))
  const sources = readSchemaSources()
  if (hashes.size === sources.length && sources.every(({ name, hash }) => hashes.get(name) === hash)) return 'current'
  return applied.some((row) => isLater(row.version)) ? 'newer' : 'behind'
}

const isLater = (other: string) => other.localeCompare(version, 'en', { numeric: true }) > 0

/** Statements that make the functions that tables need, where there is nothing yet. */
export const functionsOfTables = () => [
  // The extension that they use comes with the tables.
  'set local check_function_bodies = off',
  ...readSchemaSources()
    .filter(({ file }) => file === FUNCTIONS_OF_TABLES)
    .map(({ sql }) => sql),
]

/** What `applySources` would apply or drop: kinds and names. */
export const findChangedSources = async (client: pg.Client) => (await findChanges(client)).changed

/** Nothing on the schema of a later version. */
async function findChanges(client: pg.Client) {
  const { rows: stored } = await client.query<StoredObject>(storedObjects)
  if (stored.some((object) => object.version !== null && isLater(object.version))) return { changed: [] }
  const differing = compareSources(stored).map(({ source }) => source)
  const names = new Set(readSchemaSources().map(keyOf))
  const withoutSource = stored.filter((object) => object.sourceHash !== null && !names.has(keyOf(object)))
  return {
    changed: [...differing, ...withoutSource].map(keyOf),
    differing,
    dropped: withoutSource.filter(({ exists }) => exists),
  }
}

/**
 * Makes functions, views and triggers what the sources of this version say, in the current transaction: applies those that differ,
 * drops those that were applied from a source that is gone, and records what is applied. Does nothing on the schema of a later
 * version.
 * @returns the kinds and names of those that were applied or dropped.
 */
export async function applySources(client: pg.Client): Promise<string[]> {
  const { changed, differing = [], dropped = [] } = await findChanges(client)
  if (changed.length === 0) return []
  await client.query('set local check_function_bodies = off')
  for (const statement of toStatements(differing, dropped)) await client.query(statement)
  await client.query('delete from schema_sources')
  await client.query(recordSources, [JSON.stringify(readSchemaSources()), version])
  return changed
}

function toStatements(applied: SchemaSource[], dropped: NamedObject[]) {
  const ofKind = <T extends NamedObject>(objects: T[], kind: SchemaSource['kind']) =>
    objects.filter((object) => object.kind === kind)
  const areViewsReplaced = ofKind([...applied, ...dropped], 'view').length > 0
  // A view whose columns change cannot be replaced, and one may read another: all of them are made anew.
  const views = areViewsReplaced ? ofKind(readSchemaSources(), 'view') : []
  const oldViews = [...views, ...ofKind(dropped, 'view')].map(({ name }) => name)
  const oldFunctions = ofKind(dropped, 'function').map(({ name }) => name)
  return [
    ...ofKind(dropped, 'trigger').map(dropTrigger),
    ...(oldViews.length > 0 ? [`drop view if exists ${oldViews.join(', ')}`] : []),
    ...ofKind(applied, 'function').map(replaceFunction),
    ...views.map(({ sql }) => sql),
    ...ofKind(applied, 'trigger').map((trigger) => `${dropTrigger(trigger)}; ${trigger.sql}`),
    ...(oldFunctions.length > 0 ? [`drop function ${oldFunctions.join(', ')}`] : []),
  ]
}

const dropTrigger = ({ name }: NamedObject) => `drop trigger if exists ${name}`

/** In place where possible: columns, indexes and triggers may need it. A function with another result or parameters is another one. */
const replaceFunction = ({ name, sql }: SchemaSource) => `
  do $replace$
  declare
    earlier oid[] := array(select oid from pg_proc where proname = '${name}' and pronamespace = 'public'::regnamespace);
    replaced oid;
  begin
    begin
      execute $source$${sql}$source$;
    exception when invalid_function_definition then
      execute 'drop function ${name}';
      execute $source$${sql}$source$;
    end;
    for replaced in select oid from pg_proc where oid = any (earlier) and exists (
      select from pg_proc new where new.proname = '${name}' and new.pronamespace = 'public'::regnamespace
        and new.oid <> all (earlier)
    ) loop
      execute 'drop function ' || replaced::regprocedure;
    end loop;
  end $replace$`

const recordSources = `
  insert into schema_sources (name, kind, source_hash, version, body_hash)
  select source.name, source.kind, source.hash, $2, md5(prosrc)
  from json_to_recordset($1) as source (name text, kind text, hash text)
  left join pg_proc on kind = 'function' and proname = source.name and pronamespace = 'public'::regnamespace`
