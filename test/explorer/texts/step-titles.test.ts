import { expect, test } from 'vitest'
import { toText } from '../../../packages/explorer/src/campaigns/prose.ts'
import type { ActionStep } from '../../../packages/explorer/src/campaigns/steps/step-text.ts'
import { inWords, titleOf } from '../../../packages/explorer/src/campaigns/steps/step-title.ts'
import { anAddress, aStep } from '../../setup/records.ts'

test.each([
  ['Supply', 'Supply'],
  ['mint', 'Mint'],
  ['VoteCast', 'Vote cast'],
  ['SwappedV3', 'Swapped V3'],
  ['V3FundsDeposited', 'V3 funds deposited'],
  ['ETHBridgeInitiated', 'ETH bridge initiated'],
  ['ERC20Transfer', 'ERC20 transfer'],
  ['claim_all', 'Claim all'],
  ['$', '$'],
])('%s is read as %s', (identifier, words) => {
  expect(inWords(identifier)).toBe(words)
})

const contract = anAddress('contract')
const step = { ...aStep(contract), signatureName: 'Supply(address,uint256)' }
const title = (changes: Partial<ActionStep>, names = new Map<string, string>(), tokens = new Map()) =>
  toText(titleOf({ ...step, ...changes }, names, tokens))

test('a step is what happens, on which contract, on which chain', () => {
  expect(title({}, new Map([[`8453:${contract}`, 'Aave V3 Pool']]))).toBe('Supply on Aave V3 Pool, chain 8453')
  expect(title({})).toBe(`Supply on ${contract}, chain 8453`)
  expect(title({ targetContract: `0x${'0'.repeat(40)}` })).toBe('Supply on any contract, chain 8453')
})

test('a step with a token names it', () => {
  const id = `8453:${contract}`
  const usdc = { decimals: 6, symbol: 'USDC', name: 'USD Coin' }
  expect(title({ signatureName: 'Transfer(address)' }, new Map([[id, 'USDC']]), new Map([[id, usdc]]))).toBe(
    'Transfer of USDC, chain 8453',
  )
})

test('a token that a value has to be is named', () => {
  const token = anAddress('token')
  const degen = new Map([[`8453:${token}`, { decimals: 18, symbol: 'DEGEN', name: 'Degen' }]])
  const compared = (filterType: number) => ({
    signatureName: 'SwappedV3(address)',
    parameters: { ...step.parameters, filterType, fieldType: 1, filterData: token },
  })
  const ends = `Swapped V3 on ${contract}, chain 8453`
  expect(title(compared(0) as Partial<ActionStep>, new Map(), degen)).toBe(`${ends}, with DEGEN`)
  expect(title(compared(1) as Partial<ActionStep>, new Map(), degen)).toBe(ends)
  expect(title(compared(0) as Partial<ActionStep>)).toBe(ends)
})

test('a step without a readable signature is known by its selector', () => {
  const signature = `0xddf2${'5'.repeat(56)}b3ef`
  expect(title({ signature, signatureName: '' })).toBe(`Event 0xddf2…b3ef on ${contract}, chain 8453`)
  expect(title({ signatureName: '', signatureType: 'function' })).toBe(`Call 0xddf252ad on ${contract}, chain 8453`)
})
