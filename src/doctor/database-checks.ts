import type { Query } from '../database/connection/snapshot.ts'
import { ASCII_LOCALE_ADVICE, describeAsciiLocale, findAsciiLocale } from '../database/database-locale.ts'
import type { FollowedChain } from '../database/lookups/followed-chains.ts'
import { compareObjects, type StoredSchemaObject, schemaObjects } from '../database/schema-objects.ts'
import { compareSources, type StoredObject, storedObjects } from '../database/schema-sources.ts'
import type { SchemaState } from '../database/schema-version.ts'
import { SERVING_FUNCTIONS, SERVING_SCHEMAS } from '../database/serving-role.ts'
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

/** Compares functions, views and triggers with their sources, and indexes and constraints with those of this version. */
export async function examineSchemaObjects(query: Query, schema: SchemaState): Promise<Finding> {
  if (schema === 'newer') return ok('a newer version has migrated the schema, so it may differ from this one')
  const sources = compareSources(await query<StoredObject>(storedObjects))
  const objects = compareObjects(await query<StoredSchemaObject>(schemaObjects))
  const differences = [
    ...sources.map(({ source, state }) => ({ ...source, state })),
    ...objects.map(({ kind, name, table, state }) => ({ kind, name: `${name} of ${table}`, state })),
  ]
  if (differences.length === 0)
    return ok('all functions, views, triggers, indexes and constraints are those of this version')
  const named = differences.slice(0, MAX_NAMED).map(describe)
  const others = differences.length - named.length
  return failed(`${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`, REBUILD)
}

const describe = ({ kind, name, state }: { kind: string; name: string; state: 'missing' | 'different' }) =>
  `${kind} ${name} ${state === 'missing' ? 'is missing' : 'is not that of this version'}`

/** Rights that a role lacks to serve, and write rights that serving does not need. Objects that are missing are another check's. */
const rights = `
  with tables as (
    select oid, format('%s.%s', relnamespace::regnamespace, relname) as name, relowner, relname from pg_class
    where relkind in ('r', 'v', 'p') and relnamespace::regnamespace::text = any($2)
  )
  select array(
      select 'usage of schema ' || name from unnest($2::text[]) name where not has_schema_privilege(serving.oid, name, 'usage')
      union all
      select 'select on ' || name from tables where not has_table_privilege(serving.oid, tables.oid, 'select')
      union all
      select 'execute on ' || name from unnest($3::text[]) name
      where not has_function_privilege(serving.oid, to_regprocedure(name)::oid, 'execute')
      union all
      select 'update of credentials.last_used_at'
      where not has_column_privilege(serving.oid, to_regclass('credentials')::oid, 'last_used_at', 'update')
    ) as missing,
    array(
      select name from tables
      where has_table_privilege(serving.oid, tables.oid, 'insert, update, delete, truncate') order by relname <> 'campaigns', name
    ) as writable
  from pg_roles serving where serving.rolname = coalesce($1, current_user)`

/** `role`: the role that serves; null if it is the role of the connection. */
export async function examineRights(query: Query, role: string | null, isEmbedded: boolean): Promise<Finding> {
  const [row] = await query<{ missing: string[]; writable: string[] }>(rights, [
    role,
    SERVING_SCHEMAS,
    SERVING_FUNCTIONS,
  ])
  const roleName = role === null ? 'the role of DATABASE_URL' : `the role ${JSON.stringify(role)}`
  const command = `\`reward-campaigns migrate --serving-role ${role ?? 'ROLE'}\``
  if (row === undefined) return failed(`${roleName} is not there`, 'create it: create role … login password …')
  const [first, ...others] = row.missing
  if (first !== undefined) {
    return failed(
      `${roleName} lacks ${first}${others.length > 0 ? ` and ${others.length} more` : ''}`,
      `run ${command} as the owner of the tables`,
    )
  }
  if (isEmbedded) return ok('the embedded server has one role, for this machine alone')
  if (row.writable.length === 0) return ok(`${roleName} can read all served data and write none of it`)
  return warning(
    `${roleName} may write ${row.writable[0]}${row.writable.length > 1 ? ` and ${row.writable.length - 1} more` : ''}`,
    role === null
      ? `serve with a role that only reads (${command}); as the owner, check that one with --serving-role`
      : `revoke that: ${command}`,
  )
}

/** A chain with a longer lag fails the check. */
const LONGEST_LAG_SECONDS = 600

/** @param query of the campaigns whose core or manager is followed no more. */
export async function examineChains(chains: readonly FollowedChain[], query: Query): Promise<Finding> {
  if (chains.length === 0) return ok('no chain is indexed')
  const unfollowed = await query<{ chainId: number; core: string; campaigns: number }>(
    `select chain_id::float8 as "chainId", split_part(id, ':', 2) as core, count(*)::integer as campaigns
    from campaigns join followed_chains using (chain_id)
    where joining is null and split_part(id, ':', 2) <> all (cores)
    group by chain_id, core order by chain_id, core`,
  )
  const describe = ({ chainId, state, lagSeconds }: FollowedChain) =>
    `chain ${chainId} is ${state}${lagSeconds === null ? '' : `, ${lagSeconds} s late`}`
  const late = chains.filter(({ state }) => state !== 'following')
  if (late.length === 0 && unfollowed.length > 0) {
    const named = unfollowed.map(({ chainId, core, campaigns }) => `${campaigns} of ${core} on chain ${chainId}`)
    return warning(
      `campaigns are not followed any more: ${named.join('; ')}`,
      'add these cores or managers to the chain file again, if they were not taken out on purpose',
    )
  }
  if (late.length === 0) return ok(chains.map(describe).join('; '))
  const advice = 'see that `reward-campaigns index --chains FILE` runs, and what its log says of these chains'
  const isLost = late.some(({ state, lagSeconds }) => state === 'behind' && (lagSeconds ?? 0) > LONGEST_LAG_SECONDS)
  return (isLost ? failed : warning)(late.map(describe).join('; '), advice)
}

/** Records for campaigns that do not exist. */
export async function examineOrphans(query: Query): Promise<Finding> {
  const [row] = await query<{ claims: number; signatures: number; metadata: number }>(
    `select
      (select count(*) from back_filled_claims join followed_chains using (chain_id) where not is_back_filling and joining is null)::integer as claims,
      (select count(*) from detached_claim_signatures)::integer as signatures,
      (select count(*) from campaign_metadata metadata
        where not exists (select from campaigns where campaigns.id = metadata.id))::integer as metadata`,
  )
  const { claims = 0, signatures = 0, metadata = 0 } = row ?? {}
  if (claims === 0 && signatures === 0) {
    return ok(
      metadata === 0
        ? 'no metadata, claims or signatures without a campaign'
        : `metadata of ${metadata} campaigns is here before them`,
    )
  }
  return warning(
    `${claims} claims and ${signatures} claim signatures wait for campaigns that are not there`,
    'nothing as long as a chain is read again; else see `reward-campaigns index --status` for what is of no known kind',
  )
}
