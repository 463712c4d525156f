import type { TrendingCampaign } from 'reward-campaigns-client'
import { traitsOf } from '../campaigns/incentives/incentive-variants.ts'
import { roundDecimal, roundUsd } from './format-numbers.ts'
import { brief } from './truncate-name.ts'

type Reward = TrendingCampaign['incentives'][number]

/** What one claim of an incentive gives, in a few words: `25 USDC`, `7% back, up to 0.0026 WBTC`. */
function rewardInWords(reward: Reward): string {
  const { type, rewardAmountFormatted: amount, rewardPercentage, maxReward } = reward
  const tokenSymbol = brief(reward.tokenSymbol ?? '') || 'tokens'
  const traits = traitsOf(type)
  if (traits?.reward === 'none') return 'a slot on an allow list'
  if (traits?.paysToken === false) return amount === undefined ? 'points' : `${roundDecimal(amount).short} points`
  // What is paid is worth as much of another token: only its dollars say how much.
  const isPegged = traits?.isPegged
  const max = isPegged
    ? inDollars(reward)
    : amount === undefined
      ? undefined
      : `${roundDecimal(amount).short} ${tokenSymbol}`
  const paidIn = isPegged ? ` in ${tokenSymbol}` : ''
  if (rewardPercentage !== undefined) {
    const limit = maxReward === undefined || max === undefined || amount === '0' ? '' : `, up to ${max}`
    return `${roundDecimal(String(rewardPercentage)).short}% back${paidIn}${limit}`
  }
  if (max === undefined || amount === '0') return `paid in ${tokenSymbol}`
  return `${maxReward === undefined ? '' : 'up to '}${max}${paidIn}`
}

const inDollars = ({ rewardUsdValue }: Reward) =>
  rewardUsdValue === undefined ? undefined : roundUsd(rewardUsdValue).short

/** The first of the rewards, and how many more there are. */
export function rewardsInWords(rewards: readonly Reward[]): string {
  const [first, ...others] = rewards
  if (first === undefined) return 'no reward'
  return others.length === 0 ? rewardInWords(first) : `${rewardInWords(first)} and ${others.length} more`
}
