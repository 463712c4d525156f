import { Big } from 'big.js'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openPool } from '../../src/database/connection/pool.ts'
import { importRecords } from '../../src/import/importer.ts'
import { toRecordSource } from '../../src/import/sources.ts'
import { differingTrendingCampaigns } from '../../src/read-models/claim-windows/check.ts'
import { recomputeTotals, refreshAllTrending, slideWindows } from '../../src/read-models/claim-windows/maintain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aCampaign, aHash, anAddress, anErc20Incentive, aStep } from '../setup/records.ts'
import { repeated } from '../setup/repetitions.ts'

/*
 * The functions that keep totals of claims up to the present, against plain sums over all claims.
 */

const WINDOWS = [0, 3600, 21_600, 86_400, 604_800]
const [HOUR, DAY] = [3600, 86_400]
/** The lock that an import holds. */
const IMPORT_LOCK = 7_201_001

interface Claim {
  campaign: number
  time: number
  amountUsd: string | null
}

/** Two share a contract, one has two contracts, one has none. */
const steps = [[aStep(anAddress('x'))], [aStep(anAddress('x')), aStep(anAddress('x'), 10)], [], [aStep(anAddress('y'))]]
const campaigns = steps.map((actionSteps, index) =>
  aCampaign({
    actionSteps,
    incentives: [anErc20Incentive(anAddress('asset'))],
    blockTimestamp: String(index),
  }),
)

let database: TestDatabase
let client: pg.Client
/** Keys of the campaigns. */
let keys: string[]

beforeAll(async () => {
  database = await createTestDatabase()
  await importRecords(database.url, [toRecordSource('campaigns', campaigns)])
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const stored = await rows('select id, key from campaigns')
  keys = campaigns.map(({ id }) => String(stored.find((row) => row.id === id)?.key))
})
afterAll(async () => {
  await client.end()
  await database[Symbol.asyncDispose]()
})
beforeEach(() => store([]))

const rows = async (text: string, values: unknown[] = []) =>
  (await client.query<Record<string, unknown>>(text, values)).rows

/** All totals from the claims, at once. */
const recompute = () => client.query([...recomputeTotals, refreshAllTrending].join(';\n'))

/** Replaces all claims, past the import. */
async function store(claims: Claim[]) {
  await rows('truncate claims')
  await rows(
    `insert into claims
      (chain_id, tx_hash, log_index, campaign_key, incentive_position, claimant, amount, amount_usd, block_timestamp)
    select 8453, decode($1, 'hex'), claim.number, campaign_key, 0, $2, 1, amount_usd, block_timestamp
    from unnest($3::bigint[], $4::numeric[], $5::bigint[])
      with ordinality as claim (campaign_key, amount_usd, block_timestamp, number)`,
    [
      ...[aHash('deed').slice(2), anAddress('claimant'), claims.map(({ campaign }) => keys[campaign])],
      ...[claims.map(({ amountUsd }) => amountUsd), claims.map(({ time }) => time)],
    ],
  )
}

/** Totals by plain sums, as they are when the windows end at an instant, in the columns of the two tables. */
const plainTotals = {
  campaign_claim_totals: `
    select window_seconds, campaign_key, count(*) as claim_count, coalesce(sum(amount_usd), 0) as amount_usd
    from claims
    join unnest(array[${WINDOWS}]) as window_seconds on window_seconds = 0
      or block_timestamp > $1::bigint - window_seconds and block_timestamp <= $1::bigint
    group by window_seconds, campaign_key`,
  contract_claim_totals: `
    select window_seconds, target.chain_id, value as address,
      count(distinct campaigns.key) as campaign_count,
      max(campaigns.block_timestamp) as newest_block_timestamp, count(claims.campaign_key) as claim_count,
      coalesce(sum(amount_usd), 0) as amount_usd
    from campaign_facets target
    join campaigns on campaigns.key = target.campaign_key
    cross join unnest(array[${WINDOWS}]) as window_seconds
    left join claims on claims.campaign_key = campaigns.key and (window_seconds = 0
      or claims.block_timestamp > $1::bigint - window_seconds and claims.block_timestamp <= $1::bigint)
    where kind = 'target'
    group by window_seconds, target.chain_id, value`,
}
const tables = Object.keys(plainTotals) as (keyof typeof plainTotals)[]

