import { afterEach, expect, test } from 'vitest'
import { type Ingest, openIngest } from '../../src/ingest/batches.ts'
import type { CampaignRecord } from '../../src/ingest/campaign-records.ts'
import type { ClaimRecord, TokenPriceRecord } from '../../src/ingest/records.ts'
import type { Batch } from '../../src/ingest/staging/staged-batches.ts'
import { expectDataInOrder } from '../setup/data/derived-columns.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'
import { repeated } from '../setup/repetitions.ts'

const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource[Symbol.asyncDispose]()
})

async function openTestIngest(): Promise<{ database: TestDatabase; ingest: Ingest }> {
  const database = await createTestDatabase()
  opened.push(database)
  const ingest = await openIngest(database.url)
  opened.push({ [Symbol.asyncDispose]: () => ingest.close() })
  return { database, ingest }
}

const CHAIN = 8453
const [asset, other] = [anAddress('asset'), anAddress('other')]
const token = { chainId: CHAIN, address: asset }
/** An instant some hours ago, in whole seconds. */
const start = Math.floor(Date.now() / 1000) - 50_000
const at = (seconds: number) => new Date(seconds * 1000).toISOString()
const price = (offset: number, priceUsd: string | null, address = asset): TokenPriceRecord => ({
  ...{ type: 'tokenPrice', chainId: CHAIN, address },
  ...{ at: at(start + offset), priceUsd },
})
const paying = (...assets: string[]) => aCampaign({ incentives: assets.map((each) => anErc20Incentive(each)) })
/** A claim of 2.5 tokens. */
const claimAt = (campaign: CampaignRecord, offset: number, parts: Partial<ClaimRecord> = {}) =>
  aClaim(campaign, { amount: '2500000000000000000', blockTimestamp: String(start + offset), ...parts })

async function expectValues(database: TestDatabase, expected: Record<string, string | null>) {
  const rows = await database.query(
    `select block_timestamp - ${start} as at, trim_scale(amount_usd) as usd from claims`,
  )
  expect(Object.fromEntries(rows.map(({ at: offset, usd }) => [String(offset), usd]))).toEqual(expected)
  // Totals, windows, hours and all else that follows from the values.
  await expectDataInOrder(database)
}

const records = (...all: Batch['records']): Batch => ({ records: all })

test('a claim is worth the newest price at or before its block, and is worth more or less as prices come and go', async () => {
  const { database, ingest } = await openTestIngest()
  const campaign = paying(asset)
  const claims = [-1, 0, 5, 10, 15].map((offset) => claimAt(campaign, offset))
  const recorded = claimAt(campaign, 20, { amountUsd: '0' })
  await ingest.apply(records(aToken({ address: asset }), campaign, ...claims, recorded))
  const [none, reported] = [{ '-1': null, '0': null, '5': null, '10': null, '15': null }, { '20': '0' }]
  await expectValues(database, { ...none, ...reported })
  await ingest.apply(records(price(0, '2'), price(10, '4')))
  await expectValues(database, { ...reported, '-1': null, '0': '5', '5': '5', '10': '10', '15': '10' })
  await ingest.apply(records(price(5, '3')))
  await expectValues(database, { ...reported, '-1': null, '0': '5', '5': '7.5', '10': '10', '15': '10' })
  await ingest.apply(records(price(10, null)))
  await expectValues(database, { ...reported, '-1': null, '0': '5', '5': '7.5', '10': '7.5', '15': '7.5' })
  await ingest.apply(records(price(0, '0.000000000000000000000000000001'), price(5, '0')))
  await expectValues(database, {
    ...{ ...reported, '-1': null, '0': '0.0000000000000000000000000000025' },
    ...{ '5': '0', '10': '0', '15': '0' },
  })
  await ingest.apply(records(price(0, null), price(5, null)))
  await expectValues(database, { ...none, ...reported })
})

test('prices that are stored as they are take no revision', async () => {
  const { database, ingest } = await openTestIngest()
  const prices = [price(0, '2'), price(10, '4.50')]
  const campaign = paying(asset)
  const claim = claimAt(campaign, 3)
  await ingest.apply(records(aToken({ address: asset }), campaign, claim, ...prices))
  const revision = () => database.query('select max(revision) from data_versions')
  const before = await revision()
  await ingest.apply(records(claim, ...prices, price(10, '4.5'), price(99, null)))
  expect(await revision()).toEqual(before)
})

test('a token record with another price than the newest is a price as of now, once; one without says nothing of it', async () => {
  const { database, ingest } = await openTestIngest()
  const stored = async () =>
    (await database.query('select price_usd from imported_prices order by at')).map(({ price_usd }) => price_usd)
  const now = async () => (await database.query('select price_usd, base_unit_price_usd from tokens'))[0]
  await ingest.apply(records(aToken({ address: asset, priceUsd: '7', decimals: 6 }), price(0, '5')))
  expect(await stored()).toEqual(['5', '7'])
  expect(await now()).toEqual({ price_usd: '7', base_unit_price_usd: '0.000007' })
  await ingest.apply(records(aToken({ address: asset, priceUsd: '7.0', decimals: 6 }), price(0, '5')))
  await ingest.apply(records(aToken({ address: asset, priceUsd: null, decimals: 18 })))
  expect(await stored()).toEqual(['5', '7'])
  expect(await now()).toEqual({ price_usd: '7', base_unit_price_usd: '0.000000000000000007' })
  await ingest.apply(records(aToken({ address: asset, priceUsd: '8' })))
  expect(await stored()).toEqual(['5', '7', '8'])
  const [row] = await database.query('select now() - max(at) < interval \'1 minute\' as "isNow" from imported_prices')
  expect(row).toEqual({ isNow: true })
})

