import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { migrateDatabase } from '../../src/database/migrate-database.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import {
  aCampaign,
  aClaim,
  anAccessList,
  anAddress,
  anErc20Incentive,
  aProfile,
  aToken,
  mintingStep,
} from '../setup/records.ts'
import { runCli, startCli } from '../setup/servers/processes.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'
import { bearing, issueToken } from '../setup/tokens.ts'

/*
 * The role that serves: made by the operator, given its rights by `migrate`, and nothing beyond them.
 */

const DENIED = '42501'
const PASSWORD = randomBytes(16).toString('hex')
const USER = anAddress('user')

let database: TestDatabase
/** The service as the role, on the same database. */
let api: TestApp
let asRole: Awaited<ReturnType<typeof connectAs>>
const role = `test_${randomBytes(8).toString('hex')}`

beforeAll(async () => {
  database = await createTestDatabase()
  await database.query(`create role ${role} login password '${PASSWORD}'`)
  await using owner = await startTestApp({}, database)
  await owner.save(
    aToken({ address: anAddress('asset'), priceUsd: '2' }),
    campaign,
    aClaim(campaign, { blockTimestamp: String(Math.floor(Date.now() / 1000) - 60), amountUsd: '2' }),
    anAccessList({ userId: 'user-1' }),
    aProfile({ userAddress: USER }),
  )
  expect(await migrate()).toMatchObject({
    code: 0,
    stderr: '',
    stdout: `the schema is current; nothing to do\nthe role ${role} has the rights that \`serve\` needs, and no others\n`,
  })
  asRole = await connectAs(role)
  api = await startTestApp({}, { ...database, url: urlOf(role) })
})
afterAll(async () => {
  await api?.[Symbol.asyncDispose]()
  await asRole?.end()
  await database.query(`drop owned by ${role}`)
  await database.query(`drop role ${role}`)
  await database[Symbol.asyncDispose]()
})

const campaign = aCampaign({
  incentives: [anErc20Incentive(anAddress('asset'))],
  actionSteps: [mintingStep],
})

const migrate = (servingRole = role) =>
  runCli(['migrate', '--serving-role', servingRole], { DATABASE_URL: database.url })

/** The same without a process. */
const grant = (servingRole: string) => migrateDatabase(database.url, { servingRole })

function urlOf(user: string) {
  const url = new URL(database.url)
  url.username = user
  url.password = PASSWORD
  return url.href
}

async function connectAs(user: string) {
  const client = new pg.Client({ connectionString: urlOf(user) })
  await client.connect()
  return client
}

/** What the role is told when it tries a statement: an SQLSTATE, or that it works. What works is undone. */
async function attempt(sql: string): Promise<string> {
  await asRole.query('begin')
  try {
    await asRole.query(sql)
    return 'works'
  } catch (error) {
    if (error instanceof pg.DatabaseError) return String(error.code)
    throw error
  } finally {
    await asRole.query('rollback')
  }
}

const tablesOf = () =>
  database.query(
    `select format('%I.%I', tables.table_schema, tables.table_name) as name,
      (select array_agg(quote_ident(column_name) order by ordinal_position) from information_schema.columns columns
      where (columns.table_schema, columns.table_name) = (tables.table_schema, tables.table_name)) as columns
    from information_schema.tables tables
    where tables.table_type = 'BASE TABLE' and tables.table_schema not in ('pg_catalog', 'information_schema')`,
  ) as Promise<{ name: string; columns: string[] }[]>

/** Every right of the role on a table, a column, a sequence or a schema. */
const rights = () =>
  database.query(
    `select 'table' as kind, format('%I.%I', table_schema, table_name) as name, null as part, privilege_type as privilege
      from information_schema.role_table_grants where grantee = $1
    union all select 'column', format('%I.%I', table_schema, table_name), column_name, privilege_type
      from information_schema.role_column_grants where grantee = $1 and privilege_type <> 'SELECT'
    union all select 'sequence', format('%I.%I', schemaname, sequencename), null, privilege
      from pg_sequences, unnest(array['usage', 'select', 'update']) privilege
      where has_sequence_privilege($1, format('%I.%I', schemaname, sequencename), privilege)
    union all select 'schema', nspname, null, privilege
      from pg_namespace, unnest(array['usage', 'create']) privilege
      where nspname in ('public', 'drizzle') and has_schema_privilege($1, nspname, privilege)
    order by 1, 2, 3, 4`,
    [role],
  )

