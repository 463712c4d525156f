import { randomBytes } from 'node:crypto'
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
import { bearing, issueToken } from '../setup/tokens.ts'

/*
 * Letters are compared the same way whatever the locale of the database, and a cache hit is never the response to another
 * spelling that the database tells apart.
 */

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

const LOCALES: [name: string, options: string][] = [
  ['C', `locale_provider libc locale 'C'`],
  ['the builtin C.UTF-8', `locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'`],
  ['Turkish by ICU', `locale_provider icu icu_locale 'tr-TR' locale 'C'`],
  ['the builtin C', `locale_provider builtin builtin_locale 'C' locale 'C'`],
]

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
    { numRuns: 300 },
  )
})