test('a price of the future is a fault, and nothing is stored', async () => {
  const { database, ingest } = await openTestIngest()
  const future = { ...price(0, '1'), at: new Date(Date.now() + 3_600_000).toISOString() }
  await expect(ingest.apply(records(price(0, '2'), future))).rejects.toThrow('batch:2: /at: is in the future')
  expect(await database.query('select * from imported_prices')).toEqual([])
})

test('claims get values once decimals become known, and others when decimals or the reward token change', async () => {
  const { database, ingest } = await openTestIngest()
  const campaign = paying(asset)
  await ingest.apply(records(price(0, '2'), campaign, claimAt(campaign, 1), claimAt(campaign, 2, { amount: '0' })))
  await expectValues(database, { '1': null, '2': '0' })
  await ingest.apply(records(aToken({ address: asset })))
  await expectValues(database, { '1': '5', '2': '0' })
  await ingest.apply(records(aToken({ address: asset, decimals: 17 })))
  await expectValues(database, { '1': '50', '2': '0' })
  await ingest.apply(records(aToken({ address: other }), price(0, '3', other), price(2, '4', other)))
  await ingest.apply(records({ ...campaign, incentives: [anErc20Incentive(other)] }))
  await expectValues(database, { '1': '7.5', '2': '0' })
  const points = { type: 'PointsIncentive' as const, venue: other, selector: '0x40c10f19', reward: '1', limit: '10' }
  await ingest.apply(records({ ...campaign, incentives: [points] }))
  await expectValues(database, { '1': null, '2': null })
})

test('a feed counts from its first price on, its later log at one instant, until its block is withdrawn', async () => {
  const { database, ingest } = await openTestIngest()
  const campaign = paying(asset)
  const claims = [0, 10, 20, 30].map((offset) => claimAt(campaign, offset))
  const feed = { token, feed: anAddress('feed') }
  await ingest.apply({
    records: [aToken({ address: asset, priceUsd: '1000' }), price(0, '1'), price(15, '100'), campaign, ...claims],
    priceSources: { chainId: 10, sources: [feed] },
  })
  await expectValues(database, { '0': '2.5', '10': '2.5', '20': '250', '30': '250' })
  const reported = (offset: number, blockNumber: number, logIndex: number, priceUsd: string) => ({
    ...{ token, blockNumber, logIndex, priceUsd },
    at: start + offset,
  })
  await ingest.apply({
    records: [],
    feedPrices: [reported(10, 7, 3, '2'), reported(10, 7, 4, '3'), reported(25, 9, 0, '4'), reported(25, 8, 5, '5')],
  })
  await expectValues(database, { '0': '2.5', '10': '7.5', '20': '7.5', '30': '10' })
  expect(await database.query('select price_usd from tokens')).toEqual([{ price_usd: '4' }])
  // What was withdrawn and is there again is as it was.
  await ingest.apply({
    records: [],
    withdrawnFeedPrices: { chainId: 10, above: 7 },
    feedPrices: [reported(25, 8, 5, '5')],
  })
  await expectValues(database, { '0': '2.5', '10': '7.5', '20': '7.5', '30': '12.5' })
  await ingest.apply({ records: [], withdrawnFeedPrices: { chainId: CHAIN, above: 0 } })
  await expectValues(database, { '0': '2.5', '10': '7.5', '20': '7.5', '30': '12.5' })
  await ingest.apply({ records: [], withdrawnFeedPrices: { chainId: 10, above: 6 } })
  await expectValues(database, { '0': '2.5', '10': '2.5', '20': '250', '30': '250' })
  await ingest.apply({ records: [], feedPrices: [reported(10, 7, 3, '2')] })
  await ingest.apply({ records: [], priceSources: { chainId: 10, sources: [{ token, fixedPriceUsd: '6' }] } })
  await expectValues(database, { '0': '15', '10': '15', '20': '15', '30': '15' })
  await ingest.apply({ records: [], priceSources: { chainId: 10, sources: [] } })
  await expectValues(database, { '0': '2.5', '10': '2.5', '20': '250', '30': '250' })
  expect(await database.query('select * from feed_prices')).toEqual([])
  expect(await database.query('select price_usd from tokens')).toEqual([{ price_usd: '1000' }])
})

test('a price of many claims revalues all of them in one transaction, in several steps', {
  timeout: 120_000,
}, async () => {
  const { database, ingest } = await openTestIngest()
  const campaigns = [paying(asset), paying(other, asset)]
  // A step takes some ten thousand.
  const count = repeated(8000, 12_000)
  const claims = campaigns.flatMap((campaign, incentiveIndex) =>
    Array.from({ length: count }, (_, index) => claimAt(campaign, index % 40_000, { incentiveIndex, amount: '1' })),
  )
  await ingest.apply(records(aToken({ address: asset, decimals: 0 }), ...campaigns, ...claims))
  await ingest.apply({ records: [], priceSources: { chainId: 10, sources: [{ token, fixedPriceUsd: '2' }] } })
  expect(
    await database.query(
      `select sum(amount_usd)::integer as usd, count(distinct xmin::text)::integer as transactions from claims`,
    ),
  ).toEqual([{ usd: 4 * count, transactions: 1 }])
  await expectDataInOrder(database)
})