describe('the role that serves', () => {
  test('answers all operations', async () => {
    const secret = await issueToken({ database }, { userId: 'user-1', address: USER })
    const detail = await api.get(`/campaigns/${campaign.id}`)
    expect(detail.statusCode, detail.body).toBe(200)
    expect(detail.json()).toMatchObject({ id: campaign.id })
    expect((await api.get('/campaigns')).json()).toMatchObject({ totalCampaigns: 1 })
    expect((await api.get('/reward-kit/trending')).json()).toMatchObject({ trendingCampaigns: [{ id: campaign.id }] })
    expect((await api.get('/explore/contracts')).json()).toMatchObject([{ stats: { totalClaims: 1 } }])
    const lists = await api.get('/campaigns/accesslists?search=list', bearing(secret))
    expect(lists.json()).toMatchObject({ accesslists: [{ name: 'Test list' }] })
    expect((await api.get('/users/profile', bearing(secret))).json()).toMatchObject({ ranking: 1 })
  })

  test('writes down when a token was used, and nothing else about it', async () => {
    const secret = await issueToken({ database }, { userId: 'user-3' })
    const before = await database.query("select * from credentials where user_id = 'user-3'")
    expect(before).toMatchObject([{ last_used_at: null }])
    const now = new Date()
    api.setNow(now)
    expect((await api.get('/campaigns/accesslists', bearing(secret))).statusCode).toBe(200)
    const after = await database.query("select * from credentials where user_id = 'user-3'")
    expect(after).toEqual([{ ...before[0], last_used_at: now }])
  })

  test('moves the kept windows on with the clock', async () => {
    await database.query('update claim_windows set as_of = as_of - 5 where window_seconds > 0')
    expect((await asRole.query('select advance_claim_windows() as moved')).rows).toEqual([{ moved: true }])
    const [{ age }] = (await database.query(
      'select max(extract(epoch from now()) - as_of)::integer as age from claim_windows where window_seconds > 0',
    )) as [{ age: number }]
    expect(age).toBeLessThan(5)
  })

  test('is enough for the service as an operator starts it', async () => {
    const settings = { DATABASE_URL: urlOf(role), PORT: '0' }
    await using service = startCli(['serve'], settings)
    const url = await service.ready()
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    expect(await (await fetch(`${url}/campaigns`)).json()).toMatchObject({ totalCampaigns: 1 })
    service.child.kill('SIGTERM')
    const { code, stdout } = await service.ended
    expect(code).toBe(0)
    expect(stdout).not.toContain('left to the import')
  })

  test('writes no table', async () => {
    const tables = await tablesOf()
    const names = tables.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['public.campaigns', 'public.claims', 'public.credentials']))
    expect(names).toContain('drizzle.__drizzle_migrations')
    expect(names.length).toBeGreaterThan(10)
    const possible: string[] = []
    for (const { name, columns } of tables) {
      const updates = columns.map((column) => `update ${name} set ${column} = default where false`)
      const others = [
        `insert into ${name} default values`,
        `delete from ${name} where false`,
        `truncate ${name} cascade`,
      ]
      for (const sql of [...others, ...updates, `lock table ${name} in access exclusive mode`]) {
        const outcome = await attempt(sql)
        if (outcome !== DENIED) possible.push(`${sql}: ${outcome}`)
      }
      expect(await attempt(`select from ${name}`), name).toBe('works')
    }
    // The one thing that it writes; a lock of this kind is a matter of that.
    expect(possible.filter((each) => !each.startsWith('lock table public.credentials'))).toEqual([
      'update public.credentials set last_used_at = default where false: works',
    ])
  })

  test('gives nobody a token, and changes none', async () => {
    await issueToken({ database }, { userId: 'user-4' })
    const before = await database.query('select * from credentials order by id')
    for (const sql of [
      "update credentials set expires_at = now() + interval '1 year'",
      'update credentials set is_admin = true',
      'update credentials set revoked_at = null, last_used_at = now()',
      "update credentials set user_id = 'another'",
      'delete from credentials',
      "insert into credentials (secret_digest, user_id, is_admin) values (sha256('mine'), 'mine', true)",
      "insert into credentials (secret_digest, user_id) select secret_digest, 'x' from credentials on conflict (secret_digest) do update set is_admin = true",
    ]) {
      expect(await attempt(sql), sql).toBe(DENIED)
    }
    expect(await database.query('select * from credentials order by id')).toEqual(before)
  })

  test('calls no function that writes, but for what moves on with the clock', async () => {
    const functions = (await database.query(
      `select oid::regprocedure::text as name, provolatile = 'v' as "isWriting",
        format('select %s(%s)', oid::regproc, (
          select string_agg('null::' || type::regtype, ', ' order by nth)
          from unnest(proargtypes::oid[]) with ordinality argument (type, nth)
        )) as call
      from pg_proc where pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`,
    )) as { name: string; isWriting: boolean; call: string }[]
    const denied: string[] = []
    for (const { name, isWriting, call } of functions) {
      const outcome = await attempt(call)
      // PostgreSQL itself lets no other function write.
      if (isWriting && outcome === DENIED) denied.push(name)
      if (!isWriting) expect(outcome, call).not.toBe(DENIED)
    }
    const writing = functions.filter(({ isWriting }) => isWriting).map(({ name }) => name)
    expect(writing).toEqual(expect.arrayContaining(['bump_data_version()', 'refresh_trending_campaigns(bigint[])']))
    expect(writing.filter((name) => !denied.includes(name)).sort()).toEqual([
      'advance_claim_windows(integer,integer)',
      'drop_changes(interval,integer)',
    ])
  })

  test('makes, changes and drops nothing', async () => {
    for (const sql of [
      'create table public.mine ()',
      'create table drizzle.mine ()',
      'create function public.mine() returns void language sql as $$ select $$',
      'create schema mine',
      'alter table campaigns add column mine text',
      'alter table credentials disable trigger all',
      'drop table claims',
      'create index on campaigns (id)',
      'drop function advance_claim_windows(integer, integer)',
      'alter function advance_claim_windows(integer, integer) security invoker',
      'create or replace function advance_claim_windows(integer, integer) returns boolean language sql as $$ select true $$',
      "copy campaigns to program 'true'",
      'create role mine',
      `alter role ${role} superuser`,
    ]) {
      expect(await attempt(sql), sql).toBe(DENIED)
    }
    for (const { name } of (await database.query(
      "select format('%I.%I', schemaname, sequencename) as name from pg_sequences",
    )) as { name: string }[]) {
      expect(await attempt(`select setval('${name}', 1)`), name).toBe(DENIED)
      expect(await attempt(`select nextval('${name}')`), name).toBe(DENIED)
    }
  })

  test('does not get derived data written', async () => {
    const trending = () => database.query('select * from trending_campaigns order by campaign_key')
    const before = await trending()
    expect(before.length).toBeGreaterThan(0)
    expect(await attempt('select refresh_trending_campaigns(array(select key from campaigns))')).toBe(DENIED)
    expect(await trending()).toEqual(before)
  })

  test.each([['migrate'], ['rebuild'], ['token', 'create', '--user', 'user-1'], ['token', 'revoke', '0']])(
    'is told in a sentence that it may not: %s',
    async (...command) => {
      const { code, stderr } = await runCli(command, { DATABASE_URL: urlOf(role) })
      expect([
        code,
        stderr.replace('recomputing all derived data\n', '').replace(/denied for .*\)/, 'denied)'),
      ]).toEqual([
        1,
        'the role of DATABASE_URL may not do this (permission denied): use the one that migrates and owns the tables\n',
      ])
    },
  )

  test('answers also where it may not write down the use of a token', async () => {
    const secret = await issueToken({ database }, { userId: 'user-1', address: USER })
    await database.query(`revoke update (last_used_at) on credentials from ${role}`)
    try {
      for (const path of ['/campaigns/accesslists', '/users/profile']) {
        expect((await api.get(path, bearing(secret))).statusCode).toBe(200)
      }
    } finally {
      await database.query(`grant update (last_used_at) on credentials to ${role}`)
    }
  })
})

