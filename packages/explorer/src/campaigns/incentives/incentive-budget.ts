import type { Campaign, Incentive, TokenIncentive } from 'reward-campaigns-client'
import { type KnownToken, type KnownTokens, tokenOf } from '../tokens/known-tokens.ts'
import { traitsOf } from './incentive-variants.ts'

/** A token that amounts are of; what is not known of it is absent, and amounts are then base units. */
export interface Asset {
  chainId: number
  address: string
  token?: KnownToken | undefined
}

/** What of an incentive's budget is left, and what it was in all, in base units of the asset. */
export interface Budget {
  asset: Asset
  /** Absent where answers do not tell. */
  left?: bigint
  total: bigint
}

/** What pages need of a campaign to speak about its incentives: list items and details have it alike. */
export type Rewarding = Pick<Campaign, 'chainId' | 'incentives' | 'availableBudgetUsd'> & { tokens: KnownTokens }

/** A token of the campaign's chain, with what is known of it. */
export const assetOf = ({ chainId, tokens }: Pick<Rewarding, 'chainId' | 'tokens'>, address: string): Asset => ({
  chainId,
  address,
  token: tokenOf(tokens, chainId, address),
})

/**
 * Budget of an incentive that pays a token, by the rules that the service adds up `availableBudgetUsd` by. The claims of
 * an auction are not in the response, so that what is left of it is unknown.
 */
export function budgetOf(campaign: Rewarding, incentive: TokenIncentive): Budget {
  const asset = assetOf(campaign, incentive.asset)
  if ('totalBudget' in incentive) return { asset, total: BigInt(incentive.totalBudget) }
  const claimed = BigInt(incentive.totalAmountClaimed ?? '0')
  const left = BigInt(incentive.remainingBalance ?? unclaimedOf(incentive, claimed))
  return { asset, left, total: left + claimed }
}

function unclaimedOf(incentive: Exclude<TokenIncentive, { totalBudget: string }>, claimed: bigint): bigint {
  const { left: claims } = claimLimitOf(incentive) ?? {}
  if (claims !== undefined && 'reward' in incentive) {
    // A raffle pays one of them.
    return BigInt(incentive.reward) * (isRaffle(incentive) ? 1n : claims)
  }
  const limit = BigInt(incentive.limit)
  return limit > claimed ? limit - claimed : 0n
}

export const POOL = 0
export const RAFFLE = 1

export const isRaffle = (incentive: Incentive) => 'strategy' in incentive && incentive.strategy === RAFFLE

/** How many can still claim, of how many; without `left`, the claims so far are not told. */
export interface ClaimLimit {
  left?: bigint
  total: bigint
}

/** Undefined where not the number of claims is limited but the budget. */
export function claimLimitOf(incentive: Incentive): ClaimLimit | undefined {
  const counts = traitsOf(incentive.type)?.limit
  if (!('limit' in incentive) || counts === undefined || counts === 'budget') return undefined
  const limit = BigInt(incentive.limit)
  if (counts === 'claims') return { total: limit }
  const claimed = 'totalClaims' in incentive ? incentive.totalClaims : undefined
  return { left: limit, total: limit + BigInt(claimed ?? '0') }
}

/** Share of a whole, from 0 to 1, for a bar; nothing of nothing is 0. */
export const shareOf = (part: bigint, whole: bigint): number =>
  whole <= 0n ? 0 : Number((part * 10_000n) / whole) / 10_000
