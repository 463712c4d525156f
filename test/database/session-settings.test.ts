import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { doctor } from '../../src/commands/doctor.ts'
import { exportToFolder } from '../../src/commands/export/export.ts'
import { migrate } from '../../src/commands/migrate.ts'
import { rebuildDatabase } from '../../src/commands/rebuild.ts'
import { createToken } from '../../src/commands/token.ts'
import { readSettings } from '../../src/config.ts'
import { withClient } from '../../src/database/connection/open-database.ts'
import { SESSION_SETTINGS, withSessionSettings } from '../../src/database/connection/session-settings.ts'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { connectForBatches } from '../../src/ingest/batch-connection.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { createRandom } from '../setup/data/random-records.ts'
import { generateSmallSample } from '../setup/data/small-sample.ts'
import { contentOf } from '../setup/data/stored-content.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { toRemoval } from '../setup/records.ts'
import { randomQueries, toUrl } from '../setup/second-opinion/second-opinion-comparison.ts'
import { vocabularyOf } from '../setup/second-opinion/second-opinion-queries.ts'
import { databaseUrl } from '../setup/servers/database-url.ts'
import { runInProcess } from '../setup/servers/in-process.ts'
import { startTestApp } from '../setup/test-app.ts'

/*
 * A role or a database may carry settings (alter role … set, alter database … set): what is answered and stored is the same.
 */

interface Setting {
  name: string
  vartype: string
  boot: string
  values: string[] | null
}

/** Settings that the session sets otherwise than by its list. */
const SET_ELSEWHERE = [
  ...[
    'plan_cache_mode',
    'application_name',
    'client_encoding',
    'transaction_timeout',
    'restrict_nonsystem_relation_kind',
  ],
  ...['tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count'],
]

/** Why the others are left as they are. */
const LEFT: Record<string, RegExp> = {
  'how a statement is executed, not what it gives':
    /^(enable_|geqo|cpu_|jit_|parallel_|min_parallel_|max_parallel_|(from|join)_collapse_limit$|(random|seq)_page_cost$|effective_|io_combine|maintenance_|recursive_worktable|cursor_tuple|constraint_exclusion|default_statistics|optimize_bounded_sort|force_parallel_mode|debug_parallel_query|synchronize_seqscans|ignore_system_indexes|stats_fetch|compute_query_id)/,
  'memory, files and how they are written':
    /(_mem|_buffers|_flush_after|hash_mem_multiplier|gin_pending_list_limit|wal_skip_threshold|file_copy_method|vacuum_buffer_usage_limit)$|^(vacuum_|temp_file_limit|max_stack_depth|default_(table_access_method|tablespace|toast_compression)|temp_tablespaces|wal_(compression|init_zero|recycle)|lo_compat)/,
  'what is logged and counted':
    /^(log_|track_|debug_(pretty|print)|trace_|update_process_title|backtrace_functions|escape_string_warning)/,
  'durability and waiting, as the operator wants them':
    /^(synchronous_commit|commit_|deadlock_timeout|client_connection_check_interval|tcp_user_timeout|post_auth_delay|wal_sender_timeout)/,
  'whether anything may be written: an operator or a provider stops writing by it':
    /^(default_)?transaction_read_only$/,
  'set anew by each transaction': /^transaction_(isolation|deferrable)$/,
  'of what is not used here: money, names of months, abbreviations of zones, passwords, roles, extensions, replication':
    /^(lc_|timezone_abbreviations|md5_|password_encryption|scram_|createrole_|icu_|dynamic_library_path|extension_control_path|logical_decoding|debug_logical|check_function_bodies)/,
  'for superusers and developers, who can also undo what a session sets':
    /^(allow_|debug_|ignore_checksum|wal_consistency|zero_damaged|session_replication_role|event_triggers|(local|session)_preload_libraries)/,
}

let server: TestDatabase
beforeAll(async () => {
  server = await createTestDatabase()
})
afterAll(() => server[Symbol.asyncDispose]())

const listSettings = async (contexts: string) =>
  (await server.query(
    `select name, vartype, boot_val as boot, enumvals as values from pg_settings where context = any ($1) order by name`,
    [contexts],
  )) as unknown as Setting[]