describe('migrate --serving-role', () => {
  test('again keeps the rights, and takes back what the role has got besides', async () => {
    const before = await rights()
    await database.query(`
      grant insert, delete, truncate on campaigns to ${role};
      grant update (expires_at, is_admin), insert on credentials to ${role};
      grant all on drizzle.__drizzle_migrations to ${role};
      grant create on schema public, drizzle to ${role};
      grant all on all sequences in schema public to ${role};
    `)
    expect((await rights()).length).toBeGreaterThan(before.length)
    expect(await grant(role)).toEqual({ migrations: 0, objects: [] })
    expect(await rights()).toEqual(before)
    expect(before.filter(({ kind }) => kind === 'column')).toEqual([
      { kind: 'column', name: 'public.credentials', part: 'last_used_at', privilege: 'UPDATE' },
    ])
    expect(new Set(before.filter(({ kind }) => kind === 'table').map(({ privilege }) => privilege))).toEqual(
      new Set(['SELECT']),
    )
    expect(before.filter(({ kind }) => !['table', 'column'].includes(String(kind)))).toEqual([
      { kind: 'schema', name: 'drizzle', part: null, privilege: 'usage' },
      { kind: 'schema', name: 'public', part: null, privilege: 'usage' },
    ])
  })

  test('says in a sentence what it refuses, also a name that is empty', async () => {
    const { code, stdout, stderr } = await migrate('')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^there is no role [^\n]*: create it first [^\n]*\n$/)
  })

  test.each(['nobody_of_this_name', 'public', '', 'x"; drop table claims; --'])(
    'refuses a role that is not there in a sentence, and gives nobody anything: %j',
    async (unknown) => {
      const everybody = () =>
        database.query(
          "select table_name from information_schema.role_table_grants where grantee = 'PUBLIC' order by 1",
        )
      const before = await everybody()
      await expect(grant(unknown)).rejects.toThrow(/^there is no role [^\n]*: create it first [^\n]*$/)
      expect(await everybody()).toEqual(before)
      expect(await database.query('select from claims')).toHaveLength(1)
    },
  )

  test.each(['superuser', 'in role'])('refuses a role that may write everything: %s', async (way) => {
    const [owner] = await database.query('select current_user as name')
    const mighty = `mighty_${way.replace(' ', '_')}`
    await database.query(`create role ${mighty} ${way === 'superuser' ? way : `${way} ${owner?.name}`}`)
    try {
      await expect(grant(mighty)).rejects.toThrow(/^the role [^\n]* may act as the owner of the tables: /)
    } finally {
      await database.query(`drop role ${mighty}`)
    }
  })

  test('does not take the rights of the role that owns the tables', async () => {
    const [owner] = await database.query('select current_user as name')
    const result = await migrate(String(owner?.name))
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr).toMatch(/^the role [^\n]* may act as the owner of the tables: [^\n]*\n$/)
    const grants = 'select from information_schema.role_table_grants where grantee = current_user and table_name = $1'
    expect((await database.query(grants, ['claims'])).length).toBeGreaterThan(3)
  })
})

