import { expect, test } from 'vitest'
import { openIngest } from '../../src/ingest/batches.ts'
import { aCampaign, anErc20Incentive, aToken, inUpperCase } from '../setup/records.ts'
import { type BorrowedTestApp, borrowTestApp } from '../setup/test-app.ts'

const NOW = new Date('2026-01-01T00:00:00.000Z')

async function symbols(api: BorrowedTestApp, query: string): Promise<string[]> {
  const response = await api.get(`/tokens?${query}`)
  expect(response.statusCode, response.body).toBe(200)
  const { tokens, totalTokens } = response.json()
  expect(totalTokens).toBe(tokens.length)
  return tokens.map(({ symbol }: { symbol: string }) => symbol)
}

test('tokens that most active campaigns pay come first, and filters combine', async () => {
  await using api = await borrowTestApp()
  api.setNow(NOW)
  const [one, two, none] = [
    aToken({ symbol: 'ONE', name: 'Crème', priceUsd: '1.250', whitelisted: false }),
    aToken({ symbol: 'TWO', name: 'Second coin' }),
    aToken({ symbol: 'NONE', name: 'Third coin', chainId: 10 }),
  ]
  const pay = (address: string, endTime: string | null = null) =>
    aCampaign({ endTime, incentives: [anErc20Incentive(address), anErc20Incentive(address)] })
  await api.save(one, two, none, pay(one.address), pay(two.address), pay(two.address, '2026-01-01T01:00:00Z'))
  expect(await symbols(api, '')).toEqual(['TWO', 'ONE', 'NONE'])
  const { tokens } = (await api.get(`/tokens?token=8453:${inUpperCase(one.address)}`)).json()
  expect(tokens).toEqual([
    {
      id: `8453:${one.address}`,
      chainId: 8453,
      address: one.address,
      name: 'Crème',
      symbol: 'ONE',
      decimals: 18,
      imageUri: 'https://images.example/test.png',
      whitelisted: false,
      priceUsd: '1.25',
      pricedAt: expect.stringMatching(/Z$/),
      activeCampaigns: 1,
    },
  ])
  expect(await symbols(api, 'search=coin')).toEqual(['TWO', 'NONE'])
  expect(await symbols(api, 'search=CREME%20on')).toEqual(['ONE'])
  expect(await symbols(api, 'search=coin&chainId=10,1')).toEqual(['NONE'])
  expect(await symbols(api, 'whitelisted=false')).toEqual(['ONE'])
  expect(await symbols(api, 'whitelisted=true&search=second')).toEqual(['TWO'])
  expect((await api.get('/tokens?pageSize=1&page=2')).json()).toMatchObject({
    tokens: [{ symbol: 'ONE' }],
    totalTokens: 3,
  })
  expect((await api.get('/tokens?pageSize=1&page=9')).json()).toEqual({ tokens: [], totalTokens: 3 })
  api.setNow(new Date('2026-01-01T01:00:00Z'))
  expect(await symbols(api, 'chainId=8453')).toEqual(
    ['ONE', 'TWO'].toSorted((a, b) => (addressOf(a) < addressOf(b) ? -1 : 1)),
  )
  function addressOf(symbol: string) {
    return symbol === 'ONE' ? one.address : two.address
  }
  for (const query of ['search=%20', 'token=x', 'whitelisted=1', 'tokens=x']) {
    expect((await api.get(`/tokens?${query}`)).statusCode, query).toBe(400)
  }
})

test('pricedAt is from when on the price of now holds, and null where it is fixed or unknown', async () => {
  await using api = await borrowTestApp()
  const unpriced = (symbol: string) => {
    const { priceUsd: _, ...token } = aToken({ symbol })
    return token
  }
  const [priced, fixed, unknown] = [unpriced('PRICED'), unpriced('FIXED'), unpriced('UNKNOWN')]
  const price = (at: string, priceUsd: string | null) => ({
    ...{ type: 'tokenPrice' as const, chainId: priced.chainId, address: priced.address },
    ...{ at, priceUsd },
  })
  const ingest = await openIngest(api.database.url)
  await ingest.apply({
    records: [priced, fixed, unknown, price('2025-01-01T00:00:00Z', '2'), price('2025-01-02T00:00:00.500Z', '3')],
    priceSources: {
      chainId: 10,
      sources: [{ token: { chainId: fixed.chainId, address: fixed.address }, fixedPriceUsd: '1.0' }],
    },
  })
  await ingest.close()
  const prices = async () =>
    (await api.get('/tokens'))
      .json()
      .tokens.map(({ symbol, priceUsd, pricedAt }: Record<string, string>) => [symbol, priceUsd, pricedAt])
  expect(await prices()).toEqual(
    expect.arrayContaining([
      ['PRICED', '3', '2025-01-02T00:00:00.500Z'],
      ['FIXED', '1', null],
      ['UNKNOWN', null, null],
    ]),
  )
  // Also where the price itself stays as it is.
  await api.save(price('2025-01-03T00:00:00Z', '3'))
  expect(await prices()).toContainEqual(['PRICED', '3', '2025-01-03T00:00:00.000Z'])
})
