import { expect, test } from 'vitest'
import type { ImportRecord } from '../../src/ingest/records.ts'
import { generateSample } from '../../src/sample/generate-sample.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { createRandom, type Random, randomBatch } from '../setup/random-records.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aStep, aToken } from '../setup/records.ts'
import { expectedContracts, expectedTrending, type QueryText } from '../setup/second-opinion.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

/*
 * Whole answers about claimed volume against a second opinion that is computed from the records alone, for random data,
 * parameters and instants. A failure names seed, instant and URL, and comes again with the same seed.
 */

const HOUR = 3600
const DAY = 86_400
const nobody = anAddress('nobody')

type Operation = '/reward-kit/trending' | '/explore/contracts'

/** Values of parameters that occur in the data. */
interface Vocabulary {
  budgets: string[]
  owners: string[]
  creators: string[]
  users: string[]
  autocampaigns: string[]
  channels: string[]
  chains: number[]
  targets: { chainId: number; address: string }[]
  tokens: string[]
  actionTypes: string[]
}

function vocabularyOf(records: readonly ImportRecord[]): Vocabulary {
  const ofType = <Type extends ImportRecord['type']>(type: Type) =>
    records.filter((record): record is Extract<ImportRecord, { type: Type }> => record.type === type)
  const campaigns = ofType('campaign')
  const present = <Value>(values: (Value | null | undefined)[]) => values.filter((value) => value != null) as Value[]
  const targets = campaigns.flatMap(({ actionSteps }) =>
    (actionSteps ?? []).map(({ chainId, targetContract }) => ({ chainId, address: targetContract })),
  )
  const named = (references: { chainId: number; address: string }[]) =>
    references.map(({ chainId, address }) => `${chainId}:${address}`)
  return {
    budgets: campaigns.map(({ budget }) => budget),
    owners: campaigns.map(({ owner }) => owner),
    creators: campaigns.map(({ creator, owner }) => creator ?? owner),
    users: [
      ...new Set([
        ...ofType('claim').map(({ claimant }) => claimant.toLowerCase()),
        ...ofType('claimSignature').map(({ claimant }) => claimant.toLowerCase()),
        ...campaigns.flatMap(({ allowList }) => allowList?.addresses?.slice(0, 3) ?? []),
      ]),
    ],
    autocampaigns: present(campaigns.map(({ autocampaignId }) => autocampaignId)),
    channels: campaigns.flatMap(({ distributionChannels }) => distributionChannels ?? []),
    chains: campaigns.map(({ id }) => Number(id.split(':')[0])),
    targets,
    tokens: [
      ...campaigns.flatMap(({ id, incentives }) => incentives.map(({ asset }) => `${id.split(':')[0]}:${asset}`)),
      ...named(present(campaigns.map(({ actionToken }) => actionToken))),
      ...named(present(campaigns.map(({ nftCollection }) => nftCollection))).map((key) => `${key}:collection`),
      ...named(targets).map((key) => `${key}:collection`),
    ].filter((entry) => !entry.includes('undefined')),
    actionTypes: ofType('actionTemplate').map(({ actionType }) => actionType),
  }
}

const drawFrom = (random: Random) => ({
  one: (values: readonly string[], otherwise: string) =>
    values.length === 0 || random.chance(0.05) ? otherwise : random.pick(values),
  many: (values: readonly string[], otherwise: string) =>
    Array.from({ length: random.integer(1, 3) }, () =>
      values.length === 0 || random.chance(0.1) ? otherwise : random.inAnyCase(random.pick(values)),
    )
      .map((entry) => entry.replace('0X', '0x').replace('COLLECTION', 'collection'))
      .join(random.pick([',', ' , '])),
})

function trendingQuery(words: Vocabulary, random: Random): QueryText {
  const { chance, pick, addressInAnyCase } = random
  const { one, many } = drawFrom(random)
  const rarely = (make: () => QueryText): QueryText => (chance(0.12) ? make() : {})
  const target = words.targets.length > 0 ? pick(words.targets) : { chainId: 1, address: nobody }
  return {
    ...(chance(0.6) ? { tokenWhitelist: 'false' } : chance(0.5) ? { tokenWhitelist: pick(['true', '', 'null']) } : {}),
    ...(chance(0.7) ? { period: pick(['1h', '24h']) } : {}),
    ...(chance(0.7) ? { includeTokenMetadata: pick(['true', 'true', 'true', 'false', '', 'null']) } : {}),
    ...(chance(0.4) ? { user: addressInAnyCase(one(words.users, nobody)) } : {}),
    ...rarely(() => ({ budgetAccount: many(words.budgets, nobody) })),
    ...rarely(() => ({ owner: addressInAnyCase(one(words.owners, nobody)) })),
    ...rarely(() => ({ creator: addressInAnyCase(one(words.creators, nobody)) })),
    ...rarely(() => ({ autocampaignId: one(words.autocampaigns, 'none') })),
    ...rarely(() => ({ chainId: pick([...words.chains.map(String), '', 'null', '123456']) })),
    ...rarely(() => ({ chainId: String(target.chainId), targetContract: addressInAnyCase(target.address) })),
    ...rarely(() => ({ tokens: many(words.tokens, `1:${nobody}`) })),
    ...rarely(() => ({ distributionChannel: many(words.channels, 'none') })),
    ...rarely(() => ({ includeActionTypes: many(words.actionTypes, 'none') })),
    ...rarely(() => ({ excludeActionTypes: many(words.actionTypes, 'none') })),
  }
}

