import type { Reward } from 'reward-campaigns-client'
import { traitsOf } from '../campaigns/incentives/incentive-variants.ts'
import { incentiveName, incentiveTypeName } from '../campaigns/incentives/incentive-words.ts'
import { client } from '../requests/service.ts'
import { useRequest } from '../requests/use-request.ts'

/** An incentive never changes its kind. */
const REFRESH_MS = 600_000

/** What incentives of rewards are called. A raffle has the type of a fixed reward, so campaigns with that type are requested. */
export function useNames(rewards: readonly Reward[]): (reward: Reward) => string {
  const ids = [...new Set(rewards.filter(isAmbiguous).map(({ campaignId }) => campaignId))]
  const request = useRequest(
    async (signal) =>
      ids.length === 0
        ? { campaigns: [] }
        : client.listCampaigns(
            { campaignId: ids, fields: ['id', 'incentives'], tokenWhitelist: false, pageSize: ids.length },
            { signal },
          ),
    `incentives ${ids}`,
    REFRESH_MS,
  )
  const campaigns = request.state === 'shown' ? request.response.campaigns : []
  const incentives = new Map(campaigns.map(({ id, incentives }) => [id, incentives]))
  return (reward) => {
    const incentive = incentives.get(reward.campaignId)?.[reward.incentiveIndex]
    return incentive === undefined ? incentiveTypeName(reward.incentiveType) : incentiveName(incentive)
  }
}

const isAmbiguous = ({ incentiveType }: Reward) => traitsOf(incentiveType)?.mayBeRaffle
