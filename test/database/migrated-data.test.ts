import { randomBytes } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { generateSample } from 'reward-campaigns-sample-data'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrateDatabase } from '../../src/database/migrate-database.ts'
import { revokeOtherRights } from '../../src/database/serving-role.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { expectMapsToAgree } from '../setup/data/campaign-maps.ts'
import { migrateTo } from '../setup/data/earlier-schema.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aClaim } from '../setup/records.ts'
import { readDuring } from '../setup/requests/reading-load.ts'
import { startCli } from '../setup/servers/processes.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'
import { firstOf, repeated } from '../setup/thorough.ts'
import { bearing, issueToken } from '../setup/tokens.ts'

/*
 * A database of an earlier version, with the data of a sample, is migrated in place, and answers as one into which the
 * same records were imported by this version. Its rows are those of the import, in the tables and columns that there
 * were; what was derived from the claims, its own function makes of them.
 */

const SAMPLE = { campaigns: repeated(1500, 10_000), claims: repeated(3000, 30_000), seed: 5 }

/**
 * How many migrations the versions had that people may come from, and the last before hours of claims were counted. Usually the
 * oldest, which takes every migration since, the one whose maps had most, and the last before tables were renamed.
 */
const VERSIONS = firstOf([4, 53, 13, 19, 6, 8], 2)

/** The version before tables were renamed has the maps of today. */
const LAST_OLD_NAMES = 53

/** All others had maps of what more campaigns have than this; now half of it is enough. */
const MAPPED_FROM = 300

/** Kept totals and documents, which functions of that version make; revisions, which do not outlive the move. */
const MADE_THERE = [
  ...['campaign_claim_totals', 'campaign_claimant_counts', 'contract_claim_totals', 'contract_counts', 'claim_windows'],
  ...['campaign_documents', 'data_revisions'],
]

/** Tables and columns that a later migration has renamed: the earlier name, and the one of today. */
const RENAMED_TABLES: Record<string, string> = {
  popular_facets: 'indexed_facets',
  facet_maps: 'facet_bitmaps',
  campaign_spans: 'bitmap_segments',
  campaign_places: 'campaign_bits',
  campaign_activity: 'active_bitmap_state',
}
const RENAMED_COLUMNS: Record<string, Record<string, string>> = {
  facet_maps: { since: 'segment' },
  campaign_spans: { since: 'segment', place_count: 'used_bits', blank: 'empty' },
  campaign_places: { since: 'segment', place: 'bit' },
  changes: { identity: 'epoch' },
}

/** Claims of one campaign, so many that they are counted by hours: from 2000 on, in the versions that began with it. */
function claimsOfPopular(sample: ImportRecord[]) {
  const campaign = sample.find((record) => record.type === 'campaign' && record.incentives.length > 0)
  if (campaign?.type !== 'campaign') throw new Error('nothing can be claimed')
  const seconds = Math.floor(now.getTime() / 1000)
  return Array.from({ length: 2100 }, (_, index) =>
    aClaim(campaign, { blockTimestamp: String(seconds - 100 * index), amountUsd: '0.25' }),
  )
}

const now = new Date()
let records: ImportRecord[]
let fresh: TestDatabase
let importing: TestApp
beforeAll(async () => {
  const sample = [...generateSample({ ...SAMPLE, now })]
  records = [...sample, ...claimsOfPopular(sample)]
  fresh = await createTestDatabase()
  importing = await startTestApp({}, fresh)
  await importing.save(...records)
}, 300_000)
afterAll(async () => {
  await importing[Symbol.asyncDispose]()
  for (const database of [fresh, ...earlier.values()]) await database[Symbol.asyncDispose]()
})

