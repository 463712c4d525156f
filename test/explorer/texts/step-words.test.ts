import { expect, test } from 'vitest'
import { plotPoints, plotTitle } from '../../../packages/explorer/src/campaigns/claims/plot-points.ts'
import { ordinal, toText } from '../../../packages/explorer/src/campaigns/prose.ts'
import { isSafeUrl } from '../../../packages/explorer/src/campaigns/safe-urls.ts'
import { readSignature } from '../../../packages/explorer/src/campaigns/steps/signatures.ts'
import { amountWords, claimantWords, wordsOf } from '../../../packages/explorer/src/campaigns/steps/step-text.ts'
import { ZERO_ADDRESS } from '../../../packages/explorer/src/texts/zero-address.ts'
import { anAddress, aStep } from '../../setup/records.ts'

const contract = anAddress('contract')
const step = aStep(contract)
const BEGINNING = `A transaction on chain 8453 that emits Transfer from ${contract}; its `
const withParameters = (parameters: Partial<typeof step.parameters>) => ({
  ...step,
  parameters: { ...step.parameters, ...parameters },
})

test.each([
  ['be', 0],
  ['not be', 1],
  ['be greater than', 2],
  ['be less than', 3],
  ['contain', 4],
  ['match the regular expression', 5],
  ['be at least', 6],
  ['be at most', 7],
  ['compare, in a way without a name here (8), with', 8],
])('a value must %s', (comparison, filterType) => {
  const words = wordsOf(withParameters({ filterType, fieldType: 0, fieldIndex: 2, filterData: '0x0f4240' }))
  expect(toText(words)).toBe(`${BEGINNING}3rd field (uint256) must ${comparison} 1000000.`)
})

test('contracts are called by the names that the campaign tells', () => {
  const names = new Map([
    [`8453:${contract}`, 'Router'],
    [`8453:${anAddress('token')}`, 'USDC'],
  ])
  const filterData = anAddress('token')
  const compared = withParameters({ fieldType: 1, filterData })
  expect(toText(wordsOf(compared, names))).toBe(
    `A transaction on chain 8453 that emits Transfer from Router at ${contract}; its 1st field (address) must be USDC at ${filterData}.`,
  )
  // Another contract on another chain.
  expect(toText(wordsOf({ ...compared, chainId: 10 }, names))).not.toMatch(/Router|USDC/)
})

test.each([
  ['unsigned integers are numbers', 0, '0x03', '3'],
  ['and exact', 0, `0x${'f'.repeat(64)}`, (2n ** 256n - 1n).toString()],
  ['numbers that are not hexadecimal stay', 0, '54194543592303757979', '54194543592303757979'],
  ['an address is one', 1, contract, contract],
  ['also where it fills a word', 1, `0x${'0'.repeat(24)}${contract.slice(2)}`, contract],
  ['what is none stays', 1, '0x1234', '0x1234'],
  ['bytes stay', 2, '0xdeadbeef', '0xdeadbeef'],
  ['a string is text', 3, '0x6869', '"hi"'],
  ['also as contracts are called with it', 3, `0x${word('20')}${word('2')}6869${'0'.repeat(60)}`, '"hi"'],
  ['what is no text stays', 3, '0xff00', '0xff00'],
  ['tuples stay', 4, '0x01', '0x01'],
  ['signed integers have a sign', 5, `0x${'f'.repeat(64)}`, '-1'],
  ['types without a name stay', 6, '0x01', '0x01'],
  ['nothing is said to be nothing', 2, '', '""'],
  ['half a byte stays', 0, '0x123', '0x123'],
  ['no digits stay', 0, '0x', '0x'],
])('%s', (_, fieldType, filterData, said) => {
  expect(toText(wordsOf(withParameters({ fieldType, filterData })))).toMatch(
    new RegExp(` must be ${escaped(said)}\\.$`),
  )
})

/** Hexadecimal digits as a word of 32 bytes. */
function word(digits: string) {
  return digits.padStart(64, '0')
}
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

