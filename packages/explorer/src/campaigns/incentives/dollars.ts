import { toTokens } from 'reward-campaigns-client'
import type { Asset } from './incentive-budget.ts'

/** What one whole token is worth now in US dollars, by `<chainId>:<address>`; null: it has no price. */
export type Worth = ReadonlyMap<string, string | null>

/** US dollars of an amount of a token, exact; null without a price, undefined while it or the token is not known. */
export function dollarsOf(worth: Worth, { chainId, address, token }: Asset, amount: bigint): string | null | undefined {
  const price = worth.get(`${chainId}:${address}`)
  if (price == null) return price
  if (token === undefined) return undefined
  const [whole = '', fraction = ''] = price.split('.')
  return toTokens(amount * BigInt(whole + fraction), token.decimals + fraction.length)
}
