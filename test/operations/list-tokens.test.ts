import { expect, test } from 'vitest'
import { mapSomeFacets } from '../setup/data/campaign-maps.ts'
import { aCampaign, anErc20Incentive, aToken, inUpperCase } from '../setup/records.ts'
import { startTestApp, type TestApp } from '../setup/test-app.ts'

const NOW = new Date('2026-01-01T00:00:00.000Z')

async function symbols(api: TestApp, query: string): Promise<string[]> {
  const response = await api.get(`/tokens?${query}`)
  expect(response.statusCode, response.body).toBe(200)
  const { tokens, totalTokens } = response.json()
  expect(totalTokens).toBe(tokens.length)
  return tokens.map(({ symbol }: { symbol: string }) => symbol)
}

test('tokens that most active campaigns pay come first, and filters combine', async () => {
  await using api = await startTestApp()
  api.setNow(NOW)
  const [one, two, none] = [
    aToken({ symbol: 'ONE', name: 'Crème', priceUsd: '1.250', whitelisted: false }),
    aToken({ symbol: 'TWO', name: 'Second coin' }),
    aToken({ symbol: 'NONE', name: 'Third coin', chainId: 10 }),
  ]
  const pay = (address: string, endTime: string | null = null) =>
    aCampaign({ endTime, incentives: [anErc20Incentive(address), anErc20Incentive(address)] })
  await api.save(one, two, none, pay(one.address), pay(two.address), pay(two.address, '2026-01-01T01:00:00Z'))
  for (const isMapped of [false, true]) {
    if (isMapped) await mapSomeFacets(api.database, 1)
    expect(await symbols(api, '')).toEqual(['TWO', 'ONE', 'NONE'])
  }
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
      pricedAt: null,
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
