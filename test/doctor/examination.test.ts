import { randomBytes } from 'node:crypto'
import { drizzle } from 'drizzle-orm/node-postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient } from '../../src/database/connection/open-database.ts'
import { createFollowedChainReader } from '../../src/database/lookups/followed-chains.ts'
import { migrateDatabase } from '../../src/database/migrate-database.ts'
import { compareSchema, readMigrations } from '../../src/database/schema-version.ts'
import { type Examined, examineDatabase } from '../../src/doctor/run-checks.ts'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { openIngest } from '../../src/ingest/batches.ts'
import { rebuild } from '../../src/ingest/rebuild.ts'
import type { CheckedFinding } from '../../src/schemas/check-findings.ts'
import { setFollowed } from '../setup/data/followed-chains.ts'
import { generateSmallSample } from '../setup/data/small-sample.ts'
import { createTestDatabase, lockCampaigns, type TestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anAccessList, anAddress, anErc20Incentive, toLowerCase } from '../setup/records.ts'
import { repeated } from '../setup/repetitions.ts'
import { openDatabaseProxy } from '../setup/servers/database-proxy.ts'
import { waitFor } from '../setup/wait-for.ts'

/*
 * Each defect is planted in a copy of a healthy database, and must be the only thing that is found.
 */

const PASSWORD = randomBytes(16).toString('hex')
const role = `test_${randomBytes(8).toString('hex')}`
const now = new Date()
let healthy: TestDatabase

beforeAll(async () => {
  healthy = await createTestDatabase()
  // Without targets, so that no contract's totals follow from its own.
  const campaign = aCampaign({ incentives: [anErc20Incentive(anAddress('asset'))] })
  const records = [
    ...generateSmallSample({ campaigns: 40, claims: 400, seed: 1, now }),
    ...[campaign, aClaim(campaign), anAccessList({ members: [anAddress('member')] })],
  ]
  await importRecords(healthy.url, [toRecordSource('records', records)])
  for (let batch = 0; batch < 3; batch += 1) {
    await importRecords(healthy.url, [toRecordSource('batch', [aClaim(campaign)])])
  }
  await healthy.query(`create role ${role} login password '${PASSWORD}'`)
  await migrateDatabase(healthy.url, { servingRole: role })
})
afterAll(async () => {
  await healthy[Symbol.asyncDispose]()
  const server = await createTestDatabase()
  await server.query(`drop role ${role}`)
  await server[Symbol.asyncDispose]()
})

async function examine(database: TestDatabase, options: Partial<Examined> = {}) {
  const client = await openClient(database.url, 'reward-campaigns test')
  // No database decides where names are looked up (see `shadowed`).
  await client.query(
    "select set_config('search_path', 'planted, pg_catalog, public', false) where to_regnamespace('planted') is not null",
  )
  const drizzled = drizzle(client, { casing: 'snake_case' })
  try {
    return await examineDatabase({
      client,
      isEmbedded: false,
      servingRole: role,
      compareSchema: () => compareSchema(drizzled),
      listChains: createFollowedChainReader(drizzled, () => now),
      isComplete: true,
      statementMs: 30_000,
      ...options,
    })
  } finally {
    await client.end()
  }
}

const faultsOf = async (database: TestDatabase, options: Partial<Examined> = {}) =>
  (await examine(database, options)).filter(({ state }) => state !== 'ok')

const CHECKS =
  'server schema rights schema_objects locale campaign_index prices incentive_state claim_windows claim_hours ' +
  'lists_and_profiles changes chains orphans data_version'

test.each([true, false])('a healthy database is found in order, whole and by a sample: %s', async (isComplete) => {
  const findings = await examine(healthy, { isComplete })
  expect(findings.filter(({ state }) => state !== 'ok')).toEqual([])
  expect(findings.map(({ check }) => check.replaceAll(' ', '_')).join(' ')).toBe(CHECKS)
  expect(findings.filter(({ found, advice }) => found === '' || advice !== null)).toEqual([])
})