/** Copies the rows of the import into the tables of an earlier version. */
async function fill(old: TestDatabase, version: number) {
  const rows = await old.query(
    `select table_name as name, array_agg(column_name::text order by ordinal_position) as columns
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and is_generated = 'NEVER'
      and table_name <> all($1) group by table_name`,
    [MADE_THERE],
  )
  const tables = rows.map(({ name, columns }) => ({ name: String(name), columns: columns as string[] }))
  expect(tables.length).toBeGreaterThan(10)
  const [source, target] = [fresh, old].map(({ url }) => new pg.Client({ connectionString: url })) as [
    pg.Client,
    pg.Client,
  ]
  await Promise.all([source.connect(), target.connect()])
  try {
    // Rows come in any order of the tables.
    await target.query('set session_replication_role = replica')
    for (const { name, columns } of tables) {
      // Some have rows from the start.
      await target.query(`delete from ${name}`)
      const today = columns.map((column) => pg.escapeIdentifier(RENAMED_COLUMNS[name]?.[column] ?? column))
      const rows = source.query(copyTo(`copy (select ${today} from ${RENAMED_TABLES[name] ?? name}) to stdout`))
      await pipeline(rows, target.query(copyFrom(`copy ${name} (${columns.map(pg.escapeIdentifier)}) from stdin`)))
    }
    for (const { name } of tables.filter((table) => ['campaigns', 'popular_facets'].includes(table.name))) {
      await target.query(`select setval(pg_get_serial_sequence('${name}', 'key'), max(key)) from ${name}`)
    }
    if (version < LAST_OLD_NAMES && tables.some(({ name }) => name === 'popular_facets')) {
      // Kinds of facets that this version did not have.
      const later = await target.query<{ key: string }>(`select key from popular_facets
        where kind not in (select kind from campaign_memberships)`)
      expect(later.rows.length, 'values of kinds that came later').toBeGreaterThan(3)
      const { rows } = await source.query<{ key: string }>(`select key from indexed_facets
        join all_campaign_facets using (kind, chain_id, value) group by key having count(*) <= ${MAPPED_FROM}`)
      expect(rows.length, 'values that got a map by the new bound').toBeGreaterThan(5)
      for (const [table, column] of [
        ['facet_maps', 'facet_key'],
        ['popular_facets', 'key'],
      ]) {
        const keys = [...later.rows, ...rows].map(({ key }) => key)
        await target.query(`delete from ${table} where ${column} = any ($1)`, [keys])
      }
    }
    await target.query('reset session_replication_role')
    if (version >= 11 && version <= 13) {
      // What only these have maps of: the digits of how much has been claimed.
      await target.query(`insert into popular_facets (kind, chain_id, value)
        select 'claims', width, digit from unnest(array[3600, 86400]) width, generate_series(0, 5) digit`)
    }
    await target.query('select rebuild_claim_totals()')
    if (version >= 7) await target.query('select make_campaign_documents(array(select key from campaigns))')
    await target.query('analyze')
  } finally {
    await Promise.all([source.end(), target.end()])
  }
}

const max = (values: unknown[]) => {
  const counts = new Map<string, number>()
  for (const value of values) if (typeof value === 'string') counts.set(value, (counts.get(value) ?? 0) + 1)
  const [[value] = ['']] = [...counts].sort((a, b) => b[1] - a[1])
  return value
}

/** Questions to every operation: the most popular value of each filter, alone and with others, and many single ones. */
function queriesAbout(records: ImportRecord[]) {
  const campaigns = records.filter((record) => record.type === 'campaign')
  const claims = records.filter((record) => record.type === 'claim')
  const steps = campaigns.flatMap(({ actionSteps }) => actionSteps ?? [])
  const [chainOfTarget, target] = max(steps.map((step) => `${step.chainId}:${step.targetContract}`)).split(':')
  const owner = `owner=${max(campaigns.map((each) => each.owner))}`
  const filters = [
    '',
    'tokenWhitelist=false',
    'showActiveOnly=true',
    'sortBy=active',
    'sortBy=active&tokenWhitelist=false',
    'actionTemplateOnly=true',
    owner,
    `${owner}&showActiveOnly=true&tokenWhitelist=false`,
    `budgetAccount=${max(campaigns.map(({ budget }) => budget))}`,
    `chainId=${max(campaigns.map(({ id }) => id.split(':')[0]))}&sortBy=active`,
    `chainId=${chainOfTarget}&targetContract=${target}`,
    `chainId=${chainOfTarget}&targetContract=${target}&showActiveOnly=true`,
    `tokens=${max(campaigns.flatMap(({ id, incentives }) => incentives.map(({ asset }) => asset && `${id.split(':')[0]}:${asset}`)))}`,
    `tokens=${max(campaigns.map(({ nftCollection: of }) => of && `${of.chainId}:${of.address}:collection`))}`,
    `distributionChannel=${max(campaigns.flatMap((each) => each.distributionChannels ?? []))}`,
    `autocampaignId=${max(campaigns.map(({ autocampaignId }) => autocampaignId))}`,
  ].filter((filter) => !filter.endsWith('='))
  const user = max(claims.map(({ claimant }) => claimant))
  const every = (count: number) => campaigns.filter((_, index) => index % Math.ceil(campaigns.length / count) === 0)
  return {
    user,
    urls: [
      ...filters.flatMap((filter) => [`/campaigns?${filter}`, `/campaigns?${filter}&pageSize=100&page=2`]),
      '/campaigns?tokenWhitelist=false&pageSize=100&page=100',
      ...every(40).map(({ id }) => `/campaigns/${id}`),
      ...['1h', '24h'].flatMap((period) => [
        `/reward-kit/trending?period=${period}&tokenWhitelist=false&includeTokenMetadata=true`,
        `/reward-kit/trending?period=${period}&user=${user}`,
        `/reward-kit/trending?period=${period}&${owner}`,
      ]),
      ...['', '&timeRange=6h', '&timeRange=24h', '&timeRange=7d'].flatMap((range) =>
        ['most-completions', 'total-spend', 'recently-deployed'].map(
          (sortBy) => `/explore/contracts?pageSize=100&sortBy=${sortBy}${range}`,
        ),
      ),
      ...['', '&timeRange=24h', '&sortBy=recently-deployed&timeRange=7d'].map(
        (parameters) =>
          `/explore/contracts?pageSize=100&creator=${max(campaigns.map(({ creator, owner }) => creator ?? owner))}${parameters}`,
      ),
    ],
  }
}