test('every setting that a role or a database can carry is set, or left for a reason', async () => {
  const all = await listSettings('{user,superuser,backend,superuser-backend}')
  expect(all.length).toBeGreaterThan(150)
  const set = [...Object.keys(SESSION_SETTINGS), ...SET_ELSEWHERE].map((name) => name.toLowerCase())
  const reasonsOf = ({ name }: Setting) => [
    ...(set.includes(name.toLowerCase()) ? ['set'] : []),
    ...Object.entries(LEFT).flatMap(([reason, names]) => (names.test(name) ? [reason] : [])),
  ]
  expect(all.filter((setting) => reasonsOf(setting).length === 0).map(({ name }) => name)).toEqual([])
  // None is both.
  expect(
    all.filter((one) => reasonsOf(one).includes('set') && reasonsOf(one).length > 1).map(({ name }) => name),
  ).toEqual([])
  const names = new Set(all.map(({ name }) => name.toLowerCase()))
  expect(set.filter((name) => !names.has(name) && !name.startsWith('plpgsql.'))).toEqual([])
})

/** Of which no other value can be made. */
const VALUES: Record<string, string> = {
  DateStyle: 'German, DMY',
  TimeZone: 'Asia/Kathmandu',
  extra_float_digits: '-15',
  gin_fuzzy_search_limit: '1',
  search_path: 'pg_catalog',
  default_text_search_config: 'pg_catalog.german',
  statement_timeout: '1',
  lock_timeout: '1',
  idle_in_transaction_session_timeout: '1',
  idle_session_timeout: '1',
  client_min_messages: 'debug1',
  'plpgsql.extra_errors': 'all',
  'plpgsql.extra_warnings': 'all',
}

/** Neither for the session to set, nor without an effect: these stop what needs them, in a sentence of the server. */
const OF_THE_OPERATOR =
  /^(default_)?transaction_|^restrict_nonsystem|^client_encoding|^debug_|^trace_|_preload_libraries$/

/** Statements by which a database carries all settings otherwise than they are by default. */
async function spoil(name: string) {
  const statements = (await listSettings('{user}')).flatMap(({ name: setting, vartype, boot, values }) => {
    const other =
      VALUES[setting] ??
      (vartype === 'bool' ? (boot === 'on' ? 'off' : 'on') : values?.filter((value) => value !== boot).at(-1))
    return other === undefined || OF_THE_OPERATOR.test(setting)
      ? []
      : [`alter database ${name} set ${setting} = '${other}'`]
  })
  for (const setting of ['plpgsql.extra_errors', 'plpgsql.extra_warnings'])
    statements.push(`alter database ${name} set ${setting} = '${VALUES[setting]}'`)
  // Lists are not quoted as a whole.
  const sql = statements.map((statement) => statement.replace(/'(German), (DMY)'/, '$1, $2'))
  expect(sql.length).toBeGreaterThan(60)
  for (const statement of sql) await server.query(statement)
}

/** The one that is there most often. */
function mostOf(names: readonly string[]) {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0]
}

const nameOf = ({ url }: { url: string }) => new URL(url).pathname.slice(1)

const NOW = new Date('2026-03-01T10:00:00Z')

const records = [...generateSmallSample({ campaigns: 40, claims: 600, seed: 3, now: NOW })] as ImportRecord[]

