import { createClient } from 'reward-campaigns-client'
import { expect, test } from 'vitest'
import { findTokens } from '../../packages/explorer/src/campaigns/filters/find-tokens.ts'

/** What is found among tokens with these symbols, and how the service was asked. */
async function find(symbol: string, symbols: string[], chainId = '') {
  const asked: Record<string, string>[] = []
  const client = createClient({
    baseUrl: 'http://localhost',
    retries: 0,
    fetch: async (request) => {
      asked.push(Object.fromEntries(new URL(request.url).searchParams))
      return Response.json({ tokens: symbols.map((symbol) => ({ symbol })), totalTokens: symbols.length })
    },
  })
  const { tokens, isExact } = await findTokens(client, symbol, chainId, new AbortController().signal)
  return { asked, isExact, found: tokens.map((token) => token.symbol) }
}

test.each([
  ['usdc', ['USDC', 'USDC.e', 'usdc'], ['USDC', 'usdc'], true],
  ['$degen', ['$DEGEN', 'DEGENT'], ['$DEGEN'], true],
  ['usd', ['USDC', 'USDT'], ['USDC', 'USDT'], false],
  ['nothing', [], [], false],
])('%s among %o: those with the symbol, else those that it begins', async (symbol, symbols, found, isExact) => {
  expect(await find(symbol, symbols)).toMatchObject({ found, isExact })
})

test.each([
  ['$(USDC)', '10', [{ search: 'usdc', pageSize: '100', chainId: '10' }]],
  ['W'.repeat(300), '', [{ search: 'w'.repeat(128), pageSize: '100' }]],
  ["!'", '', []],
])('%s on chain "%s" is asked as the service takes it', async (symbol, chainId, asked) => {
  expect((await find(symbol, [], chainId)).asked).toEqual(asked)
})
