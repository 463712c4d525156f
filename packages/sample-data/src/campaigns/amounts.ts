import Big from 'big.js'
import type { Token } from '../facts.ts'

/** Decimals of a token that is unknown. */
const USUAL_DECIMALS = 18

/** The exact worth of so many base units as a decimal string; null where there is no price. */
export const dollarsOf = (amount: Big, token: Token | undefined) =>
  token?.priceUsd === undefined ? null : amount.times(`1e-${token.decimals}`).times(token.priceUsd).toFixed()

/** Base units worth so many dollars, or so many whole tokens where there is no price; two significant digits. */
export function worth({ dollars, tokens }: { dollars: number; tokens: number }, token: Token | undefined) {
  const amount = token?.priceUsd === undefined ? new Big(tokens) : new Big(dollars).div(token.priceUsd)
  return amount
    .prec(2)
    .times(`1e${token?.decimals ?? USUAL_DECIMALS}`)
    .round()
}

/** The next 1, 2 or 5 followed by zeros. */
export function roundUp(count: number) {
  const power = 10 ** Math.floor(Math.log10(count))
  return power * ([1, 2, 5].find((factor) => factor * power >= count) ?? 10)
}
