/*
 * Amounts are decimal text of base units in every answer, up to 2^256 and beyond: `BigInt(text)` computes with them.
 */

/**
 * An amount in whole tokens, exact and without trailing zeros: `toTokens('1500000', 6)` is `'1.5'`.
 *
 * @param baseUnits as answers have it, or a bigint.
 * @param decimals of the token, 0 to 255.
 * @throws {RangeError} for text that is no integer; `BigInt` takes an empty one for 0.
 */
export function toTokens(baseUnits: string | bigint, decimals: number): string {
  if (!/^-?[0-9]+$/.test(String(baseUnits))) throw new RangeError(`not base units: ${JSON.stringify(baseUnits)}`)
  const amount = BigInt(baseUnits)
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point).replace(/0+$/, '')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, point)}${fraction && `.${fraction}`}`
}

/**
 * The base units of an amount in whole tokens, as a person types it: `toBaseUnits('1.5', 6)` is `1500000n`.
 *
 * @throws {RangeError} for what is no decimal number, and for one that is finer than the token: nothing is rounded.
 */
export function toBaseUnits(tokens: string, decimals: number): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)([0-9]+)(?:\.([0-9]*?)0*)?$/.exec(tokens) ?? []
  if (whole === '') throw new RangeError(`not an amount of tokens: ${JSON.stringify(tokens)}`)
  if (fraction.length > decimals) throw new RangeError(`${tokens} has more than the ${decimals} decimals of the token`)
  return BigInt(`${sign}${whole}${fraction.padEnd(decimals, '0')}`)
}
