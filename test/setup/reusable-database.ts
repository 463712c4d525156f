import pg from 'pg'
import { createTestDatabase, type TestDatabase } from './database.ts'

/** A database that can be emptied for the next test. */
export interface ReusableDatabase extends TestDatabase {
  /** The same as `url`, for what is used again with the database. */
  urlOfApp: string
  /** Deletes what is stored. Returns false where more than rows may have changed: this database is only good to be dropped. */
  empty: () => Promise<boolean>
}

/** Changes nothing but rows, as far as one can see. */
const CHANGES_ROWS = /^\s*(select|with|insert|update|delete)\b(?!.*(;\s*\S|\bpg_\w+\(|\bset_config\())/is

const TABLES = `select oid::regclass::text as name, pg_relation_size(oid) / 8192 as pages from pg_class
  where relkind = 'r' and relpersistence = 'p' and relnamespace = 'public'::regnamespace`

/**
 * Without triggers. Large tables are truncated, as scans would read what was deleted; a lock that lasts belongs to somebody
 * who still uses the database.
 */
const EMPTY = `
  set local session_replication_role = replica;
  set local lock_timeout = '2s';
  do $$
  declare
    large text := (select string_agg(name, ', ') from (${TABLES}) tables where pages > 4);
    filled text;
  begin
    if large is not null then
      execute 'truncate ' || large || ' cascade';
    end if;
    for filled in select name from (${TABLES}) tables where pages > 0 loop
      execute 'delete from ' || filled;
    end loop;
  end $$;`

/** Makes the rows and sequences of a new database: one text for all tests of a process. */
let restoring: Promise<string> | undefined

/**
 * A migrated database with nothing stored that tests use one after the other: a new one costs ten times as much as to
 * empty it, with the connections that then know its tables. Whoever reads its `url`, or asks it for more than changes of
 * rows, is its last user.
 */
export async function createReusableDatabase(): Promise<ReusableDatabase> {
  const database = await createTestDatabase()
  const client = new pg.Client({ connectionString: database.url })
  // At the end of a run the databases are dropped before the processes end.
  client.on('error', () => undefined)
  await client.connect()
  restoring ??= readNewRows(client)
  const restore = await restoring
  let isReusable = true
  return {
    urlOfApp: database.url,
    get url() {
      isReusable = false
      return database.url
    },
    ...(database.save === undefined ? {} : { save: database.save }),
    query(sql, values) {
      isReusable &&= CHANGES_ROWS.test(sql)
      return database.query(sql, values)
    },
    async empty() {
      if (isReusable) await client.query(`${EMPTY}\n${restore}`).catch(() => (isReusable = false))
      return isReusable
    },
    async [Symbol.asyncDispose]() {
      await client.end()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** What inserts the rows that the migrations have made. Each epoch (a `uuid`) is another, so that nothing cached is served. */
async function readNewRows(client: pg.Client) {
  const { rows: tables } = await client.query<{ name: string; columns: string[]; values: string[] }>(
    `select name, array_agg(quote_ident(attname) order by attnum) as columns,
       array_agg(case atttypid when 'uuid'::regtype then 'gen_random_uuid()' else quote_ident(attname) end order by attnum) as values
     from (${TABLES}) tables join pg_attribute on attrelid = name::regclass
     where pages > 0 and attnum > 0 and not attisdropped and attgenerated = '' group by name`,
  )
  const statements: string[] = []
  for (const { name, columns, values } of tables) {
    const { rows } = await client.query(`select json_agg(data)::text as stored from ${name} data`)
    if (rows[0].stored === null) continue
    statements.push(`insert into ${name} (${columns.join(', ')}) overriding system value
      select ${values.join(', ')} from json_populate_recordset(null::${name}, ${pg.escapeLiteral(rows[0].stored)})`)
  }
  const { rows: sequences } = await client.query<{ statement: string }>(
    `select format('select setval(%L, %s, %L)', quote_ident(sequencename), coalesce(last_value, start_value), last_value is not null)
       as statement from pg_sequences where schemaname = 'public'`,
  )
  return [...statements, ...sequences.map(({ statement }) => statement)].join(';\n')
}