function contractsQuery(words: Vocabulary, random: Random): QueryText {
  const { chance, pick, addressInAnyCase } = random
  const { one, many } = drawFrom(random)
  const chains = words.targets.map(({ chainId }) => String(chainId))
  return {
    ...(chance(0.7) ? { timeRange: pick(['6h', '24h', '7d']) } : {}),
    ...(chance(0.7) ? { sortBy: pick(['most-completions', 'total-spend', 'recently-deployed']) } : {}),
    ...(chance(0.25) ? { chainIds: many(chains, '123456') } : {}),
    ...(chance(0.25) ? { creator: addressInAnyCase(one(words.creators, nobody)) } : {}),
    ...(chance(0.6) ? { pageSize: pick(['0', '1', '2', '3', '7', '100', '100', '', 'null']) } : {}),
    ...(chance(0.3) ? { page: pick(['0', '1', '2', '2', '3', '4', '', 'null', '9007199254740991']) } : {}),
  }
}

/** As JSON has it, which makes a shorter difference. */
const withoutUndefined = (body: unknown): unknown => JSON.parse(JSON.stringify(body))

const toUrl = (operation: Operation, query: QueryText) => `${operation}?${new URLSearchParams(query)}`

type Question = readonly [Operation, QueryText]

/** Compares answers with the second opinion, and remembers what kinds of things were in them. */
function createComparison(api: TestApp, name: string) {
  const seen = new Map<string, number>()
  const see = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)

  async function compareOne([operation, query]: Question, records: readonly ImportRecord[], now: Date) {
    const url = toUrl(operation, query)
    const response = await api.get(url)
    const about = `${name}, now ${now.toISOString()}, ${url}`
    expect(response.statusCode, `${about}: ${response.body.slice(0, 300)}`).toBe(200)
    see(operation)
    if (operation === '/explore/contracts') {
      const { body, totalCount } = expectedContracts(records, query, now)
      expect(response.json(), about).toEqual(body)
      expect(response.headers['x-total-count'], about).toBe(String(totalCount))
      if (body.length > 0) see(`${operation} with entries`)
      if (body.some(({ stats }) => stats.totalClaims > 0)) see(`${operation} with claims`)
      if (body.length < totalCount) see(`${operation} on several pages`)
      return
    }
    const body = expectedTrending(records, query, now)
    expect(response.json(), about).toEqual(withoutUndefined(body))
    const entries = body.trendingCampaigns
    if (entries.length > 0) see(`${operation} with entries`)
    if (entries.length === 100) see(`${operation} with 100 entries`)
    for (const entry of entries) {
      see(`status ${entry.status}`)
      if (entry.actionTokenMetadata !== undefined) see('action token')
      see(entry.actionTemplate === null ? 'no template' : 'template')
      for (const { type, metadata, rewardUsdValue } of entry.incentives) {
        see(type)
        see(metadata === null ? 'unknown token' : 'known token')
        if (rewardUsdValue !== undefined && rewardUsdValue > 0) see('price')
      }
    }
    const volumes = entries.map(({ usdDistributed24Hr }) => usdDistributed24Hr)
    if (query.period !== '1h' && new Set(volumes).size < volumes.length) see('equal volumes')
  }

  /** Asks all at once, as clients do. */
  async function compare(questions: readonly Question[], records: readonly ImportRecord[], now: Date) {
    api.setNow(now)
    await Promise.all(questions.map((question) => compareOne(question, records, now)))
  }
  return { compare, seen }
}

type Comparison = ReturnType<typeof createComparison>

/** Instants around the base, out of order, with fractions of seconds. */
const instantsAround = ({ integer, shuffled }: Random) =>
  shuffled([
    0,
    0.001,
    0.999,
    5,
    ...[60, HOUR, 6 * HOUR, DAY, 7 * DAY].flatMap((span) => [-span, span, span + integer(-300, 300)]),
    8 * DAY + 0.5,
  ]).map((offset) => new Date(Math.round((base + offset) * 1000)))