test('the role that serves can look at all of it', async () => {
  const url = new URL(healthy.url)
  url.username = role
  url.password = PASSWORD
  expect(await faultsOf({ ...healthy, url: url.href }, { servingRole: null })).toEqual([])
})

/** The last finding, and no other, is that the database is gone. */
const expectLost = (findings: CheckedFinding[], reason: string) =>
  expect(findings.filter(({ state }) => state !== 'ok')).toEqual([
    {
      check: findings.at(-1)?.check,
      state: 'failed',
      found: `the database cannot be reached: ${reason}`,
      advice: expect.stringMatching('DATABASE_URL'),
    },
  ])

test('where it takes too long to choose a sample, the examination has failed', async () => {
  await using database = await createTestDatabase(healthy)
  await using _ = await lockCampaigns(database.url)
  expect((await faultsOf(database, { isComplete: false, statementMs: 300 })).at(-1)).toMatchObject({
    check: 'sample',
    state: 'failed',
    found: 'it took longer than 0.3 s and was cancelled',
  })
})

test.each(['has_column_privilege', 'select revision', 'floor(random()', 'trending_candidates'])(
  'a connection that is lost is a finding, and the last one: at %s',
  async (statement) => {
    await using proxy = await openDatabaseProxy(healthy.url, 'cut', statement)
    const findings = await examine({ ...healthy, url: proxy.url }, { isComplete: false })
    expectLost(findings, 'Connection terminated unexpectedly')
  },
)

