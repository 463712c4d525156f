import type { Incentive, IncentiveOutlook } from 'reward-campaigns-client'

/** What an incentive pays some seconds after its outlook was told: the reward of an auction rises as its contract has it. */
export function rewardByNow(outlook: IncentiveOutlook, incentive: Incentive, seconds: number): bigint | undefined {
  if (outlook.rewardNow === undefined) return undefined
  const reward = BigInt(outlook.rewardNow)
  if (!('rewardBoost' in incentive)) return reward
  const risen = reward + (BigInt(Math.max(0, seconds)) * BigInt(incentive.rewardBoost)) / 3600n
  const left = BigInt(outlook.budgetLeft ?? risen)
  return risen < left ? risen : left
}
