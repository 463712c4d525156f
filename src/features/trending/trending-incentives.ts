import { Big } from 'big.js'
import type { Token } from '../../database/lookups/token-metadata-cache.ts'
import { type Incentive, incentiveTraits } from '../../schemas/campaigns/incentives.ts'
import { toTokenUnits } from '../../schemas/campaigns/tokens.ts'
import type { TrendingIncentive } from './trending-schemas.ts'

/** US dollars are rounded once, at the end, half up, to 6 decimals. */
export const roundUsd = (exact: Big) => exact.round(6, Big.roundHalfUp).toNumber()

type WithoutUndefined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> }

/**
 * Unknown values are undefined, which JSON leaves out. Removing them from each object costs more than everything else.
 */
export const withoutUndefined = <T extends object>(fields: T) => fields as WithoutUndefined<T>

const toUsd = (amount: string, { decimals, priceUsd }: { decimals: number; priceUsd: string }) =>
  roundUsd(new Big(amount).times(priceUsd).times(`1e-${decimals}`))

const paysToken = (incentive: Incentive): incentive is Extract<Incentive, { asset: string }> =>
  incentiveTraits[incentive.type].paysToken

/** The reward token, or what else `asset` is; the venue of points; the allow list for an entry on one. */
export function assetAddressOf(incentive: Incentive): string {
  if ('asset' in incentive) return incentive.asset
  return 'venue' in incentive ? incentive.venue : incentive.allowListAddress
}

/** The reward of one claim: the maximum if the action decides; nothing countable for an allow list. */
function rewardAmountOf(incentive: Incentive): string | undefined {
  if ('maxReward' in incentive) return incentive.maxReward
  if ('initialReward' in incentive) return incentive.initialReward
  return 'reward' in incentive ? incentive.reward : undefined
}

/** A share of 18 decimals as percent; `0` pays the signed amount as it is. */
function rewardPercentageOf(incentive: Incentive): number | undefined {
  if (incentiveTraits[incentive.type].reward !== 'share' || !('reward' in incentive)) return undefined
  return incentive.reward === '0' ? undefined : new Big(incentive.reward).times('1e-16').toNumber()
}

/** The unit of a reward: its asset, or the peg of a pegged one; undefined if it is unknown, or no token. */
function unitOf(incentive: Incentive, tokenAt: (address: string) => Token | undefined) {
  if ('peg' in incentive) return tokenAt(incentive.peg)
  return paysToken(incentive) ? tokenAt(incentive.asset) : undefined
}

export function toTrendingIncentive(
  incentive: Incentive,
  tokenAt: (address: string) => Token | undefined,
): TrendingIncentive {
  const assetAddress = assetAddressOf(incentive)
  const token = tokenAt(assetAddress)?.fields
  const unit = unitOf(incentive, tokenAt)
  const price = unit?.priceUsd ? { decimals: unit.fields.decimals, priceUsd: unit.priceUsd } : undefined
  const rewardAmount = rewardAmountOf(incentive)
  const maxReward = 'maxReward' in incentive ? incentive.maxReward : undefined
  const rewardPercentage = rewardPercentageOf(incentive)
  // What is no token, points, has no decimals.
  const decimals = paysToken(incentive) ? unit?.fields.decimals : 0
  const formatted =
    rewardAmount !== undefined && decimals !== undefined ? toTokenUnits(rewardAmount, decimals) : undefined
  return withoutUndefined({
    type: incentive.type,
    assetAddress,
    rewardAmount,
    rewardAmountFormatted: formatted,
    rewardUsdValue: rewardAmount !== undefined && price ? toUsd(rewardAmount, price) : undefined,
    maxReward,
    maxRewardUsdValue: maxReward !== undefined && price ? toUsd(maxReward, price) : undefined,
    rewardPercentage,
    rebatePercentage: ('rebatePercentage' in incentive ? incentive.rebatePercentage : undefined) ?? rewardPercentage,
    tokenSymbol: token?.symbol,
    tokenImageUri: token?.imageUri,
    metadata: token ?? null,
  })
}