/** The texts of all responses. */
async function responsesOfUrls(api: TestApp, { urls, user }: ReturnType<typeof queriesAbout>) {
  const [list] = records.filter((record) => record.type === 'accessList')
  const [profile] = records.filter((record) => record.type === 'profile')
  const token = await issueToken(api, { userId: 'operator', isAdmin: true })
  const responses: Record<string, string> = {}
  const ask = async (url: string, headers = {}) => {
    const { statusCode, headers: reported, body } = await api.get(url, headers)
    expect(statusCode, `${url}: ${body.slice(0, 200)}`).toBe(200)
    responses[url] = `${reported['x-total-count'] ?? ''} ${body}`
  }
  for (const url of urls) await ask(url)
  await ask(`/users/profile?user=${profile?.userAddress ?? user}`, bearing(token))
  await ask(`/campaigns/accesslists?userId=${list?.userId}&search=${list?.name.split(' ')[0]}`, bearing(token))
  return responses
}

/** Of each version one, which several tests copy. */
const earlier = new Map<number, TestDatabase>()

/** A database of the version that had so many migrations, with the rows of the import. */
async function anEarlierDatabase(version: number) {
  const original = earlier.get(version) ?? (await makeEarlierDatabase(version))
  earlier.set(version, original)
  return createTestDatabase(original)
}

async function makeEarlierDatabase(version: number) {
  const database = await createTestDatabase()
  await database.query('drop schema if exists drizzle cascade; drop schema public cascade; create schema public')
  await migrateTo(version, database.url)
  await fill(database, version)
  return database
}

/** Some campaigns go to other owners, and are claimed; others for each number. */
function changesOf(records: ImportRecord[], number: number, later: Date) {
  const campaigns = records.filter((record) => record.type === 'campaign').slice(100 * number, 100 * number + 60)
  return campaigns.flatMap((campaign, index): ImportRecord[] => {
    const changed = { ...campaign, owner: campaigns.at(index - 1)?.owner ?? campaign.owner }
    if (campaign.incentives.length === 0) return [changed]
    const blockTimestamp = String(Math.floor(later.getTime() / 1000) - 60 * index)
    return [changed, aClaim(campaign, { blockTimestamp, amountUsd: '12.5' })]
  })
}

/** What is derived that no answer shows whole: which values have maps, and claims by hours. */
const derivedOf = async (database: TestDatabase) => ({
  mapped: await database.query('select kind, chain_id, value from indexed_facets order by 1, 2, 3'),
  hours: await database.query('select * from claim_intervals order by 1, 2, 3'),
  incentiveHours: await database.query('select * from incentive_claim_hours order by 1, 2, 3'),
})

test.each(VERSIONS)(
  'a database of %i migrations with data answers, once it is migrated, as one that is new',
  { timeout: 120_000 },
  async (version) => {
    await using database = await anEarlierDatabase(version)
    await migrateDatabase(database.url)
    await using migrated = await startTestApp({}, database)
    const requests = queriesAbout(records)

    async function expectToAgree(instant: Date) {
      for (const api of [importing, migrated]) api.setNow(instant)
      const expected = await responsesOfUrls(importing, requests)
      const isEmpty = (text: string) => /^\S* (\[\]|\{"\w+":\[\](,"totalCampaigns":0)?\})$/.test(text)
      const all = Object.values(expected)
      expect(all.filter(isEmpty).length, 'questions that nothing answers').toBeLessThan(all.length / 10)
      expect(await responsesOfUrls(migrated, requests)).toEqual(expected)
      const derived = await derivedOf(fresh)
      expect(derived.mapped.length).toBeGreaterThan(15)
      expect(derived.hours.length).toBeGreaterThan(50)
      expect(await derivedOf(database)).toEqual(derived)
      await expectMapsToAgree(database)
    }

    await expectToAgree(now)
    expect(
      await database.query(`select distinct creator <> '' as is_one from contract_counts order by 1`),
    ).toHaveLength(2)
    // And it goes on as one that is new: as facts come and time passes.
    const later = new Date(now.getTime() + 5000)
    const more = changesOf(records, version, later)
    for (const api of [importing, migrated]) await api.save(...more)
    await expectToAgree(later)
  },
)