/** Makes the kept totals those of an instant. */
async function keepUpTo(instant: number) {
  await rows('update claim_windows set as_of = $1', [instant])
  for (const table of tables) {
    const columns =
      table === 'campaign_claim_totals'
        ? 'window_seconds, campaign_key'
        : 'window_seconds, chain_id, address, campaign_count, newest_block_timestamp'
    await rows(`truncate ${table}`)
    await rows(`insert into ${table} (${columns}, claim_count, amount_usd) select * from (${plainTotals[table]})`, [
      instant,
    ])
  }
  await rows('select refresh_trending_campaigns(array(select key from campaigns))')
}

/** Rows as they compare: in an order, and without regard to zeros at the end of a number. */
const comparable = async (source: string, values: unknown[] = []) =>
  (await rows(`select totals.*, trim_scale(totals.amount_usd) as amount_usd from ${source} totals`, values))
    .map((row) =>
      Object.entries(row)
        .map((column) => column.join(' '))
        .toSorted()
        .join(', '),
    )
    .toSorted()

/** All that is kept. */
const kept = async () => ({
  windows: await rows('select window_seconds, as_of::float8 from claim_windows order by 1'),
  totals: await Promise.all(tables.map((table) => comparable(table))),
})

/** The kept totals are those of the present, in all windows alike; the instant they reach up to. */
async function expectToBePresent() {
  const { windows, totals } = await kept()
  const asOf = Number(windows[0]?.as_of)
  expect(windows).toEqual(WINDOWS.map((window_seconds) => ({ window_seconds, as_of: asOf })))
  expect(Math.abs(Date.now() / 1000 - asOf)).toBeLessThan(60)
  expect(totals).toEqual(await Promise.all(tables.map((table) => comparable(`(${plainTotals[table]})`, [asOf]))))
  expect(await rows(differingTrendingCampaigns(null))).toEqual([])
  return asOf
}

async function advance(leastChanges?: number) {
  const argument = leastChanges === undefined ? '' : String(leastChanges)
  return (await rows(`select advance_claim_windows(${argument}) as advanced`))[0]?.advanced
}

const now = () => Math.floor(Date.now() / 1000)

const campaign = fc.nat({ max: campaigns.length - 1 })
const amountUsd = fc.oneof(
  fc.constantFrom(null, '0', '0.10', '0.1', '1', `0.${'0'.repeat(59)}1`, `${'9'.repeat(60)}.5`),
  fc.nat({ max: 10_000 }).map((cents) => (cents / 100).toFixed(2)),
)

test('the changes of a window between any two instants are the difference of two plain sums', async () => {
  const time = fc.nat({ max: 40 })
  const claim = fc.record<Claim>({ campaign, time, amountUsd })
  const instant = fc.integer({ min: -5, max: 90 })
  const query = fc.tuple(fc.nat({ max: 50 }), instant, instant)

  function difference(claims: Claim[], width: number, earlier: number, later: number) {
    const inWindow = (end: number, { time }: Claim) => time > end - width && time <= end
    return campaigns.flatMap((_, index) => {
      let [count, amount] = [0, new Big(0)]
      for (const own of claims.filter((each) => each.campaign === index)) {
        const direction = Number(inWindow(later, own)) - Number(inWindow(earlier, own))
        count += direction
        amount = amount.plus(new Big(own.amountUsd ?? 0).times(direction))
      }
      return count === 0 && amount.eq(0) ? [] : [{ key: keys[index], count, amount: amount.toFixed() }]
    })
  }

  await fc.assert(
    fc.asyncProperty(
      fc.array(claim, { maxLength: 40 }),
      fc.array(query, { minLength: 1, maxLength: 8 }),
      async (claims, queries) => {
        await store(claims)
        for (const [width, one, other] of queries) {
          for (const [earlier, later] of [
            [one, other],
            [other, one],
          ] as const) {
            const changes = await rows(
              `select campaign_key as key, claim_count::integer as count, trim_scale(amount_usd) as amount
              from claim_window_shifts($1, $2, $3) where claim_count <> 0 or amount_usd <> 0`,
              [width, earlier, later],
            )
            const expected = difference(claims, width, earlier, later)
            const inOrder = changes.toSorted((a, b) => keys.indexOf(String(a.key)) - keys.indexOf(String(b.key)))
            expect({ width, earlier, later, changes: inOrder }).toEqual({ width, earlier, later, changes: expected })
          }
        }
      },
    ),
    { numRuns: repeated(25, 60) },
  )
})