test('a session that is terminated is a finding, and the last one', async () => {
  await using database = await createTestDatabase(healthy)
  await using _ = await lockCampaigns(database.url, 'claims')
  const examining = examine(database)
  await waitFor(async () => {
    const terminated = await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'reward-campaigns test' and wait_event_type = 'Lock'`,
    )
    return terminated.length > 0 ? true : undefined
  })
  expectLost(await examining, 'terminating connection due to administrator command')
})

test('a defect of a check is none of the database', async () => {
  const listChains = () => Promise.reject(new TypeError('chains is undefined'))
  await expect(examine(healthy, { listChains })).rejects.toThrow(TypeError)
})

test('looking writes nothing', async () => {
  await using database = await createTestDatabase(healthy)
  const state = () =>
    database.query(
      `select array_agg(campaign.xmin::text order by key) as campaigns, pg_current_wal_insert_lsn() is null as log,
        (select count(*) from pg_class) as tables, (select array_agg(revision) from data_versions) as revisions
      from campaigns campaign`,
    )
  const before = await state()
  await examine(database)
  expect(await state()).toEqual(before)
})

test('a database in the midst of imports is found in order', async () => {
  await using database = await createTestDatabase(healthy)
  const ingest = await openIngest(database.url)
  let isEnded = false
  let batches = 0
  async function importAllTheTime() {
    while (!isEnded) {
      const seed = 100 + batches
      const records = [...generateSmallSample({ campaigns: 3, claims: 20, seed, now }, { isRepeated: true })]
      await ingest.apply({ records: toLowerCase(records) })
      batches += 1
    }
  }
  const importing = importAllTheTime()
  try {
    for (let round = 0; round < repeated(2, 6); round += 1) {
      for (const before = batches; batches <= before; ) {
        expect(await faultsOf(database, { isComplete: round % 2 === 0 })).toEqual([])
      }
    }
  } finally {
    isEnded = true
    await importing
    await ingest.close()
  }
})

const shadowed = (name: string, parameters: string, body: string) => `
  create schema planted;
  create function planted.${name}(${parameters}) returns text language sql as '${body}';`

const one = (table: string, where = 'true') => `ctid = (select ctid from ${table} where ${where} limit 1)`

const planted: { check: string; state?: 'warning'; says: RegExp; defect: string }[] = [
  {
    check: 'server',
    says: /^PostgreSQL 14 responds$/,
    defect: shadowed(
      'current_setting',
      'name text',
      `select case name when ''server_version_num'' then ''140012'' else pg_catalog.current_setting(name) end`,
    ),
  },
  {
    check: 'schema',
    says: /older than this version/,
    defect:
      'delete from drizzle.__drizzle_migrations where created_at = (select max(created_at) from drizzle.__drizzle_migrations)',
  },
  {
    check: 'rights',
    says: new RegExp(`"${role}" lacks select on public.claims$`),
    defect: `revoke select on claims from ${role}`,
  },
  {
    check: 'rights',
    says: /lacks execute on advance_claim_windows\(integer, integer\) and 1 more$/,
    defect: `revoke execute on all functions in schema public from ${role}`,
  },
  {
    check: 'rights',
    state: 'warning',
    says: /may write public.campaigns$/,
    defect: `grant delete on campaigns to ${role}`,
  },
  {
    check: 'schema objects',
    says: /^index campaigns_by_end of public.campaigns is not that of this version$/,
    defect: `update pg_index set indisvalid = false where indexrelid = 'campaigns_by_end'::regclass`,
  },
  {
    check: 'schema objects',
    says: /^index claims_by_campaign of public.claims is not that of this version$/,
    defect: 'drop index claims_by_campaign; create index claims_by_campaign on claims (campaign_key)',
  },
  {
    check: 'schema objects',
    says: /^constraint tokens_\w+ of public.tokens is not that of this version$/,
    defect: `do $$ declare name text := (select min(conname) from pg_constraint
        where conrelid = 'tokens'::regclass and contype = 'c'); begin
      execute format('alter table tokens drop constraint %I, add constraint %I check (chain_id > 0)', name, name); end $$`,
  },
  {
    check: 'schema objects',
    says: /^index claims_by_campaign of public.claims is missing$/,
    defect: 'drop index claims_by_campaign',
  },
  {
    check: 'schema objects',
    says: /^constraint claims_\w+_pk of public.claims is missing$/,
    defect: `do $$ begin execute format('alter table claims drop constraint %I',
      (select conname from pg_constraint where conrelid = 'claims'::regclass and contype = 'p')); end $$`,
  },
  {
    check: 'schema objects',
    says: /^constraint tokens_\w+ of public.tokens is missing, .*constraint tokens_\w+ of public.tokens is missing/,
    defect: `do $$ declare name text; begin for name in select conname from pg_constraint
      where conrelid = 'tokens'::regclass and contype = 'c' loop
      execute format('alter table tokens drop constraint %I', name); end loop; end $$`,
  },
  {
    check: 'schema objects',
    says: /^constraint campaigns_\w+ of public.campaigns is missing, constraint \w+ of public.\w+ is missing, .* and \d+ more$/,
    // With all that refers to it.
    defect: 'alter table campaigns drop constraint campaigns_pkey cascade',
  },
  {
    check: 'schema objects',
    says: /^trigger bump_data_version on claims is missing$/,
    defect: 'drop trigger bump_data_version on claims',
  },
  {
    check: 'schema objects',
    says: /^trigger bump_data_version on claims is not that of this version$/,
    defect: 'alter table claims disable trigger bump_data_version',
  },
  {
    check: 'schema objects',
    says: /^function bump_data_version is not that of this version$/,
    defect: 'create or replace function bump_data_version() returns void language plpgsql as $$ begin return; end $$',
  },
  {
    check: 'schema objects',
    says: /^function trending_shifts is missing$/,
    defect: 'drop function trending_shifts',
  },
  {
    check: 'incentive state',
    says: /1 in all: \d+:0x\w+:\d+, incentive \d+$/,
    defect: `update incentives set claim_count = claim_count + 1 where ${one('incentives')}`,
  },
  {
    check: 'incentive state',
    says: /1 in all/,
    defect: `update incentives set remaining_budget = remaining_budget + 1 where ${one('incentives', 'remaining_budget > 0')};
      select refresh_trending_campaigns(array(select key from campaigns))`,
  },
  {
    check: 'incentive state',
    says: /1 in all/,
    defect: `update campaigns set has_whitelisted_rewards = not has_whitelisted_rewards where ${one('campaigns')};
      select refresh_trending_campaigns(array(select key from campaigns))`,
  },
  {
    check: 'incentive state',
    says: /1 in all/,
    defect: `update campaign_claimant_counts set claimant_count = claimant_count + 1 where campaign_key = (
      select campaign_key from campaign_claimant_counts join campaigns on key = campaign_key where max_participants = 0 limit 1)`,
  },
  {
    check: 'claim windows',
    says: /\d+ in all: .*, 0 seconds; .*, 0 seconds; .*, 0 seconds$/,
    defect: `update campaign_claim_totals set amount_usd = amount_usd + 1 where window_seconds = 0
      and campaign_key not in (select campaign_key from campaign_facets where kind = 'target')`,
  },
  {
    check: 'claim hours',
    says: /1 in all: 1970-01-01 01:00:00/,
    defect: 'insert into claim_hours values (3600, 1, 0, 0)',
  },
  {
    check: 'claim windows',
    says: /1 in all: \d+:0x/,
    defect: `update trending_campaigns set facets = '{}' where ${one('trending_campaigns', `facets <> '{}'`)}`,
  },
  {
    check: 'claim windows',
    says: /1 in all: \d+:0x/,
    defect: `delete from trending_campaigns where ${one('trending_campaigns')}`,
  },
  {
    check: 'claim windows',
    says: /1 in all/,
    defect: `update contract_claim_totals set claim_count = claim_count + 1 where ${one('contract_claim_totals')}`,
  },
  {
    check: 'claim windows',
    says: /1 in all/,
    defect: `insert into contract_claim_totals (window_seconds, chain_id, address, campaign_count,
        newest_block_timestamp, claim_count, amount_usd)
      select window_seconds, chain_id, '0x' || repeat('0', 40), campaign_count, newest_block_timestamp, claim_count, amount_usd
      from contract_claim_totals where window_seconds = 3600 limit 1`,
  },
  {
    check: 'lists and profiles',
    says: /1 in all: access list /,
    defect: `update access_lists set member_count = member_count + 1 where ${one('access_lists')}`,
  },
  {
    check: 'lists and profiles',
    says: /1 in all: \d+:0x/,
    defect: `update allow_lists set address_count = address_count + 1 where ${one('allow_lists', 'address_count between 1 and 90')}`,
  },
  {
    check: 'claim windows',
    says: /1 in all: contracts of chain \d+$/,
    defect: `update contract_counts set contract_count = contract_count + 1 where ${one('contract_counts')}`,
  },
  {
    check: 'lists and profiles',
    says: /1 in all: profiles of score \d+$/,
    defect: `delete from profile_score_counts where ${one('profile_score_counts')}`,
  },
  { check: 'changes', says: /^the changes have no beginning/, defect: 'delete from changes' },
  {
    check: 'changes',
    says: /^\d+ changes are of revisions that the data never had$/,
    defect: 'update changes set epoch = gen_random_uuid() where revision = (select max(revision) from changes)',
  },
  {
    check: 'orphans',
    state: 'warning',
    says: /^0 claims and 1 claim signatures wait/,
    defect: `insert into detached_claim_signatures values ('1:0x1:1', '${anAddress('claimant')}', 0, '0x', '${anAddress('referrer')}')`,
  },
  { check: 'data version', says: /^the data has no revision$/, defect: 'delete from data_versions' },
  {
    check: 'data version',
    says: /^between the \d+ revisions up to \d+ some are missing$/,
    defect: 'delete from data_versions where revision = (select max(revision) - 1 from data_versions)',
  },
]

const recompute = (database: TestDatabase) => rebuild(database.url, { isOwnSchema: true, log: () => undefined })

/** Where one of these has failed, no data is looked into. */
const ALONE = ['server', 'schema', 'rights']

/** The first defects of all checks together, their second, and so on: each is a finding of its own. */
function plantedTogether() {
  const groups: (typeof planted)[] = []
  for (const one of planted) {
    const group = groups.find((others) => !others.some(({ check }) => check === one.check || ALONE.includes(check)))
    if (group === undefined || ALONE.includes(one.check)) groups.push([one])
    else group.push(one)
  }
  return groups
}

describe('a defect is found, and nothing else, and mended by what the advice names', () => {
  const groups = repeated(
    plantedTogether(),
    planted.map((one) => [one]),
  )
  for (const [index, group] of groups.entries()) {
    test(`${group.map(({ check }) => check).join(', ')} (${index})`, async () => {
      await using database = await createTestDatabase(healthy)
      await migrateDatabase(database.url, { servingRole: role })
      for (const { defect } of group) await database.query(defect)
      const faults = await faultsOf(database)
      expect(faults).toEqual(
        group.map(({ check, state = 'failed', says }) => {
          return { check, state, found: expect.stringMatching(says), advice: expect.stringMatching(/./) }
        }),
      )
      const others = faults.filter(({ advice }) => !advice?.includes('`reward-campaigns rebuild`'))
      if (others.length === faults.length) return
      await recompute(database)
      expect(await faultsOf(database)).toEqual(others)
    })
  }

  test('claims that were changed by SQL', async () => {
    await using database = await createTestDatabase(healthy)
    await migrateDatabase(database.url, { servingRole: role })
    await database.query(`delete from claims where log_index % 3 = 0; update claims set amount = amount * 7, amount_usd = 5;
      update campaigns set max_participants = 1; update profiles set score = score / 2;
      delete from access_list_members; delete from allow_list_addresses`)
    const faults = await faultsOf(database)
    expect(faults.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['incentive state', 'claim windows', 'lists and profiles']),
    )
    expect(new Set(faults.map(({ advice }) => advice))).toEqual(
      new Set(['run `reward-campaigns rebuild` as the owner of the tables']),
    )
    await recompute(database)
    expect(await faultsOf(database)).toEqual([])
  })

  test('what campaigns are found by, changed by SQL', async () => {
    await using database = await createTestDatabase(healthy)
    await migrateDatabase(database.url, { servingRole: role })
    const facets =
      'select kind, chain_id, value, campaign_key, block_timestamp from campaign_facets order by 1, 2, 3, 4'
    const before = await database.query(facets)
    const isOther = ({ kind }: Record<string, unknown>) => kind !== 'channel'
    expect(new Set(before.map(({ kind }) => kind))).toEqual(new Set(['target', 'token', 'collection', 'channel']))
    const campaigns = await database.query(
      `update campaigns set distribution_channels = '{Two}' returning key as campaign_key, block_timestamp`,
    )
    await database.query(`delete from campaign_facets where kind in ('target', 'token') and campaign_key % 2 = 0;
      insert into campaign_facets select 'target', 1, '0x', key, block_timestamp from campaigns where key % 3 = 0`)
    const checks = (await faultsOf(database)).map(({ check }) => check)
    expect(checks).toContain('campaign index')
    await recompute(database)
    expect(await faultsOf(database)).toEqual([])
    const after = await database.query(facets)
    expect(after.filter(isOther)).toEqual(before.filter(isOther))
    const channels = campaigns.map((campaign) => ({ kind: 'channel', chain_id: '0', value: 'two', ...campaign }))
    expect(after.filter(({ kind }) => kind === 'channel')).toEqual(expect.arrayContaining(channels))
  })

  test('rights of a role that writes, around a database that is in order', async () => {
    expect(await faultsOf(healthy, { servingRole: null })).toEqual([
      { check: 'rights', state: 'warning', found: expect.stringMatching(/./), advice: expect.stringMatching(/./) },
    ])
  })

  test('a function that is missing, though the role that serves needs it', async () => {
    await using database = await createTestDatabase(healthy)
    await database.query('alter function drop_changes(interval, integer) rename to renamed')
    expect(await faultsOf(database)).toContainEqual({
      check: 'schema objects',
      state: 'failed',
      found: expect.stringContaining('function drop_changes is missing'),
      advice: 'run `reward-campaigns rebuild` as the owner of the tables',
    })
  })

  test('a role that there is not', async () => {
    expect(await faultsOf(healthy, { servingRole: 'nobody' })).toEqual([
      {
        check: 'rights',
        state: 'failed',
        found: 'the role "nobody" is not there',
        advice: expect.stringMatching(/create/),
      },
    ])
  })

  test.each([
    { state: 'warning', found: 'chain 10 is back-filling', asOf: null, more: {} },
    { state: 'warning', found: 'chain 10 is behind, 30 s late', asOf: 7, more: { seconds: 30 } },
    { state: 'failed', found: 'chain 10 is behind, 3600 s late', asOf: 7, more: { seconds: 3600 } },
  ])('$found', async ({ state, found, asOf, more: { seconds } }) => {
    await using database = await createTestDatabase(healthy)
    await setFollowed(database, 1, 5, { head_block: 5, looked_at: now.toISOString(), as_of_at: now.toISOString() })
    const at = seconds === undefined ? null : new Date(now.getTime() - seconds * 1000).toISOString()
    await setFollowed(database, 10, asOf, { head_block: 100, looked_at: now.toISOString(), as_of_at: at })
    expect(await faultsOf(database)).toEqual([
      { check: 'chains', state, found, advice: expect.stringMatching(/index/) },
    ])
  })

  test('what has been written past the import is found in a sample of everything', async () => {
    await using database = await createTestDatabase(healthy)
    await database.query(`update incentives set claim_count = claim_count + 1;
      update campaign_claimant_counts set claimant_count = 1000;
      update contract_claim_totals set campaign_count = campaign_count + 1`)
    const faults = await faultsOf(database, { isComplete: false })
    expect(faults.map(({ check }) => check)).toEqual(expect.arrayContaining(['incentive state', 'claim windows']))
  })
})

test('what takes too long is given up, said, and does not keep the rest from being looked at', async () => {
  await using database = await createTestDatabase(healthy)
  await using _ = await lockCampaigns(database.url, 'action_steps')
  const findings = await examine(database, { statementMs: 3000 })
  expect(findings.filter(({ state }) => state !== 'ok')).toEqual([
    {
      check: 'campaign index',
      state: 'warning',
      found: 'it took longer than 3 s and was cancelled',
      advice: expect.any(String),
    },
  ])
  expect(findings.map(({ check }) => check.replaceAll(' ', '_')).join(' ')).toBe(CHECKS)
})

test('a schema that a newer version has migrated may differ', async () => {
  await using database = await createTestDatabase(healthy)
  await migrateDatabase(database.url, { servingRole: role })
  await database.query(
    `update drizzle.__drizzle_migrations set created_at = created_at + 1; drop index claims_by_campaign`,
  )
  expect(await faultsOf(database)).toEqual([])
})

test('a schema that is behind is not looked into', async () => {
  await using database = await createTestDatabase()
  await database.query('drop schema public cascade; create schema public; drop schema drizzle cascade')
  const findings = await examine(database, { servingRole: null })
  expect(findings.filter(({ state }) => state === 'failed').map(({ check }) => check)).toEqual(['schema'])
  expect(await migrateDatabase(database.url)).toMatchObject({ migrations: readMigrations().length })
  expect((await faultsOf(database, { servingRole: null })).map(({ check }) => check)).toEqual(['rights'])
})
