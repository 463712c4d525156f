import { type Cell, toCsv } from '../../http/statements.ts'
import { toWholeAmount } from '../../schemas/campaigns/whole-amounts.ts'
import type { Reward } from './reward-schemas.ts'

/** The columns of a statement of rewards, in their order. */
const columns: Record<string, (reward: Reward) => Cell> = {
  campaignId: ({ campaignId }) => campaignId,
  campaignName: ({ campaignName }) => campaignName,
  chainId: ({ campaignId }) => campaignId.split(':', 1)[0],
  incentiveIndex: ({ incentiveIndex }) => incentiveIndex,
  incentiveType: ({ incentiveType }) => incentiveType,
  verdict: ({ verdict }) => verdict,
  asset: ({ asset }) => asset,
  symbol: ({ metadata }) => metadata?.symbol,
  claims: ({ claims }) => claims,
  claimedAmount: ({ claimedAmount }) => claimedAmount,
  claimedAmountInTokens: (reward) => toWholeAmount(reward.claimedAmount, reward),
  claimedAmountUsd: ({ claimedAmountUsd }) => claimedAmountUsd,
  rewardNow: ({ rewardNow }) => rewardNow,
  rewardNowInTokens: (reward) => reward.rewardNow && toWholeAmount(reward.rewardNow, reward),
  rewardNowUsd: ({ rewardNowUsd }) => rewardNowUsd,
  claimUntil: ({ claimUntil }) => claimUntil,
  lastClaimedAt: ({ lastClaimedAt }) => lastClaimedAt,
  lastTxHash: ({ lastTxHash }) => lastTxHash,
}

export const toRewardStatement = (rewards: readonly Reward[]) => toCsv(columns, rewards)