/** One second before, at and after the instant at which a claim enters or leaves a window. */
const instantsAbout = (seconds: number, { pick }: Random) =>
  [-1, 0, 1].map((offset) => new Date((seconds + offset) * 1000 + (offset < 0 ? pick([0, 999]) : pick([0, 1]))))

const windows: { question: Question; seconds: number }[] = [
  { question: ['/reward-kit/trending', { period: '1h', tokenWhitelist: 'false' }], seconds: HOUR },
  { question: ['/reward-kit/trending', { tokenWhitelist: 'false' }], seconds: DAY },
  { question: ['/explore/contracts', { timeRange: '6h', pageSize: '100' }], seconds: 6 * HOUR },
  { question: ['/explore/contracts', { timeRange: '24h', pageSize: '100' }], seconds: DAY },
  { question: ['/explore/contracts', { timeRange: '7d', pageSize: '100' }], seconds: 7 * DAY },
]

interface Effort {
  /** Random queries of each operation at an instant. */
  queries: number
  /** Claims whose ways in and out of the windows are looked at. */
  claims: number
}

async function compareAll(
  { compare }: Comparison,
  records: readonly ImportRecord[],
  { random, queries, claims }: { random: Random } & Effort,
) {
  const words = vocabularyOf(records)
  for (const now of instantsAround(random)) {
    const questions = Array.from({ length: queries }, (): Question[] => [
      ['/reward-kit/trending', trendingQuery(words, random)],
      ['/explore/contracts', contractsQuery(words, random)],
    ])
    await compare(questions.flat(), records, now)
  }
  const everything = ['most-completions', 'total-spend', 'recently-deployed'].map(
    (sortBy): Question => ['/explore/contracts', { sortBy, pageSize: '100' }],
  )
  await compare(everything, records, new Date(base * 1000))
  const times = records.flatMap((record) => (record.type === 'claim' ? [Number(record.blockTimestamp)] : []))
  for (let count = 0; count < claims; count++) {
    const time = random.pick(times)
    const edges = [0, ...new Set(windows.map(({ seconds }) => seconds))]
    for (const age of edges) {
      const questions = windows.filter(({ seconds }) => age === 0 || seconds === age).map(({ question }) => question)
      for (const now of instantsAbout(time + age, random)) await compare(questions, records, now)
    }
  }
}

/** Keeps no answers: the clock of these tests also goes back, which that of a service does not. */
const keepingNothing = { ANSWER_CACHE_MEGABYTES: '0' }
/** The data lies around this instant (Unix seconds). */
const base = Date.parse('2026-03-01T12:00:00Z') / 1000

/**
 * Sets the clock by which the database moves its kept totals on, and has it do so at once. An answer depends on neither;
 * it is what was kept, and what came and went since or until then.
 */
async function keepTotalsOf(database: TestDatabase, seconds: number) {
  await database.query('create schema if not exists test_clock')
  await database.query(
    `create or replace function test_clock.clock_timestamp() returns timestamptz language sql
    as 'select to_timestamp(${seconds})'`,
  )
  await database.query('alter function advance_claim_windows set search_path = test_clock, pg_catalog, public, pg_temp')
  expect(await database.query('select advance_claim_windows() as moved')).toEqual([{ moved: true }])
  expect(await database.query('select distinct as_of from claim_windows where window_seconds > 0')).toEqual([
    { as_of: String(seconds) },
  ])
}

/** Now and then the totals are those of the past or of the future, and sometimes of the very edge of a window. */
const someClock = ({ pick, integer }: Random) =>
  base + pick([0, 1, -1, HOUR, 6 * HOUR, DAY, DAY + 1, 7 * DAY, 30 * DAY, -HOUR, -3 * DAY, integer(-DAY, DAY)])

test.each([1, 2, 3, 4])('answers about hard random records are what the records say: seed %i', async (seed) => {
  const random = createRandom(seed)
  await using api = await startTestApp(keepingNothing)
  const comparison = createComparison(api, `seed ${seed}`)
  let records: ImportRecord[] = []
  for (let round = 0; round < 3; round++) {
    await keepTotalsOf(api.database, someClock(random))
    const batch = randomBatch(records, base, random)
    await api.save(...batch)
    records = [...records, ...batch]
    await compareAll(comparison, records, { random, queries: 2, claims: 1 })
    await keepTotalsOf(api.database, someClock(random))
    await compareAll(comparison, records, { random, queries: 1, claims: 1 })
  }
  const { seen } = comparison
  const share = (operation: Operation) =>
    (seen.get(`${operation} with entries`) ?? 0) / (seen.get(operation) ?? Number.NaN)
  expect(share('/reward-kit/trending')).toBeGreaterThan(0.3)
  expect(share('/explore/contracts')).toBeGreaterThan(0.5)
  expect([...seen.keys()]).toEqual(
    expect.arrayContaining([
      ...['AllowListIncentive', 'CGDAIncentive', 'ERC20Incentive', 'PointsIncentive', 'ERC20VariableIncentive'],
      ...['ERC20VariableCriteriaIncentive', 'ERC20VariableCriteriaIncentiveV2', 'ERC20PeggedIncentive'],
      ...['ERC20PeggedVariableCriteriaIncentive', 'ERC20PeggedVariableCriteriaIncentiveV2'],
      ...['status active', 'status claimable', 'status claimed', 'action token', 'template', 'no template'],
      ...['unknown token', 'known token', 'price', 'equal volumes'],
      ...['/explore/contracts with claims', '/explore/contracts on several pages'],
    ]),
  )
})