describe('a database that carries other values of all of them', () => {
  test('gives the same answers', async () => {
    await using plain = await createTestDatabase()
    await importRecords(plain.url, [toRecordSource('records', records)])
    await using spoilt = await createTestDatabase(plain)
    await spoil(nameOf(spoilt))
    const settings = readSettings({ DATABASE_URL: spoilt.url })
    expect((await runInProcess(() => createToken(settings, { user: 'user-1' }))).code).toBe(0)
    await using first = await startTestApp({}, plain)
    await using second = await startTestApp({}, spoilt)
    const words = vocabularyOf(records)
    const token = words.tokens.find((name) => !name.endsWith('collection')) ?? ''
    const [chainId, address] = token.split(':')
    const user = records.find((record) => record.type === 'claim')?.claimant
    const signed = mostOf(records.flatMap((record) => (record.type === 'claimSignature' ? [record.claimant] : [])))
    const urls = [
      ...randomQueries(words, createRandom(5), 12).map(toUrl),
      '/campaigns?facets=chainId,token,incentiveType,actionType,distributionChannel&tokenWhitelist=false',
      ...['newest', 'ending-soon', 'active'].map(
        (order) => `/campaigns?sortBy=${order}&tokenWhitelist=false&cursor=start`,
      ),
      ...['/campaigns?search=mint&tokenWhitelist=false', '/tokens', '/tokens?search=e', '/status', '/limits'],
      ...[`/prices?chainId=${chainId}&token=${address}`, `/outlook?campaignId=${words.ids.slice(0, 5).join(',')}`],
      ...[`/claims?claimant=${user}`, `/users/${user}/rewards`, `/eligibility?user=${user}&campaignId=${words.ids[0]}`],
      ...['', '?claimTransactions=true'].map((query) => `/users/${signed}/rewards${query}`),
      ...['campaigns', 'claims', 'tokens', 'prices'].map((what) => `/export/${what}`),
      ...['campaigns', 'claims'].map((what) => `/export/${what}?format=csv`),
      '/changes?limit=1000',
    ]
    const answers: Record<string, number> = {}
    for (const url of urls) {
      first.setNow(NOW)
      second.setNow(NOW)
      const [one, other] = await Promise.all([first.get(url), second.get(url)])
      expect({ status: other.statusCode, body: other.body }, url).toEqual({ status: one.statusCode, body: one.body })
      answers[one.statusCode] = (answers[one.statusCode] ?? 0) + 1
    }
    // What is asked for is there, or nothing would be compared.
    expect(answers[200], JSON.stringify(answers)).toBeGreaterThan(urls.length * 0.8)
    expect(answers[500]).toBe(undefined)
    expect([...first.defects, ...second.defects]).toEqual([])
  })

  test('is migrated, filled, rebuilt, examined and copied like another', async () => {
    await using plain = await createTestDatabase()
    const name = `test_${randomBytes(8).toString('hex')}`
    const url = databaseUrl(server.url, name)
    const folder = await mkdtemp(join(tmpdir(), 'session-settings-'))
    await server.query(`create database ${name}`)
    try {
      await spoil(name)
      const settings = readSettings({ DATABASE_URL: url })
      expect(await runInProcess(() => migrate(settings, {}))).toMatchObject({ code: 0, stderr: '' })
      const claim = records.find((record) => record.type === 'claim') as ImportRecord
      for (const target of [plain.url, url]) {
        await importRecords(target, [toRecordSource('records', records)])
        await importRecords(target, [toRecordSource('removal', [toRemoval(claim)])])
      }
      expect((await runInProcess(() => rebuildDatabase(settings))).code).toBe(0)
      const examined = await runInProcess(() => doctor(settings, { all: true }))
      expect(examined.code, examined.stdout).toBe(0)
      const copies = await Promise.all(
        [plain.url, url].map(async (source, index) => {
          const copy = join(folder, String(index))
          await exportToFolder(readSettings({ DATABASE_URL: source }), copy, { format: 'ndjson' })
          const files = ['campaigns', 'claims', 'tokens', 'prices'].map((what) =>
            readFile(join(copy, `${what}.ndjson`), 'utf8'),
          )
          // The price that a token says is as of its import.
          return (await Promise.all(files)).map((text) =>
            text
              .split('\n')
              .map((line) => line.replace(/"at":"[^"]+"/, ''))
              .sort(),
          )
        }),
      )
      expect(copies[1]).toEqual(copies[0])
      await server.query(`alter database ${name} reset all`)
      expect(
        await contentOf({ query: (sql) => withClient(url, 'test', async (client) => (await client.query(sql)).rows) }),
      ).toEqual(await contentOf(plain))
    } finally {
      await server.query(`drop database ${name} with (force)`)
      await rm(folder, { recursive: true })
    }
  })
})

describe('what a connection string brings along', () => {
  const show = (url: string, setting: string) =>
    withClient(
      url,
      'test',
      async (client) => (await client.query(`select current_setting('${setting}') as value`)).rows[0].value,
    )

  test('counts, unless statements rely on it', async () => {
    const url = new URL(server.url)
    url.searchParams.set('options', '-c work_mem=5MB -c array_nulls=off -c TimeZone=Asia/Kathmandu')
    expect(await show(url.href, 'work_mem')).toBe('5MB')
    expect(await show(url.href, 'array_nulls')).toBe('on')
    expect(await show(url.href, 'TimeZone')).toBe('UTC')
  })

  test('and what a session has is as it is written', async () => {
    const client = await connectForBatches(server.url, 'test')
    try {
      for (const [name, value] of Object.entries(SESSION_SETTINGS)) {
        const { rows } = await client.query('select current_setting($1) as value', [name])
        const shown = name === 'DateStyle' ? 'ISO, MDY' : value
        expect(rows[0].value, name).toBe(shown)
      }
    } finally {
      await client.end()
    }
    expect(new URL(withSessionSettings('postgres://me@host/data?sslmode=no-verify')).searchParams.get('sslmode')).toBe(
      'no-verify',
    )
  })
})
