import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { readAsciiLocale } from '../../src/database/database-locale.ts'
import { migrateDatabase } from '../../src/database/migrate-database.ts'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anAccessList, anActionTemplate, anAddress, anErc20Incentive } from '../setup/records.ts'
import { databaseUrl } from '../setup/servers/database-url.ts'
import { runCli } from '../setup/servers/processes.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'
import { firstOf, repeated } from '../setup/thorough.ts'
import { bearing, issueToken } from '../setup/tokens.ts'

/*
 * Letters are compared the same way whatever the locale of the database, and a cache hit is never the response to another
 * spelling that the database tells apart.
 */

const MIGRATIONS = join(import.meta.dirname, '../../migrations')

const NOW = new Date('2026-01-01T12:00:00.000Z')

/** Spellings of one line are equal without case, and differ from those of all other lines. */
const EQUAL = [
  ['web', 'WEB', 'Web'],
  ['it', 'IT', 'iT'],
  ['\u0131t', '\u0131T'],
  ['istanbul', 'ISTANBUL'],
  ['\u0130stanbul', 'i\u0307stanbul', 'I\u0307STANBUL'],
  ['\u03bf\u03b4\u03bf\u03c2', '\u039f\u0394\u039f\u03a3', '\u03bf\u03b4\u03bf\u03c3'],
  ['kelvin', '\u212aelvin', 'KELVIN'],
  ['\u00e5ngstr\u00f6m', '\u212bNGSTR\u00d6M'],
  ['\u0436\u0443\u043a', '\u0416\u0423\u041a'],
  ['\u01c6', '\u01c5', '\u01c4'],
  ['stra\u00dfe', 'STRA\u1e9eE'],
  ['strasse', 'STRASSE'],
  ['\u{10428}', '\u{10400}'],
] as const

/** The builtin C knows the same letters as the one of the system, so that it is usually left out. */
const LOCALES: [name: string, options: string][] = firstOf(
  [
    ['C', `locale_provider libc locale 'C'`],
    ['the builtin C.UTF-8', `locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'`],
    ['Turkish by ICU', `locale_provider icu icu_locale 'tr-TR' locale 'C'`],
    ['the builtin C', `locale_provider builtin builtin_locale 'C' locale 'C'`],
  ],
  3,
)

async function createDatabaseWith(options: string): Promise<TestDatabase> {
  const serverUrl = inject('serverUrl')
  const onServer = async (url: string, sql: string, values?: unknown[]) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(sql, values)).rows
    } finally {
      await client.end()
    }
  }
  const name = `test_${randomBytes(8).toString('hex')}`
  await onServer(serverUrl, `create database ${name} template template0 encoding 'UTF8' ${options}`)
  const url = databaseUrl(serverUrl, name)
  return {
    url,
    query: (sql, values) => onServer(url, sql, values),
    [Symbol.asyncDispose]: async () => void (await onServer(serverUrl, `drop database ${name} with (force)`)),
  }
}

/** A campaign for each line, whose channel and action type have its first spelling, and an access list for each. */
async function fill(api: TestApp) {
  const records = EQUAL.flatMap(([spelling], index): ImportRecord[] => {
    const template = anActionTemplate({ actionType: spelling })
    const campaign = aCampaign({
      campaignName: `line ${index}`,
      distributionChannels: [spelling],
      incentives: [anErc20Incentive(anAddress('asset'))],
      actionTemplateId: template.id,
    })
    const claim = aClaim(campaign, { blockTimestamp: String(NOW.getTime() / 1000 - 60) })
    return [template, campaign, claim, anAccessList({ userId: 'user-1', name: spelling })]
  })
  await api.save(...records)
  api.setNow(NOW)
}

