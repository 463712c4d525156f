import { expect, test } from 'vitest'
import { searchedOnChain } from '../../packages/explorer/src/campaigns/filters/searched-on-chain.ts'

test.each([
  ['swap base', 8453, 'swap'],
  ['Base', 8453, ''],
  ['lend on arbitrum one', 42161, 'lend on'],
  ['arbitrum lend', 42161, 'lend'],
])('%s is searched on a chain', (text, chainId, search) => {
  expect(searchedOnChain(text)).toEqual({ chainId, search })
})

test('what names no chain is not', () => {
  for (const text of ['swap', '', 'basement']) expect(searchedOnChain(text), text).toBeUndefined()
})
