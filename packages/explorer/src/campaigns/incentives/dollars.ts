import { type Incentive, type TokenIncentive, toTokens } from 'reward-campaigns-client'
import { type Asset, assetOf, POOL, type Rewarding } from './incentive-budget.ts'
import { isFunded, traitsOf } from './incentive-variants.ts'

/** What one whole token is worth now in US dollars, by `<chainId>:<address>`; null: it has no price. */
export type Worth = ReadonlyMap<string, string | null>

/** US dollars of an amount of a token, exact; null without a price, undefined while it or the token is not known. */
export function dollarsOf(worth: Worth, { chainId, address, token }: Asset, amount: bigint): string | null | undefined {
  const price = worth.get(`${chainId}:${address}`)
  if (price == null) return price
  return token === undefined ? undefined : dollarsAt(price, token.decimals, amount)
}

/** By the price of one whole token. */
export function dollarsAt(price: string, decimals: number, amount: bigint): string {
  const [whole = '', fraction = ''] = price.split('.')
  return toTokens(amount * BigInt(whole + fraction), decimals + fraction.length)
}

/** What one claim of an incentive pays in US dollars now. Undefined where its fields and prices do not say that exactly. */
export function claimDollars(
  campaign: Pick<Rewarding, 'chainId' | 'tokens'>,
  incentive: Incentive,
): { usd: string; isMaximum: boolean } | undefined {
  if (!isFunded(incentive)) return undefined
  const { token } = assetOf(campaign, 'peg' in incentive ? incentive.peg : incentive.asset)
  const reward = rewardOf(incentive)
  if (token?.priceUsd == null || reward === undefined || reward === 0n) return undefined
  return { usd: dollarsAt(token.priceUsd, token.decimals, reward), isMaximum: 'maxReward' in incentive }
}

/** In base units of the token, or of the peg. Other rewards move, are signed or drawn. */
function rewardOf(incentive: TokenIncentive): bigint | undefined {
  if ('maxReward' in incentive) return BigInt(incentive.maxReward)
  if ('strategy' in incentive && incentive.strategy !== POOL) return undefined
  return 'reward' in incentive && traitsOf(incentive.type)?.reward === 'fixed' ? BigInt(incentive.reward) : undefined
}