describe.each(LOCALES)('in a database whose locale is %s', (name, options) => {
  let database: TestDatabase
  let api: TestApp
  beforeAll(async () => {
    database = await createDatabaseWith(options)
    await migrateDatabase(database.url)
    api = await startTestApp({}, database)
    await fill(api)
  })
  afterAll(async () => {
    await api[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  test('a channel and an action type are found by each of their spellings, and by no other letters', async () => {
    for (const [index, spellings] of EQUAL.entries()) {
      for (const spelling of spellings) {
        const asked = encodeURIComponent(spelling)
        const list = (await api.get(`/campaigns?tokenWhitelist=false&distributionChannel=${asked}`)).json()
        const names = list.campaigns.map(({ campaignName }: { campaignName: string }) => campaignName)
        expect(names, spelling).toEqual([`line ${index}`])
        const trending = `/reward-kit/trending?tokenWhitelist=false`
        const included = (await api.get(`${trending}&includeActionTypes=${asked}`)).json().trendingCampaigns
        expect(included, spelling).toHaveLength(1)
        expect(included[0].actionTemplate.actionType).toBe(spellings[0])
        const others = (await api.get(`${trending}&excludeActionTypes=${asked}`)).json().trendingCampaigns
        expect(others, spelling).toHaveLength(EQUAL.length - 1)
      }
    }
  })

  test('words of a search are found by each of their spellings', async () => {
    const secret = await issueToken(api, { userId: 'user-1' })
    for (const spellings of EQUAL) {
      for (const spelling of spellings) {
        const url = `/campaigns/accesslists?search=${encodeURIComponent(spelling)}`
        const { accesslists } = (await api.get(url, bearing(secret))).json()
        const found = accesslists.map((list: { name: string }) => list.name)
        expect(found, spelling).toContain(spellings[0])
      }
    }
  })

  test('what migrate and doctor warn of is a locale that knows no letters beyond ASCII', async () => {
    const isAscii = name === 'C' || name === 'the builtin C'
    expect(await readAsciiLocale(database.url)).toBe(isAscii ? 'C' : undefined)
    // Where there is none, the tests of the commands expect that they say nothing else.
    if (!isAscii) return
    const warning = 'the locale of the database, C, knows no letters beyond ASCII'
    const settings = { DATABASE_URL: database.url }
    expect((await runCli(['migrate'], settings)).stderr).toContain(warning)
    expect((await runCli(['doctor'], settings)).stdout).toContain(warning)
  })
})

/** The statements of the migration, with the names of today. */
async function readFoldingMigration() {
  const [migration = ''] = (await readdir(MIGRATIONS)).filter((file) => file.endsWith('_fold-stored-channels.sql'))
  const text = await readFile(join(MIGRATIONS, migration), 'utf8')
  return text
    .replaceAll('revise_data(', 'bump_data_version(')
    .replaceAll('rebuild_campaign_maps', 'rebuild_campaign_bitmaps')
}

test('a channel that was stored otherwise is found after the migration', async () => {
  await using database = await createTestDatabase()
  await using api = await startTestApp({}, database)
  await fill(api)
  const before = await database.query('select * from campaign_facets order by kind, value, campaign_key')
  // As a locale folds that knows ASCII alone.
  await database.query(`alter table campaign_facets drop constraint campaign_facets_value_is_lower_case`)
  await database.query(`update campaign_facets set value = channel from (
    select key, lower(channel collate "C") as channel from campaigns, unnest(distribution_channels) channel
  ) stored where key = campaign_key and kind = 'channel'`)
  const stored = await database.query('select * from campaign_facets order by kind, value, campaign_key')
  expect(stored).not.toEqual(before)
  await database.query(await readFoldingMigration())
  expect(await database.query('select * from campaign_facets order by kind, value, campaign_key')).toEqual(before)
})

test('the words of a name that were stored otherwise are found after the migration', async () => {
  await using database = await createTestDatabase()
  const words = () => database.query('select name, name_words::text as words from access_lists order by id')
  await using api = await startTestApp({}, database)
  const lists = EQUAL.map(([name]) => anAccessList({ name }))
  await api.save(...lists)
  const before = await words()
  // As a locale folds that knows ASCII alone.
  const [fold] = await database.query(`select pg_get_functiondef('fold_case(text)'::regprocedure) as definition`)
  await database.query(`create or replace function fold_case(value text) returns text
    language sql immutable strict parallel safe as 'select lower(value collate "C")'`)
  await database.query(
    'update access_lists set name = upper(name collate "und-x-icu"); update access_lists set name = name',
  )
  await database.query(String(fold?.definition))
  const stored = await words()
  await database.query(await readFoldingMigration())
  const after = await words()
  expect(after).not.toEqual(stored)
  for (const [index, { words: due }] of before.entries()) {
    // A capital that two letters share may be another word.
    const same = await database.query('select word_starts($1)::text as words', [after[index]?.name])
    expect(after[index]?.words, String(due)).toBe(same[0]?.words)
  }
})

test('a cache hit has what the database would say, whatever letters are asked for in whatever order', async () => {
  await using database = await createTestDatabase()
  await using cached = await startTestApp({}, database)
  await using uncached = await startTestApp({ RESPONSE_CACHE_MB: '0' }, database)
  await fill(cached)
  uncached.setNow(NOW)
  const spelling = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...EQUAL.flat()) },
    fc.string({
      minLength: 1,
      maxLength: 4,
      unit: fc.constantFrom(...'iI\u0130\u0131\u0307kK\u212a\u03c2\u03c3\u03a3sS\u017f\u00df'),
    }),
  )
  const list = fc
    .array(spelling, { minLength: 1, maxLength: 3 })
    .map((entries) => entries.map(encodeURIComponent).join(','))
  const url = fc.oneof(
    list.map((entries) => `/campaigns?tokenWhitelist=false&distributionChannel=${entries}`),
    list.map((entries) => `/reward-kit/trending?tokenWhitelist=false&includeActionTypes=${entries}`),
    list.map((entries) => `/reward-kit/trending?tokenWhitelist=false&excludeActionTypes=${entries}`),
  )
  await fc.assert(
    fc.asyncProperty(url, async (asked) => {
      const [hit, made] = [await cached.get(asked), await uncached.get(asked)]
      expect(made.statusCode).toBe(200)
      expect(hit.json(), asked).toEqual(made.json())
    }),
    { numRuns: repeated(40, 300) },
  )
})
