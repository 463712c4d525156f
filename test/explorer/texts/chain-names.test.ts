import { expect, test } from 'vitest'
import { blockExplorerUrl, chainName } from '../../../packages/explorer/src/texts/chain-names.ts'

test('a well-known chain has a name and a block explorer', () => {
  expect(chainName(8453)).toBe('Base')
  expect(blockExplorerUrl(8453, 'tx', '0xab')).toBe('https://basescan.org/tx/0xab')
})

test('a chain that nobody knows has its ID, and leads nowhere', () => {
  expect(chainName(424242)).toBe('chain 424242')
  expect(blockExplorerUrl(424242, 'address', '0xab')).toBeUndefined()
})
