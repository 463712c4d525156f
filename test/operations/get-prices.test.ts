import { expect, test } from 'vitest'
import { openIngest } from '../../src/ingest/batches.ts'
import { aCampaign, aClaim, anAddress, anErc20Incentive, aToken } from '../setup/records.ts'
import { type BorrowedTestApp, borrowTestApp } from '../setup/test-app.ts'

const address = anAddress('priced token')
const token = `8453:${address}`
const price = (at: string, priceUsd: string | null) => ({
  ...{ type: 'tokenPrice' as const, chainId: 8453, address },
  ...{ at, priceUsd },
})
const get = async (api: BorrowedTestApp, query: string) => {
  const response = await api.get(`/prices?${query}`)
  return { status: response.statusCode, body: response.json() }
}

test('the price at an instant is the newest at or before it, with all its digits', async () => {
  await using api = await borrowTestApp()
  const tiny = `0.${'0'.repeat(59)}1`
  await api.save(price('2026-01-01T00:00:00Z', '3127.5500'), price('2026-01-02T00:00:00.001Z', tiny))
  const known = { token, source: 'import' }
  expect(await get(api, `token=${token.toUpperCase().replace('0X', '0x')}&at=2026-01-02T00:00:00Z`)).toEqual({
    status: 200,
    body: { ...known, at: '2026-01-02T00:00:00.000Z', priceUsd: '3127.55', pricedAt: '2026-01-01T00:00:00.000Z' },
  })
  expect((await get(api, `token=${token}&at=2026-01-02T00:00:00.001Z`)).body).toEqual({
    ...known,
    ...{ at: '2026-01-02T00:00:00.001Z', priceUsd: tiny, pricedAt: '2026-01-02T00:00:00.001Z' },
  })
  expect((await get(api, `token=${token}&at=2025-12-31T23:59:59.999Z`)).body).toMatchObject({
    ...{ priceUsd: null, pricedAt: null, source: null },
  })
  expect((await get(api, `token=${token}`)).body).toMatchObject({ priceUsd: tiny, source: 'import' })
  // And what comes later is in the next response.
  await api.save(price('2026-01-03T00:00:00Z', '5'))
  expect((await get(api, `token=${token}`)).body).toMatchObject({ priceUsd: '5' })
  await api.save(price('2026-01-03T00:00:00Z', null))
  expect((await get(api, `token=${token}`)).body).toMatchObject({ priceUsd: tiny })
})

test('a price counts in the next response, within its second too', async () => {
  await using api = await borrowTestApp()
  for (const priceUsd of ['1', '2', '3', '4']) {
    const pricedAt = new Date().toISOString()
    await api.save(price(pricedAt, priceUsd))
    const { body } = await get(api, `token=${token}`)
    expect(body).toMatchObject({ priceUsd, pricedAt })
    expect(body.at >= pricedAt).toBe(true)
  }
})

test('a series has the price in force at each interval, and leaves out what is before the first price', async () => {
  await using api = await borrowTestApp()
  await api.save(price('2026-01-01T01:30:00Z', '1'), price('2026-01-01T03:00:00Z', '2'))
  const { body } = await get(api, `token=${token}&since=2026-01-01T00:00:00Z&until=2026-01-01T04:00:00Z&interval=1h`)
  expect(body).toMatchObject({
    priceUsd: '2',
    series: [
      { at: '2026-01-01T02:00:00.000Z', priceUsd: '1' },
      { at: '2026-01-01T03:00:00.000Z', priceUsd: '2' },
    ],
  })
  const nothing = await get(api, `token=${token}&since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z&interval=1d`)
  expect(nothing.body.series).toEqual([])
})

test('a feed and a fixed price say so, and a token without record, price and feed is 404', async () => {
  await using api = await borrowTestApp()
  const ingest = await openIngest(api.database.url)
  const [fed, fixed, known] = ['fed', 'fixed', 'known'].map(anAddress) as [string, string, string]
  const of = (of: string) => ({ chainId: 8453, address: of })
  await ingest.apply({
    records: [aToken({ address: known })],
    priceSources: {
      chainId: 10,
      sources: [
        { token: of(fed), feed: anAddress('feed') },
        { token: of(fixed), fixedPriceUsd: '1.0' },
      ],
    },
    feedPrices: [{ token: of(fed), blockNumber: 5, logIndex: 0, at: 1_767_225_600, priceUsd: '2.5' }],
  })
  await ingest.close()
  expect((await get(api, `token=8453:${fed}`)).body).toMatchObject({
    ...{ priceUsd: '2.5', pricedAt: '2026-01-01T00:00:00.000Z', source: 'feed' },
  })
  expect((await get(api, `token=8453:${fixed}&at=2020-01-01T00:00:00Z`)).body).toMatchObject({
    ...{ priceUsd: '1', pricedAt: null, source: 'fixed' },
  })
  expect((await get(api, `token=8453:${known}`)).body).toMatchObject({ priceUsd: null, pricedAt: null, source: null })
  expect(await get(api, `token=10:${known}`)).toEqual({
    status: 404,
    body: { error: `nothing is known of token 10:${known}` },
  })
})

test('the status counts the claims of the last day that pay a token and have no value, of followed chains', async () => {
  await using api = await borrowTestApp()
  const asset = anAddress('asset')
  const points = { type: 'PointsIncentive' as const, venue: asset, selector: '0x40c10f19', reward: '1', limit: '10' }
  const campaign = aCampaign({ incentives: [anErc20Incentive(asset), points] })
  const now = Math.floor(Date.now() / 1000)
  const claims = [60, 3600, 86_390, 86_500].map((age) => aClaim(campaign, { blockTimestamp: String(now - age) }))
  const others = [
    aClaim(campaign, { blockTimestamp: String(now), incentiveIndex: 1 }),
    aClaim(campaign, { blockTimestamp: String(now), amountUsd: '1' }),
    aClaim(campaign, { blockTimestamp: String(now), amount: '0' }),
  ]
  await api.save(campaign, ...claims, ...others)
  await api.database.query(
    `insert into followed_chains (chain_id, cores, start_block, back_filled_to) values (8453, '{}', 0, 0), (10, '{}', 0, 0)`,
  )
  const counts = async () =>
    (await api.get('/status')).json().chains.map(({ unvaluedClaims24h }: Record<string, unknown>) => unvaluedClaims24h)
  expect(await counts()).toEqual([0, 3])
  await api.save(aToken({ address: asset }), {
    ...{ type: 'tokenPrice', chainId: 8453, address: asset },
    ...{ at: new Date((now - 4000) * 1000).toISOString(), priceUsd: '2' },
  })
  expect(await counts()).toEqual([0, 1])
})