test('the changes of a window between an instant and itself are none', async () => {
  await store([3, 4, 5].map((time) => ({ campaign: 0, time, amountUsd: '1' })))
  for (const width of [0, 1, 3]) {
    expect(await rows('select * from claim_window_shifts($1, 4, 4)', [width])).toEqual([])
  }
})

test('totals moved on from any instant, and totals made anew, are plain sums up to the present', async () => {
  const age = fc.oneof(
    fc.constantFrom(...WINDOWS).chain((seconds) => fc.integer({ min: seconds - 3, max: seconds + 3 })),
    fc.integer({ min: -2 * DAY, max: 16 * DAY }),
  )
  const claim = fc.record({ campaign, age, amountUsd })
  await fc.assert(
    fc.asyncProperty(fc.array(claim, { maxLength: 40 }), age, fc.boolean(), async (made, keptAge, isSecondsOff) => {
      const present = now()
      await store(made.map(({ age: seconds, ...parts }) => ({ ...parts, time: present - seconds })))
      await keepUpTo(isSecondsOff ? present - (keptAge % 5) : present - keptAge)
      expect(await advance()).toBe(true)
      const advanced = await kept()
      const asOf = await expectToBePresent()
      await recompute()
      // Where no second has passed in between, row for row the same.
      if ((await expectToBePresent()) === asOf) expect(await kept()).toEqual(advanced)
    }),
    { numRuns: repeated(25, 60) },
  )
})

test('totals are made anew from the facts, whatever was kept before', async () => {
  const claims = [-DAY, 60, 2 * HOUR, 2 * DAY, 9 * DAY].map((age) => ({
    campaign: 1,
    time: now() - age,
    amountUsd: '2',
  }))
  await store(claims)
  await rows('truncate campaign_claim_totals, contract_claim_totals')
  await rows('insert into campaign_claim_totals values (3600, $1, 99, 99), (0, $2, 1, 1)', [keys[0], keys[3]])
  await recompute()
  await expectToBePresent()
  const counts = await rows('select window_seconds, claim_count::integer from campaign_claim_totals order by 1')
  expect(counts.map(({ claim_count }) => claim_count)).toEqual([5, 1, 2, 2, 3])
})

test('totals that are made anew reach up to one instant in all windows, also where a second passes meanwhile', async () => {
  await rows(
    `create function pause() returns trigger language plpgsql as 'begin perform pg_sleep(0.6); return new; end'`,
  )
  await rows('create trigger pause before update on claim_windows for each row execute function pause()')
  try {
    await recompute()
    await expectToBePresent()
  } finally {
    await rows('drop function pause cascade')
  }
})

test('totals are moved on only when as many claims enter or leave as are asked for, else nothing is written', async () => {
  const present = now()
  const keptUpTo = present - 600
  await store([
    // Entered since, in all windows.
    ...[100, 200].map((age) => ({ campaign: 0, time: present - age, amountUsd: '1' })),
    // Left the window of an hour, and that of a week.
    ...[HOUR + 300, 7 * DAY + 300].map((age) => ({ campaign: 3, time: present - age, amountUsd: '1' })),
    // Neither entered nor left any.
    ...[900, 2 * HOUR, 2 * DAY, 8 * DAY, -DAY].map((age) => ({ campaign: 1, time: present - age, amountUsd: '1' })),
  ])
  await keepUpTo(keptUpTo)
  const before = await kept()
  for (const leastChanges of [5, 6, 500, 2_147_483_647]) {
    expect(await advance(leastChanges)).toBe(false)
    expect(await kept()).toEqual(before)
  }
  expect(await advance(4)).toBe(true)
  await expectToBePresent()
  expect(await advance(1)).toBe(false)
  expect(await advance(0)).toBe(true)
})

