import type { ImportRecord } from '../../../src/ingest/records.ts'
import type { Random } from '../data/random-records.ts'
import type { QueryText } from '../second-opinion/second-opinion.ts'

export type Filter = (random: Random) => QueryText

/** A filter of each kind that list and trending share, by values that occur in the data. */
export function filtersOf(records: readonly ImportRecord[]): Record<string, Filter> {
  const campaigns = records.filter((record) => record.type === 'campaign')
  const several = (values: string[]) => (random: Random) =>
    Array.from({ length: random.integer(1, 3) }, () => random.pick(values)).join(',')
  const rewards = campaigns.flatMap(({ id, incentives }) =>
    incentives.flatMap(({ asset }) => (asset === undefined ? [] : [`${id.split(':')[0]}:${asset}`])),
  )
  const targets = campaigns.flatMap(({ actionSteps }) => actionSteps ?? [])
  const named = [...campaigns.flatMap(({ nftCollection }) => nftCollection ?? [])]
  const tokens = [
    ...rewards,
    ...campaigns.flatMap(({ actionToken: token }) => (token ? [`${token.chainId}:${token.address}`] : [])),
    ...named.map(({ chainId, address }) => `${chainId}:${address}:collection`),
    ...targets.map(({ chainId, targetContract }) => `${chainId}:${targetContract}:collection`),
  ]
  const autocampaigns = campaigns.flatMap(({ autocampaignId }) => autocampaignId ?? [])
  const channels = campaigns.flatMap(({ distributionChannels }) => distributionChannels ?? [])
  return {
    budgetAccount: (random) => ({ budgetAccount: several(campaigns.map(({ budget }) => budget))(random) }),
    owner: (random) => ({ owner: random.pick(campaigns).owner }),
    autocampaignId: (random) => ({ autocampaignId: random.pick([...autocampaigns, 'none']) }),
    chainId: (random) => ({ chainId: String(random.pick(campaigns).id.split(':')[0]) }),
    targetContract(random) {
      const { chainId, targetContract } = random.pick(targets)
      return { chainId: String(chainId), targetContract }
    },
    tokens: (random) => ({ tokens: several(tokens)(random) }),
    rewardToken: (random) => ({ rewardToken: several(rewards)(random) }),
    distributionChannel: (random) => ({ distributionChannel: several([...channels, 'none'])(random) }),
  }
}

/** No filter, each, and every pair. */
export function combinationsOf(filters: Record<string, Filter>): Filter[] {
  const all = Object.values(filters)
  const pairs = all.flatMap((one, index) =>
    all.slice(index + 1).map(
      (other): Filter =>
        (random) => ({ ...one(random), ...other(random) }),
    ),
  )
  const any: Filter = (random) => Object.assign({}, ...random.some(all, 0.3).map((filter) => filter(random)))
  return [() => ({}), ...all, ...pairs, any, any, any]
}