test('a call is named by its function, a field by its name', () => {
  const call = {
    ...withParameters({ fieldIndex: 2, fieldType: 1, filterData: contract }),
    signatureType: 'function' as const,
    signatureName: 'mint(address mintTo,uint256 quantity,address collection)',
  }
  expect(toText(wordsOf(call))).toBe(
    `A transaction on chain 8453 that calls mint of ${contract}; its 3rd argument collection (address) must be ${contract}.`,
  )
})

test('what has no readable signature is named by its selector, a field beyond it by its type', () => {
  const nameless = { ...withParameters({ fieldIndex: 254, fieldType: 3, filterData: '0x' }), signatureName: '' }
  expect(toText(wordsOf(nameless))).toBe(
    `A transaction on chain 8453 that emits 0xddf252ad from ${contract}; its 255th field (string) must be "".`,
  )
  expect(toText(wordsOf(withParameters({ fieldType: 4, fieldIndex: -1, filterData: '0x01' })))).toBe(
    `${BEGINNING}field with index -1 (tuple) must be 0x01.`,
  )
})

/** Up to five indexes of 6 bits, the lowest first; 63 ends them. */
const packed = (...indexes: number[]) => indexes.reduceRight((bits, index) => bits * 64 + index, 0)

test.each([
  ['1st field (tuple)', packed(0, 63)],
  ['3rd value in its 1st field (tuple)', packed(0, 2, 63, 63, 63)],
  ['2nd value in the 3rd value in its 1st field (tuple)', packed(0, 2, 1, 63)],
  ['5th value in the 4th value in the 3rd value in the 2nd value in its 1st field (tuple)', packed(0, 1, 2, 3, 4)],
  // More than five indexes, or none.
  [`field with index ${2 ** 30} (tuple)`, 2 ** 30],
  ['field with index 63 (tuple)', 63],
])('the index of a tuple leads to the %s', (field, fieldIndex) => {
  expect(toText(wordsOf(withParameters({ fieldType: 4, fieldIndex, filterData: '0x01' })))).toBe(
    `A transaction on chain 8453 that emits Transfer from ${contract}; ${field.includes(' in ') ? 'the' : 'its'} ${field} must be 0x01.`,
  )
})

test('a step of the zero address is one on any contract', () => {
  expect(toText(wordsOf({ ...step, targetContract: ZERO_ADDRESS }))).toBe(
    'A transaction on chain 8453 that emits Transfer from any contract; its 1st field (address) must be 0x00.',
  )
  const claimant = { ...step, targetContract: ZERO_ADDRESS, fieldIndex: 1, targetContractName: '' }
  expect(toText(claimantWords(claimant))).toBe('The 2nd field of the event Transfer of any contract says who is paid.')
})

test('a step without a condition on a field has none', () => {
  const any = { fieldIndex: 255, filterType: 0, fieldType: 2, filterData: '0x' }
  expect(toText(wordsOf(withParameters(any)))).toBe(
    `A transaction on chain 8453 that emits Transfer from ${contract}, with any values.`,
  )
  // The number alone is an index.
  expect(toText(wordsOf(withParameters({ ...any, fieldType: 3 })))).toBe(`${BEGINNING}256th field (string) must be "".`)
})

test('the sender is paid where no field says who is', () => {
  const claimant = { ...step, fieldIndex: 255, targetContractName: '' }
  expect(toText(claimantWords(claimant))).toBe('The sender of the transaction is paid.')
})

test.each([
  ['Transfer(address,address,uint256)', { name: 'Transfer', fields: ['address', 'address', 'uint256'] }],
  ['event Swap(address indexed sender, int256 amount)', { name: 'Swap', fields: ['address sender', 'int256 amount'] }],
  ['act((uint256,address) order,bytes)', { name: 'act', fields: ['(uint256,address) order', 'bytes'] }],
  ['act((uint256 a, address b)[] orders)', { name: 'act', fields: ['(uint256 a, address b)[] orders'] }],
  ['f(address indexed)', { name: 'f', fields: ['address'] }],
  ['f()', { name: 'f', fields: [] }],
])('%s is read', (signature, { name, fields }) => {
  const read = readSignature(signature)
  expect(read?.name).toBe(name)
  expect(read?.fields.map((field) => [field.type, field.name].filter(Boolean).join(' '))).toEqual(fields)
})

test.each(['', 'no signature', '0xddf252ad', '(address)', '<b>(x)'])('%s is no signature', (text) => {
  expect(readSignature(text)).toBeUndefined()
})

