import { nativeTokenFacts, type TokenFact, tokenFacts } from './token-facts.ts'

/** Decimals of a token that is unknown. */
const USUAL_DECIMALS = 18

interface Price {
  readonly digits: bigint
  readonly scale: number
  /** Base units by their worth in cents, filled in as they are asked for: a few rewards are usual for each token. */
  readonly unitsByCents: Map<number, bigint>
}
const prices = new Map<TokenFact, Price>(
  [...tokenFacts, ...nativeTokenFacts].flatMap((token) => {
    if (token.priceUsd === undefined) return []
    const [whole = '', fraction = ''] = token.priceUsd.split('.')
    return [[token, { digits: BigInt(whole + fraction), scale: fraction.length, unitsByCents: new Map() }] as const]
  }),
)
const priceOf = (token: TokenFact | undefined) => (token === undefined ? undefined : prices.get(token))

/** The exact worth of an amount as a decimal string; null where there is no price. */
export function dollarsOf(amount: bigint, token: TokenFact | undefined): string | null {
  const price = priceOf(token)
  if (token === undefined || price === undefined) return null
  return exactDecimal(amount * price.digits, token.decimals + price.scale)
}

/** Base units worth so many US cents, or so many whole tokens where there is no price; two significant digits. */
export function worth(cents: number, tokens: number, token: TokenFact | undefined): bigint {
  const price = priceOf(token)
  if (price === undefined) return BigInt(tokens) * oneOf(token)
  const known = price.unitsByCents.get(cents)
  if (known !== undefined) return known
  const units = roundToTwoDigits((BigInt(cents) * oneOf(token) * 10n ** BigInt(price.scale)) / (100n * price.digits))
  price.unitsByCents.set(cents, units)
  return units
}

/** Base units of one whole token. */
const oneOf = (token: TokenFact | undefined) => 10n ** BigInt(token?.decimals ?? USUAL_DECIMALS)

/** An amount of the peg in base units of the reward token. */
export function exchange(amount: bigint, peg: TokenFact, token: TokenFact | undefined, tokens: number): bigint {
  const from = priceOf(peg)
  const to = priceOf(token)
  if (from === undefined || to === undefined || token === undefined) return worth(100, tokens, token)
  const dollars = amount * from.digits * 10n ** BigInt(to.scale + token.decimals)
  return dollars / (to.digits * 10n ** BigInt(from.scale + peg.decimals))
}

function roundToTwoDigits(amount: bigint): bigint {
  const excess = amount.toString().length - 2
  if (excess <= 0) return amount
  const unit = 10n ** BigInt(excess)
  return ((amount + unit / 2n) / unit) * unit
}

/** `value` ÷ 10^`scale`, all digits, no trailing zeros. */
function exactDecimal(value: bigint, scale: number): string {
  const digits = value.toString().padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