test('totals are moved on by the number of claims, however few campaigns they are of', async () => {
  const present = now()
  await store(Array.from({ length: 500 }, () => ({ campaign: 0, time: present - 60, amountUsd: '0.000001' })))
  await keepUpTo(present - 120)
  expect(await advance(501)).toBe(false)
  expect(await advance(500)).toBe(true)
  await expectToBePresent()
})

test('totals are not moved on while an import is at work, and nobody waits for it', async () => {
  await store([{ campaign: 0, time: now() - 60, amountUsd: '1' }])
  await keepUpTo(now() - HOUR)
  const before = await kept()
  const other = new pg.Client({ connectionString: database.url })
  await other.connect()
  try {
    await other.query('begin')
    await other.query('select pg_advisory_xact_lock($1)', [IMPORT_LOCK])
    expect(await advance()).toBeNull()
    expect(await advance(1)).toBeNull()
    expect(await kept()).toEqual(before)
    await other.query('rollback')
    expect(await advance(1)).toBe(true)
    await expectToBePresent()
    // The lock is given back at once.
    const [lock] = (await other.query('select pg_try_advisory_lock($1) as free', [IMPORT_LOCK])).rows
    expect(lock).toEqual({ free: true })
  } finally {
    await other.end()
  }
})

test('a step that finds an import at work is worth another try, one that finds nothing to do is not', async () => {
  const opened = openPool({
    ...{ url: database.url, poolSize: 1, connectionTimeoutMs: 10_000, statementTimeoutMs: 10_000 },
    onIdleError: () => undefined,
  })
  try {
    await store(Array.from({ length: 600 }, () => ({ campaign: 0, time: now() - 5, amountUsd: '1' })))
    await keepUpTo(now() - 120)
    const before = await kept()
    await rows('begin')
    await rows('select pg_advisory_xact_lock($1)', [IMPORT_LOCK])
    expect(await slideWindows(opened.database)).toBe(true)
    await rows('rollback')
    expect(await kept()).toEqual(before)
    while (await slideWindows(opened.database));
    expect(await kept()).not.toEqual(before)
    await expectToBePresent()
  } finally {
    await opened.close()
  }
})

test('a step ends where so many claims have entered or left a window, and steps end at the present', async () => {
  const claims = Array.from({ length: 60 }, (_, index) => ({
    campaign: index % campaigns.length,
    time: now() - (index % 2 === 0 ? HOUR : DAY) + Math.floor(index / 2),
    amountUsd: '1.5',
  }))
  await store(claims)
  await keepUpTo(now() - 30 * DAY)
  let steps = 0
  while ((await rows('select advance_claim_windows(1, 5) as advanced'))[0]?.advanced === true) steps += 1
  expect(steps).toBeGreaterThan(8)
  expect(steps).toBeLessThan(60)
  await advance()
  await expectToBePresent()
})

test('totals are moved on for a role that may only read and was allowed to ask for it, and for no other', async () => {
  await store([{ campaign: 0, time: now() - 60, amountUsd: '1' }])
  await keepUpTo(now() - HOUR)
  const before = await kept()
  // The role is never there for others: the transaction that makes it is rolled back.
  await rows('begin')
  try {
    await rows('create role only_reads')
    await rows('grant select on all tables in schema public to only_reads')
    await rows('set local role only_reads')
    await rows('savepoint attempt')
    await expect(rows('update claim_windows set as_of = 0')).rejects.toThrow(/permission denied/)
    await rows('rollback to savepoint attempt')
    await expect(advance(1)).rejects.toThrow(/permission denied for function advance_claim_windows/)
    await rows('rollback to savepoint attempt')
    await rows('reset role')
    await rows('grant execute on function advance_claim_windows(integer, integer) to only_reads')
    await rows('set local role only_reads')
    expect(await advance(1)).toBe(true)
    await expectToBePresent()
  } finally {
    await rows('rollback')
  }
  expect(await kept()).toEqual(before)
})
