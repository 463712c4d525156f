import { toTokens } from 'reward-campaigns-client'

/** A figure in two ways: as it is shown where it has to fit, and all of it. */
export interface Rounded {
  short: string
  exact: string
}

/** What a figure may be without being compact: longer ones take the place of others. */
const LONGEST = 8

/** Below it, there are more zeros than anybody counts. */
const TINY = 0.000001

/** `Intl` rounds decimal strings as they are; a type that says so for any string is missing. */
const format = (how: Intl.NumberFormat, value: string) => how.format(value as `${number}`)

/** Beyond the digits of trillions there are no words that all know. */
const LONGEST_WITH_WORDS = 15

const scientifically = new Intl.NumberFormat('en', { notation: 'scientific', maximumSignificantDigits: 4 })
const compactly = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 })
const plainly = new Intl.NumberFormat('en', { maximumFractionDigits: 4 })
const finely = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 })
const inCents = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** Groups the digits of an exact decimal: `1234567.891` is `1,234,567.891`. */
export function groupDigits(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.')
  return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (fraction === undefined ? '' : `.${fraction}`)
}

/** Whole tokens of base units, to four decimals or digits; without decimals it says that these are base units. */
export function roundTokens(
  baseUnits: string | bigint,
  decimals: number | undefined,
  symbol?: string,
  compact = false,
): Rounded {
  const unit = symbol ?? (decimals === undefined ? 'base units' : 'tokens')
  const whole = toTokens(baseUnits, decimals ?? 0)
  return { short: `${shorten(whole, compact)} ${unit}`, exact: `${groupDigits(whole)} ${unit}` }
}

/** An exact decimal, to four decimals or digits. */
export function roundDecimal(decimal: string, compact = false): Rounded {
  return { short: shorten(decimal, compact), exact: groupDigits(decimal) }
}

/** Dollars and cents; below a cent as many decimals as it takes. */
export function roundUsd(value: string | number, compact = false): Rounded {
  const decimal = toDecimal(value)
  const isSmall = Number(decimal) !== 0 && Math.abs(Number(decimal)) < 0.01
  const short = isSmall || isLong(decimal, compact) ? shorten(decimal, compact) : format(inCents, decimal)
  const [whole = '', fraction = ''] = decimal.split('.')
  return { short: withSign(short), exact: withSign(`${groupDigits(whole)}.${fraction.padEnd(2, '0')}`) }
}

/** A whole number. */
export function roundCount(value: string | number, compact = false): Rounded {
  return roundDecimal(toDecimal(value), compact)
}

function shorten(decimal: string, compact: boolean): string {
  const isTiny = /[1-9]/.test(decimal) && Math.abs(Number(decimal)) < TINY
  if (isTiny) return format(scientifically, decimal)
  if (!isLong(decimal, compact)) return format(/^-?0\./.test(decimal) ? finely : plainly, decimal)
  return format(wholeDigits(decimal) > LONGEST_WITH_WORDS ? scientifically : compactly, decimal)
}

const isLong = (decimal: string, compact: boolean) => wholeDigits(decimal) > (compact ? 4 : LONGEST)

const wholeDigits = (decimal: string) => (decimal.split('.')[0] ?? '').length

const withSign = (dollars: string) => (dollars.startsWith('-') ? `-$${dollars.slice(1)}` : `$${dollars}`)

/** Without the exponent that JavaScript writes for very large and very small numbers. */
const toDecimal = (value: string | number) =>
  typeof value === 'string' || Number.isSafeInteger(value)
    ? String(value)
    : value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 6 })
