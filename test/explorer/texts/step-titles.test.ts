import { expect, test } from 'vitest'
import { toText } from '../../../packages/explorer/src/campaigns/prose.ts'
import { type Doing, inWords } from '../../../packages/explorer/src/campaigns/steps/imperatives.ts'
import type { ActionStep } from '../../../packages/explorer/src/campaigns/steps/step-text.ts'
import { titleOf } from '../../../packages/explorer/src/campaigns/steps/step-title.ts'
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
const id = `8453:${contract}`
const step = { ...aStep(contract), signatureName: 'Supply(address,uint256)' }
const title = (changes: object, names = new Map<string, string>(), tokens = new Map(), campaign: Doing = {}) =>
  toText(titleOf({ ...step, ...changes } as ActionStep, names, tokens, campaign))
const titled = (signatureName: string, campaign: Doing = {}) =>
  title({ signatureName: `${signatureName}(address)` }, new Map([[id, 'Pool']]), new Map(), campaign).replace(
    ', chain 8453',
    '',
  )

test('a step is what has to be done, on which contract, on which chain', () => {
  expect(title({}, new Map([[id, 'Aave V3 Pool']]))).toBe('Supply on Aave V3 Pool, chain 8453')
  expect(title({})).toBe(`Supply on ${contract}, chain 8453`)
  expect(title({ targetContract: `0x${'0'.repeat(40)}` })).toBe('Supply on any contract, chain 8453')
})

test.each([
  ['SwappedV3', 'Swap on Pool'],
  ['mint', 'Mint on Pool'],
  ['Purchased', 'Purchase on Pool'],
  ['VoteCast', 'Vote on Pool'],
  ['DelegateChanged', 'Delegate on Pool'],
  ['V3FundsDeposited', 'Deposit funds on Pool'],
  ['ETHBridgeInitiated', 'Bridge ETH on Pool'],
  ['Transfer', 'Transfer on Pool'],
])('the event %s is told as what people do: %s', (name, words) => {
  expect(titled(name)).toBe(words)
})

test.each([
  ['SwapFeeChanged', 'Swap fee changed'],
  ['UserRegistered', 'User registered'],
  ['Liquidated', 'Liquidated'],
  ['FeeCollected', 'Fee collected'],
  ['Cast', 'Cast'],
  ['constructor', 'Constructor'],
])('of the event %s, nobody is told to do more than is sure', (name, words) => {
  expect(titled(name)).toBe(`Use Pool, for “${words}”`)
})

test('a function is named as what has to be done', () => {
  expect(title({ signatureName: 'swapExactTokens(uint256)', signatureType: 'function' })).toBe(
    `Swap exact tokens on ${contract}, chain 8453`,
  )
})

test('the type of the template comes first, where it speaks of the step', () => {
  expect(titled('FeeCollected', { actionType: 'swap' })).toBe('Swap on Pool')
  expect(titled('Transfer', { actionType: 'collect' })).toBe('Collect on Pool')
  // The name says more of the same.
  expect(titled('ETHBridgeInitiated', { actionType: 'bridge' })).toBe('Bridge ETH on Pool')
  for (const actionType of ['constructor', 'do <b>this</b>', '']) {
    expect(titled('FeeCollected', { actionType })).toBe('Use Pool, for “Fee collected”')
  }
  const other = { ...step, signature: '0x12345678' } as ActionStep
  expect(titled('FeeCollected', { actionType: 'swap', actionSteps: [other, step as ActionStep] })).toBe(
    'Use Pool, for “Fee collected”',
  )
  expect(titled('Transfer', { actionType: 'swap', actionSteps: [step, step] as ActionStep[] })).toBe('Swap on Pool')
})

test('a token is got by those who are paid for that, and minted where it comes from nobody', () => {
  const claimant = (fieldIndex: number, signature = step.signature) => ({
    actionClaimant: {
      ...{ chainId: 8453, signature, signatureName: 'Transfer(address)', signatureType: 'event' as const },
      ...{ fieldIndex, targetContract: contract, targetContractName: 'Pool' },
    },
  })
  expect(titled('Transfer', claimant(0))).toBe('Transfer on Pool')
  expect(titled('Transfer', claimant(1))).toBe('Get on Pool')
  expect(titled('Transfer', claimant(1, '0x12345678'))).toBe('Transfer on Pool')
  const parameters = { ...step.parameters, filterData: `0x${'0'.repeat(40)}` }
  const ether = new Map([[`8453:0x${'0'.repeat(40)}`, { decimals: 18, symbol: 'ETH', name: 'Ether' }]])
  expect(title({ signatureName: 'Transfer(address)', parameters }, new Map(), ether)).toBe(
    `Mint on ${contract}, chain 8453`,
  )
})

test('a step with a token names it', () => {
  const usdc = { decimals: 6, symbol: 'USDC', name: 'USD Coin' }
  const titleWithToken = (signatureName: string) =>
    title({ signatureName }, new Map([[id, 'USDC']]), new Map([[id, usdc]]))
  expect(titleWithToken('Transfer(address)')).toBe('Transfer USDC, chain 8453')
  expect(titleWithToken('VoteCast(address)')).toBe('Vote on USDC, chain 8453')
})

test('a token that a value has to be is named', () => {
  const token = anAddress('token')
  const degen = new Map([[`8453:${token}`, { decimals: 18, symbol: 'DEGEN', name: 'Degen' }]])
  const compared = (filterType: number, signatureName = 'SwappedV3(address)') => ({
    signatureName,
    parameters: { ...step.parameters, filterType, fieldType: 1, filterData: token },
  })
  const where = `on ${contract}, chain 8453`
  expect(title(compared(0), new Map(), degen)).toBe(`Swap DEGEN ${where}`)
  expect(title(compared(1), new Map(), degen)).toBe(`Swap ${where}`)
  expect(title(compared(0))).toBe(`Swap ${where}`)
  expect(title(compared(0, 'VoteCast(address)'), new Map(), degen)).toBe(`Vote ${where}, with DEGEN`)
  expect(title(compared(0, 'FundsDeposited(address)'), new Map(), degen)).toBe(`Deposit funds ${where}, with DEGEN`)
  expect(title(compared(0, 'FeeTaken(address)'), new Map(), degen)).toBe(
    `Use ${contract}, chain 8453, with DEGEN, for “Fee taken”`,
  )
})

test('a step without a readable signature is known by its selector', () => {
  const signature = `0xddf2${'5'.repeat(56)}b3ef`
  expect(title({ signature, signatureName: '' })).toBe(`Use ${contract}, chain 8453, for the event 0xddf2…b3ef`)
  expect(title({ signatureName: '', signatureType: 'function' })).toBe(`Call 0xddf252ad on ${contract}, chain 8453`)
})
