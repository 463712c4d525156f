import { expect, test } from 'vitest'
import { actionsInWords, searchedAction } from '../../packages/explorer/src/campaigns/filters/searched-action.ts'

test.each([
  ['swap', 'swap', ''],
  ['Bridge USDC', 'bridge', 'USDC'],
  ['usdc staked', 'stake', 'usdc'],
])('%s names an action', (text, actionType, search) => {
  expect(searchedAction(text)).toEqual({ actionType, search })
})

test('what names no action does not', () => {
  for (const text of ['', 'base', 'swapper']) expect(searchedAction(text), text).toBeUndefined()
})

test('actions are counted', () => {
  expect([actionsInWords(1, 'swap'), actionsInWords(1042, 'swap'), actionsInWords(3, 'supply')]).toEqual([
    '1 swap',
    '1,042 swaps',
    '3 supplies',
  ])
  expect(actionsInWords(2, 'buy')).toBe('2 buys')
})