test.each([
  { seed: 11, campaigns: 40, claims: 600 },
  { seed: 12, campaigns: 600, claims: 3000 },
])(
  'answers about a sample are what its records say: seed $seed, $campaigns campaigns',
  async ({ seed, campaigns, claims }) => {
    const random = createRandom(seed)
    await using api = await startTestApp(keepingNothing)
    const comparison = createComparison(api, `seed ${seed}`)
    let records = [...generateSample({ campaigns, claims, seed, now: new Date(base * 1000) })]
    await api.save(...records)
    await keepTotalsOf(api.database, base)
    await compareAll(comparison, records, { random, queries: 2, claims: 2 })
    const later = new Date((base + 90) * 1000)
    const more = [...generateSample({ campaigns: 20, claims: 100, seed: seed + 100, now: later })]
    await api.save(...more)
    records = [...records, ...more]
    await keepTotalsOf(api.database, base + HOUR)
    await compareAll(comparison, records, { random, queries: 1, claims: 1 })
    const { seen } = comparison
    expect(seen.get('/reward-kit/trending with entries')).toBeGreaterThan(50)
    expect(seen.get('/explore/contracts with claims')).toBeGreaterThan(50)
    if (campaigns > 500) expect(seen.get('/reward-kit/trending with 100 entries')).toBeGreaterThan(3)
  },
)

test('answers that are kept are what the records say as the clock goes on and records come in', async () => {
  const seed = 21
  const random = createRandom(seed)
  await using api = await startTestApp()
  const { compare, seen } = createComparison(api, `seed ${seed}`)
  let records: ImportRecord[] = []
  const questions: Question[] = [...windows.map(({ question }) => question), ['/explore/contracts', {}]]
  for (const offset of [-DAY, -HOUR - 1, -HOUR, -0.5, 0, 0.4, 0.999, 1, HOUR - 1, HOUR, DAY]) {
    if (records.length === 0 || random.chance(0.3)) {
      const batch = randomBatch(records, base, random)
      await api.save(...batch)
      records = [...records, ...batch]
    }
    for (const milliseconds of [0, 0, 1, 50]) {
      const now = new Date(Math.round((base + offset) * 1000) + milliseconds)
      await compare(questions, records, now)
      if (random.chance(0.2)) await keepTotalsOf(api.database, base + Math.floor(offset))
    }
  }
  expect(seen.get('/reward-kit/trending with entries')).toBeGreaterThan(50)
})

test('two processes on one database both show a claim within 2 seconds of its import by a third', async () => {
  await using database = await createTestDatabase()
  await using one = await startTestApp({}, database)
  await using other = await startTestApp({}, database)
  const [asset, target] = [anAddress('paid asset'), anAddress('used contract')]
  const campaign = aCampaign({ incentives: [anErc20Incentive(asset)], actionSteps: [aStep(target)] })
  const claimOf = (amountUsd: string) =>
    aClaim(campaign, { amountUsd, blockTimestamp: String(Math.floor(Date.now() / 1000)) })
  const urls = ['/reward-kit/trending', '/reward-kit/trending?period=1h', '/explore/contracts?timeRange=6h']
  const views = async () => {
    const apps = [one, other]
    const answers = await Promise.all(
      apps.flatMap((api) => [...urls, '/explore/contracts'].map(async (url) => (await api.get(url)).json())),
    )
    return answers.map((answer) =>
      Array.isArray(answer) ? answer[0]?.stats.totalAmountClaimedUsd : answer.trendingCampaigns[0]?.usdDistributed1Hr,
    )
  }
  await one.save(aToken({ address: asset }), campaign)
  const none = [undefined, undefined, 0, 0]
  expect(await views()).toEqual([...none, ...none])
  let total = 0
  for (const amount of [1.25, 2, 0.5]) {
    await one.save(claimOf(String(amount)))
    total += amount
    const expected = Array(8).fill(total)
    await expect.poll(views, { timeout: 2000, interval: 20 }).toEqual(expected)
    // And it stays so in whatever the database does meanwhile.
    await database.query('select advance_claim_windows()')
    expect(await views()).toEqual(expected)
  }
})
