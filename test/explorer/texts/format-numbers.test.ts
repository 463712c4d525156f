import { describe, expect, test } from 'vitest'
import { groupDigits, roundCount, roundTokens, roundUsd } from '../../../packages/explorer/src/texts/format-numbers.ts'

const MAX = (2n ** 256n - 1n).toString()

describe('an amount of tokens', () => {
  test.each([
    ['25000000', 6, 'USDC', { short: '25 USDC', exact: '25 USDC' }],
    ['1234567891234', 6, 'USDC', { short: '1,234,567.8912 USDC', exact: '1,234,567.891234 USDC' }],
    ['1', 18, 'WETH', { short: '1E-18 WETH', exact: '0.000000000000000001 WETH' }],
    ['123456789012345678', 18, 'WETH', { short: '0.1235 WETH', exact: '0.123456789012345678 WETH' }],
    ['0', 18, undefined, { short: '0 tokens', exact: '0 tokens' }],
    [
      '9007199254740993',
      undefined,
      undefined,
      { short: '9.007E15 base units', exact: '9,007,199,254,740,993 base units' },
    ],
  ])('%s of %s decimals is rounded where it is long, and there in full', (baseUnits, decimals, symbol, rounded) => {
    expect(roundTokens(baseUnits, decimals, symbol)).toEqual(rounded)
  })

  test('is exact up to the largest there is', () => {
    const { exact } = roundTokens(MAX, 18, 'TOK')
    expect(exact.replace(/[,. TOK]/g, '')).toBe(MAX)
  })

  test('is short where there is little room', () => {
    expect(roundTokens('12345678900', 6, 'USDC', true).short).toBe('12.35K USDC')
    expect(roundTokens('1234500000', 6, 'USDC', true).short).toBe('1,234.5 USDC')
  })
})

describe('an amount of US dollars', () => {
  test.each([
    [5550.555, { short: '$5,550.56', exact: '$5,550.555' }],
    [0, { short: '$0.00', exact: '$0.00' }],
    [0.000001, { short: '$0.000001', exact: '$0.000001' }],
    [25.5, { short: '$25.50', exact: '$25.50' }],
    ['123456789012345678.12', { short: '$1.235E17', exact: '$123,456,789,012,345,678.12' }],
    [2e21, { short: '$2E21', exact: '$2,000,000,000,000,000,000,000.00' }],
  ])('%s is told in dollars and cents', (value, rounded) => {
    expect(roundUsd(value)).toEqual(rounded)
  })

  test('is short where there is little room', () => {
    expect(roundUsd('12345.67', true)).toEqual({ short: '$12.35K', exact: '$12,345.67' })
    expect(roundUsd('1234.567', true)).toEqual({ short: '$1,234.57', exact: '$1,234.567' })
  })
})

test('digits are grouped before the point alone', () => {
  expect(groupDigits('1234567.1234567')).toBe('1,234,567.1234567')
  expect(groupDigits('123')).toBe('123')
  expect(roundCount(1234567)).toEqual({ short: '1,234,567', exact: '1,234,567' })
})