test('in docker-compose.yml the api and notify have the role that migrate is told, and nothing else has it', async () => {
  interface Service {
    environment?: Record<string, string>
    command?: string[]
    secrets?: string[]
  }
  const root = join(import.meta.dirname, '../..')
  const text = await readFile(join(root, 'docker-compose.yml'), 'utf8')
  const { services }: { services: Record<string, Service> } = parse(text, { merge: true })
  const roleOf = (name: string) => new URL(services[name]?.environment?.DATABASE_URL ?? '').username
  const passwordOf = (name: string) => services[name]?.environment?.DATABASE_PASSWORD_FILE
  const serving = roleOf('api')
  expect(serving).toMatch(/^\w+$/)
  expect(services.migrate?.command).toEqual(['migrate', '--serving-role', serving])
  const owner = roleOf('migrate')
  expect(owner).not.toBe(serving)
  const script = await readFile(join(root, 'ops/compose/create-roles.sh'), 'utf8')
  for (const role of [owner, serving]) expect(script).toContain(`create role ${role} login password`)
  expect(script).toContain(`owner ${owner};`)
  for (const name of ['migrate', 'import', 'index', 'cli']) {
    expect([roleOf(name), passwordOf(name)], name).toEqual([owner, '/run/secrets/owner-password'])
    expect(services[name]?.secrets, name).toEqual(['owner-password'])
  }
  for (const name of ['api', 'notify']) {
    expect([roleOf(name), passwordOf(name)], name).toEqual([serving, '/run/secrets/serving-password'])
    expect(services[name]?.secrets, name).not.toContain('owner-password')
  }
  const withDatabase = Object.keys(services).filter((name) => services[name]?.environment?.DATABASE_URL !== undefined)
  expect(withDatabase.sort()).toEqual(['api', 'cli', 'import', 'index', 'migrate', 'notify'])
})
