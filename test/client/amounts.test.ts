import fc from 'fast-check'
import { toBaseUnits, toTokens } from 'reward-campaigns-client'
import { expect, test } from 'vitest'

test('base units are whole tokens, exact and without trailing zeros', () => {
  expect(toTokens('1500000', 6)).toBe('1.5')
  expect(toTokens(1n, 18)).toBe('0.000000000000000001')
  expect(toTokens('0', 18)).toBe('0')
  expect(toTokens('1000000', 6)).toBe('1')
  expect(toTokens('7', 0)).toBe('7')
  expect(toTokens(-2500n, 3)).toBe('-2.5')
  expect(toTokens(2n ** 256n - 1n, 18)).toBe(
    '115792089237316195423570985008687907853269984665640564039457.584007913129639935',
  )
})

test('whole tokens are base units, and nothing is rounded', () => {
  expect(toBaseUnits('1.5', 6)).toBe(1_500_000n)
  expect(toBaseUnits('0.000000000000000001', 18)).toBe(1n)
  expect(toBaseUnits('007', 0)).toBe(7n)
  expect(toBaseUnits('1.50', 1)).toBe(15n)
  expect(toBaseUnits('-2.5', 3)).toBe(-2500n)
  expect(() => toBaseUnits('0.0000001', 6)).toThrow(
    new RangeError('0.0000001 has more than the 6 decimals of the token'),
  )
})

test('what is no decimal number is refused', () => {
  for (const text of ['', ' 1', '1 ', '1e3', '0x10', '.5', '1.2.3', '1,5', '+1', '-', 'NaN', '١']) {
    expect(() => toBaseUnits(text, 6), text).toThrow(new RangeError(`not an amount of tokens: ${JSON.stringify(text)}`))
  }
})

test('what are no base units is refused', () => {
  for (const text of ['', ' ', '1.5', '0x10', '1e3', '-']) {
    expect(() => toTokens(text, 6), text).toThrow(new RangeError(`not base units: ${JSON.stringify(text)}`))
  }
})

test('there and back again is the same amount', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }),
      fc.integer({ min: 0, max: 255 }),
      (amount, decimals) => {
        expect(toBaseUnits(toTokens(amount, decimals), decimals)).toBe(amount)
      },
    ),
  )
})