test('where an amount is read from is named by the step that it belongs to', () => {
  const criteria = { criteriaType: 0 as const, signature: step.signature, fieldIndex: 2, targetContract: contract }
  expect(toText(amountWords(criteria, 8453, [step]))).toBe(
    `The amount of the action is the 3rd field of the event Transfer of ${contract}.`,
  )
  expect(toText(amountWords({ ...criteria, criteriaType: 1, valueType: 1 }, 8453, []))).toBe(
    `The amount of the action is the 3rd argument of the function 0xddf252ad of ${contract}, which has 18 decimals.`,
  )
})

test('the amount of an action may be the gas that it costs, or lie in a tuple', () => {
  const criteria = { criteriaType: 0 as const, signature: step.signature, targetContract: contract }
  const words = (fieldIndex: number, scale: { valueType?: 0 | 1 } = {}) =>
    toText(amountWords({ ...criteria, fieldIndex, ...scale }, 8453, [step]))
  const of = `of the event Transfer of ${contract}`
  expect(words(255, { valueType: 1 })).toBe('The amount of the action is what its transaction pays for gas.')
  expect(words(255)).toBe(`The amount of the action is the 256th field ${of}.`)
  // How earlier contracts pack two indexes: 32, and 4 bits for each.
  expect(words(31)).toBe(`The amount of the action is the 32nd field ${of}.`)
  expect(words(32 + (2 << 4) + 5)).toBe(`The amount of the action is the 6th value in the 3rd field ${of}.`)
  expect(words(253)).toBe(`The amount of the action is the 14th value in the 14th field ${of}.`)
  expect(words(254)).toBe(`The amount of the action is the 255th field ${of}.`)
  expect(words(packed(2, 5, 63), { valueType: 0 })).toBe(
    `The amount of the action is the 6th value in the 3rd field ${of}, taken as it is.`,
  )
})

test('who is paid is named', () => {
  const claimant = { ...step, fieldIndex: 1, targetContractName: 'Aave V3 Pool' }
  expect(toText(claimantWords(claimant))).toBe(
    `The 2nd field of the event Transfer of Aave V3 Pool at ${contract} says who is paid.`,
  )
})

test('places are counted in words', () => {
  expect([1, 2, 3, 4, 11, 12, 13, 21, 102].map(ordinal)).toEqual('1st 2nd 3rd 4th 11th 12th 13th 21st 102nd'.split(' '))
})

test.each([
  ['https://images.example/a.png', true],
  ['http://images.example/a.png', false],
  ['javascript:alert(1)', false],
  [' javascript:alert(1)', false],
  ['data:text/html,<b>', false],
  ['ipfs://abc', false],
  ['no URL', false],
  ['', false],
])('%s becomes a link: %s', (text, isLink) => {
  expect(isSafeUrl(text)).toBe(isLink)
})

const since = '2026-11-21T08:04:01.000Z'

test.each([
  ['1h', 60, ['8:04 AM', '8:05 AM', '8:06 AM']],
  ['24h', 1800, ['Sat 8:04 AM', 'Sat 8:34 AM', 'Sat 9:04 AM']],
  ['7d', 14_400, ['Nov 21, 8:04 AM', 'Nov 21, 12:04 PM', 'Nov 21, 4:04 PM']],
  ['30d', 86_400, ['Nov 21, 8:04 AM', 'Nov 22, 8:04 AM', 'Nov 23, 8:04 AM']],
] as const)('the intervals of %s are told apart by when they begin', (timeRange, intervalSeconds, whens) => {
  const points = plotPoints({ timeRange, since, intervalSeconds }, [1, 0, 2], 'UTC')
  expect(points.map(({ when }) => when.replace(/\u202f/g, ' '))).toEqual(whens)
  expect(points.map(({ value }) => value)).toEqual([1, 0, 2])
})

test('a plot is titled with its claims and those of the time before', () => {
  expect(plotTitle('24 hours', 1234, 1)).toBe('1,234 claims in the last 24 hours, 1 in the 24 hours before')
  expect(plotTitle('1 hour', 0, 0)).toBe('No claims in the last hour, none in the hour before')
})
