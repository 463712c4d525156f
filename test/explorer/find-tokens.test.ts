import { createClient } from 'reward-campaigns-client'
import { expect, test } from 'vitest'
import { findTokens } from '../../packages/explorer/src/campaigns/filters/find-tokens.ts'

/** A service with many campaigns, of which one, on a page, pays the token. */
function serviceWith(token: { symbol: string; page: number }) {
  const asked: string[] = []
  const client = createClient({
    baseUrl: 'http://localhost',
    retries: 0,
    fetch: async (request) => {
      const { search, searchParams } = new URL(request.url)
      asked.push(search)
      const metadata = { id: `8453:${token.symbol}`, chainId: 8453, symbol: token.symbol }
      const isHere = searchParams.get('page') === String(token.page)
      return Response.json({
        campaigns: isHere ? [{ chainId: 8453, incentives: [{ type: 'ERC20Incentive', metadata }] }] : [],
        totalCampaigns: 1_000_000,
      })
    },
  })
  const find = (symbol: string, chainId = '') => findTokens(client, symbol, chainId, new AbortController().signal)
  return { asked, find }
}

test('a token is looked for up to the first page that has it, and not again', async () => {
  const { asked, find } = serviceWith({ symbol: 'ONE', page: 2 })
  expect(await find('one')).toMatchObject([{ id: '8453:ONE' }])
  expect(asked).toHaveLength(2)
  expect(await find('$One')).toMatchObject([{ id: '8453:ONE' }])
  expect(asked).toHaveLength(2)
})

test('among the newest 500 campaigns, of the chain that is chosen', async () => {
  const { asked, find } = serviceWith({ symbol: 'TWO', page: 6 })
  expect(await find('TWO', '8453')).toEqual([])
  expect(asked).toEqual([1, 2, 3, 4, 5].map((page) => expect.stringContaining(`page=${page}`)))
  for (const search of asked) expect(new URLSearchParams(search).get('chainId')).toBe('8453')
})
