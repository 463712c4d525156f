import { expect, test } from 'vitest'
import { actionsInWords, filtersIn } from '../../packages/explorer/src/campaigns/filters/searched-filters.ts'

test.each([
  ['swap', undefined, 'swap', ''],
  ['Bridge USDC', undefined, 'bridge', 'USDC'],
  ['usdc staked', undefined, 'stake', 'usdc'],
  ['swap base', 8453, 'swap', ''],
  ['Base', 8453, undefined, ''],
  ['lend on arbitrum one', 42161, 'lend', ''],
  ['arbitrum lend', 42161, 'lend', ''],
  ['Swap on Base', 8453, 'swap', ''],
  ['swaps on base', 8453, 'swap', ''],
  ['swap, base!', 8453, 'swap', ''],
  ['supplies of USDC.e on the Base', 8453, 'supply', 'USDC.e'],
  [' weth  on base ', 8453, undefined, 'weth'],
])('%s names a chain or an action', (text, chainId, actionType, search) => {
  expect(filtersIn(text)).toEqual({ chainId, actionType, search })
})

test('what names neither does not', () => {
  for (const text of ['', ' ', 'on', 'swapper', 'basement', 'usdc']) expect(filtersIn(text), text).toBeUndefined()
})

test('actions are counted', () => {
  expect([actionsInWords(1, 'swap'), actionsInWords(1042, 'swap'), actionsInWords(3, 'supply')]).toEqual([
    '1 swap',
    '1,042 swaps',
    '3 supplies',
  ])
  expect(actionsInWords(2, 'buy')).toBe('2 buys')
})