/** Each campaign has a document of a version of its own, with named placeholders. */
async function expectNewDocuments(database: TestDatabase) {
  const [counts] = await database.query(
    `select (select count(*)::integer from campaigns) as campaigns, count(*)::integer as documents,
      count(distinct version)::integer as versions,
      count(*) filter (where body ~ '\u0001[0-9]+\u0001')::integer as numbered from campaign_documents`,
  )
  const campaigns = records.filter(({ type }) => type === 'campaign').length
  expect(counts).toEqual({ campaigns, documents: campaigns, versions: campaigns, numbered: 0 })
}

/** What a service of any of these versions reads and writes, however its statements put it together. */
const ofEveryVersion = [
  'select id, campaign_name, start_at, end_at from campaigns order by block_timestamp desc limit 20',
  'select type, asset, definition, remaining_budget from incentives order by campaign_key desc limit 50',
  'select count(*), sum(amount_usd) from claims where block_timestamp > extract(epoch from now()) - 3600',
  'select campaign_key, amount_usd from campaign_claim_totals where window_seconds = 86400 order by amount_usd desc limit 20',
  'select address, claim_count from contract_claim_totals where window_seconds = 0 order by claim_count desc limit 20',
  'select owner, type from allow_lists order by campaign_key limit 50',
  'select symbol, price_usd from tokens limit 50',
  'update credentials set last_used_at = now()',
]

/** What trending asks of each campaign that it shows, from the version that ranks by maps. */
const ofTrending = `select status from (select key from campaigns limit 100) shown, campaign_access(key, '0x1')`

/** Usually the one that has maps and documents to move, and is asked all of the queries. */
const UPGRADES = [
  { version: 13, queries: [...ofEveryVersion, ofTrending] },
  { version: 4, queries: ofEveryVersion },
  { version: 8, queries: ofEveryVersion },
  { version: 11, queries: [...ofEveryVersion, ofTrending] },
]

/** How long somebody's transaction stays open after the migration has begun to wait for it. */
const OPEN_MS = 1500

test.each(firstOf(UPGRADES))(
  'who serves from a schema of $version migrations waits less than a second, while all documents are rendered again beside an open reader and an open writer',
  { timeout: 120_000 },
  async ({ version, queries }) => {
    await using database = await anEarlierDatabase(version)
    const role = `test_${randomBytes(8).toString('hex')}`
    await database.query(`create role ${role} login password '${role}'`)
    await issueToken({ database }, { userId: 'user' })
    const url = Object.assign(new URL(database.url), { username: role, password: role }).href
    try {
      const [reader, writer] = [database.url, database.url].map((url) => new pg.Client(url)) as [pg.Client, pg.Client]
      await Promise.all([reader.connect(), writer.connect()])
      await revokeOtherRights(writer, role)
      // As `pg_dump` and an import hold them.
      await reader.query('begin isolation level repeatable read')
      for (const { tablename } of await database.query("select tablename from pg_tables where schemaname = 'public'")) {
        await reader.query(`lock table ${tablename} in access share mode`)
      }
      await writer.query(`begin; update campaigns set owner = owner; update claims set amount_usd = amount_usd;
        update contract_claim_totals set claim_count = claim_count; update tokens set symbol = symbol`)
      const seen = await readDuring(url, queries, async () => {
        await using migrating = startCli(['migrate'], { DATABASE_URL: database.url })
        await migrating.said(/(waits for other transactions)/)
        await sleep(OPEN_MS)
        await reader.query('rollback')
        await sleep(OPEN_MS)
        await writer.query('commit')
        const { code, stdout, stderr } = await migrating.ended
        expect({ code, stdout }, stderr).toEqual({
          code: 0,
          stdout: expect.stringMatching(/^the schema is current; \d+ migrations were applied\n$/),
        })
        // What was begun on the new schema belongs to it.
        await sleep(500)
      })
      await Promise.all([reader.end(), writer.end()])
      expect(seen.failures.slice(0, 3)).toEqual([])
      expect(seen.asked).toBeGreaterThan(100)
      expect(seen.slowest.ms, seen.slowest.sql).toBeLessThan(1000)
      const unreadable = await database.query(
        `select relname from pg_class where relkind in ('r', 'v') and relnamespace = 'public'::regnamespace
          and not has_table_privilege($1, oid, 'select')`,
        [role],
      )
      expect(unreadable).toEqual([])
      await expectNewDocuments(database)
    } finally {
      await database.query(`drop owned by ${role}; drop role ${role}`)
    }
  },
)
