import { setTimeout as sleep } from 'node:timers/promises'

/*
 * A database that a test has left is emptied and given to the next one: to copy and drop one takes the server longer than most
 * tests do, and connections to it stay. Only data may differ from a fresh copy; what tests have altered otherwise is dropped.
 */

export interface UsedDatabase {
  /** On the connection that stays, whatever the statement is. */
  queryFreely: (sql: string) => Promise<Record<string, unknown>[]>
  /** How many connections stay open for the next test. */
  countSessions: () => number
}

/** Up to this size, the planner takes a table without statistics for as large, be it empty or full of dead rows: ten pages. */
const MAX_TABLE_BYTES = 10 * 8192
/** Where the tables are, whose rows differ from test to test. */
const SCHEMAS = "('public', 'drizzle')"
const TABLES = `pg_class where relkind = 'r' and relnamespace::regnamespace::text in ${SCHEMAS}`

/** What describes a relation of the database, and what describes other things. */
const ofRelations = {
  pg_class: 'oid',
  pg_attribute: 'attrelid',
  pg_attrdef: 'adrelid',
  pg_index: 'indexrelid',
  pg_constraint: 'conrelid',
  pg_trigger: 'tgrelid',
  pg_rewrite: 'ev_class',
  pg_policy: 'polrelid',
  pg_sequence: 'seqrelid',
  pg_statistic: 'starelid',
}
const ofOthers = {
  pg_proc: 'oid >= 16384',
  pg_type: `typnamespace::regnamespace::text in ${SCHEMAS}`,
  pg_namespace: "nspname !~ '^pg_'",
  pg_extension: 'true',
  pg_default_acl: 'true',
  pg_event_trigger: 'true',
  pg_publication: 'true',
  pg_db_role_setting: 'setdatabase = (select oid from pg_database where datname = current_database())',
}

/** Each alteration moves or removes a row of a catalog; vacuum and analyze alter figures in place. */
const stateSql = `
  with relations as (select oid from pg_class where oid >= 16384 and relpersistence <> 't'),
  entries (entry) as (
    select concat(reltuples, relallvisible) from pg_class where oid in (select oid from relations)
    union all select concat(datacl, datconnlimit) from pg_database where datname = current_database()
    ${Object.entries(ofRelations)
      .map(([name, column]) => entriesOf(name, `${column} in (select oid from relations)`))
      .join('')}
    ${Object.entries(ofOthers)
      .map(([name, condition]) => entriesOf(name, condition))
      .join('')}
  )
  select (select sum(hashtextextended(entry, 0)::numeric) from entries)::text as schema,
    (select max(pg_relation_size(oid)) from ${TABLES})::integer as largest,
    (select count(*) from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend')::integer as sessions`

function entriesOf(catalog: string, condition: string) {
  return `union all select concat(tableoid, ctid, xmin) from ${catalog} where ${condition} `
}

const emptySql = `do $$ declare name text; begin
  for name in select oid::regclass from ${TABLES} and pg_relation_size(oid) > 0 loop execute 'delete from ' || name; end loop; end $$`

interface State {
  schema: string
  /** Bytes of the largest table. */
  largest: number
  sessions: number
}

const stateOf = async ({ queryFreely }: UsedDatabase) => (await queryFreely(stateSql))[0] as unknown as State

/** What a fresh copy is, and the statements that make its rows and counters anew. */
export async function describeFresh(database: UsedDatabase) {
  const query = database.queryFreely
  const tables = await query(
    `select oid::regclass::text as name, (select string_agg(quote_ident(attname), ', ') from pg_attribute
      where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
    from ${TABLES} and pg_relation_size(oid) > 0`,
  )
  const statements: string[] = []
  for (const { name, columns } of tables) {
    const [row] = await query(`select quote_literal(json_agg(entry)) as rows from ${name} entry`)
    if (row?.rows == null) continue
    statements.push(
      `insert into ${name} (${columns}) overriding system value select ${columns} from json_populate_recordset(null::${name}, ${row.rows})`,
    )
  }
  const sequences = await query(
    `select format('select setval(%L, %s, %L)', format('%I.%I', schemaname, sequencename), coalesce(last_value, start_value),
      last_value is not null) as statement from pg_sequences where schemaname in ${SCHEMAS}`,
  )
  statements.push(...sequences.map(({ statement }) => String(statement)))
  return { state: await stateOf(database), restoreSql: statements.join(';\n') }
}

/** Makes it as a fresh copy is; false where more than its data was altered, or somebody still uses it. */
export async function restore(database: UsedDatabase, fresh: Awaited<ReturnType<typeof describeFresh>>) {
  let state = await stateOf(database)
  // Connections that were closed end a moment later.
  for (let round = 0; round < 50 && state.sessions > database.countSessions(); round += 1) {
    await sleep(5)
    state = await stateOf(database)
  }
  if (state.sessions > database.countSessions() || state.schema !== fresh.state.schema) return false
  if (state.largest > Math.max(fresh.state.largest, MAX_TABLE_BYTES)) return false
  // Without triggers.
  await database.queryFreely(
    `begin; set local session_replication_role = replica; ${emptySql}; ${fresh.restoreSql}; commit`,
  )
  return true
}
